/**
 * Requests that sleep, one after the other in a thread of their own: request N as many milliseconds as argument N says. Of three requests the
 * second sleeps as long again in a call that ends with an exception, which it catches, and the third ends with an exception itself.
 *
 * <p>Arguments: milliseconds of each request. To trace: all methods, also within calls of {@code handle}.
 */
public final class Sleeps {

    private static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failed() {
            super(null, null, false, false);
        }
    }

    private static int caught;

    private Sleeps() {}

    public static void main(String[] args) throws InterruptedException {
        Thread thread = new Thread(() -> serve(args), "requests");
        thread.start();
        thread.join();
        System.out.println("caught " + caught);
    }

    private static void serve(String[] args) {
        for (int number = 0; number < args.length; number++) {
            try {
                handle(number, Integer.parseInt(args[number]));
            } catch (Failed failed) {
                caught++;
            }
        }
    }

    private static void handle(int number, int milliseconds) {
        prepared(milliseconds);
        if (number % 3 == 1) {
            try {
                failing(milliseconds);
            } catch (Failed failed) {
                caught++;
            }
        }
        if (number % 3 == 2) {
            throw new Failed();
        }
    }

    private static void prepared(int milliseconds) {
        pause(milliseconds);
        for (int i = 0; i < 100; i++) {
            quick(i);
        }
    }

    private static void failing(int milliseconds) {
        pause(milliseconds);
        throw new Failed();
    }

    private static void pause(int milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static int quick(int value) {
        return value + 1;
    }
}
