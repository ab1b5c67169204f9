package receivers;

/** Fills a basket and adds its prices up. The argument {@code net} adds prices of a fourth class. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        boolean hasNet = arguments.length > 0 && arguments[0].equals("net");
        Price[] regular = new Price[100];
        for (int i = 0; i < regular.length; i++) {
            regular[i] = i < 60 ? new Price.Full(100 + i) : i < 90 || !hasNet ? new Price.Half(100 + i) : new Price.Net(100 + i);
        }
        Price[] gifts = {new Price.Free(), new Price.Free()};
        long cents = 0;
        for (int round = 0; round < 50; round++) {
            cents += Checkout.total(regular, gifts);
        }
        System.out.println(cents + " cents");
    }
}
