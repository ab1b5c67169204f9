package shop;

/** Two ways to sum up prices, of which the second takes twice as long. */
public final class Basket {

    private Basket() {}

    public static long once(int[] prices) {
        long sum = 0;
        for (int price : prices) {
            sum = sum * 31 + price;
        }
        return sum;
    }

    public static long twice(int[] prices) {
        return once(prices) ^ once(prices);
    }
}
