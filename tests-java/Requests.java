/**
 * Requests that are handled one after the other in two threads, with other work between them: request N makes N calls of {@code work}, one
 * in four ends with an exception, and one in five is handled within another.
 *
 * <p>Argument: requests of each thread. To trace: all methods, within calls of {@code handle}.
 */
public final class Requests {

    private static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1;

        Failed() {
            super(null, null, false, false);
        }
    }

    private int sum;

    private Requests() {}

    public static void main(String[] args) throws InterruptedException {
        int requests = Integer.parseInt(args[0]);
        Thread other = new Thread(() -> serve(requests), "other");
        other.start();
        other.join();
        serve(requests);
        System.out.println("served");
    }

    private static void serve(int requests) {
        Requests one = new Requests();
        for (int number = 0; number < requests; number++) {
            one.idle(number);
            try {
                one.handle(number);
            } catch (Failed failed) {
                one.idle(number);
            }
        }
    }

    private void idle(int rounds) {
        for (int i = 0; i < rounds; i++) {
            sum += beside(i);
        }
    }

    private int beside(int value) {
        return sum ^ value;
    }

    private void handle(int number) {
        for (int i = 0; i < number; i++) {
            work(i);
        }
        if (number % 5 == 4) {
            handle(0);
        }
        if (number % 4 == 3) {
            throw new Failed();
        }
    }

    private void work(int value) {
        sum += value;
    }
}
