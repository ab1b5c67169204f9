package receivers;

/**
 * Adds prices up at two places. HotSpot compiles the calls at a place into direct ones while their receivers are of two classes at
 * most, so that each place has its own two.
 */
final class Checkout {
    private Checkout() {}

    static long total(Price[] regular, Price[] gifts) {
        long cents = 0;
        for (int i = 0; i < regular.length; i++) {
            cents += regular[i].cents();
        }
        for (int i = 0; i < gifts.length; i++) {
            cents += gifts[i].cents();
        }
        return cents;
    }
}
