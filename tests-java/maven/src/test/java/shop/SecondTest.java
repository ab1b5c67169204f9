package shop;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

class SecondTest {

    /** Long enough to be measured: a test class is a JVM's whole life here. */
    @Test
    void sums() {
        int[] prices = new int[2000];
        long sum = 0;
        long end = System.nanoTime() + Long.getLong("shop.seconds", 4) * 1_000_000_000;
        do {
            prices[(int) (sum & 1023)]++;
            sum += Basket.once(prices) + Basket.twice(prices);
        } while (System.nanoTime() < end);
        assertNotEquals(0, sum);
    }
}
