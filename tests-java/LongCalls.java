/**
 * Two threads call a method each, until the input ends. One makes short calls only. In the other one every
 * tenth call takes longer than many of its turns of measuring.
 */
public final class LongCalls {
    private static final int EVERY = 10;
    private static final int LONG_MS = 150;

    private static volatile boolean ended;

    private LongCalls() {}

    public static void main(String[] args) throws Exception {
        Thread mixed = new Thread(() -> {
            for (int number = 1; !ended; number++) {
                mixed(number);
            }
        });
        Thread even = new Thread(() -> {
            while (!ended) {
                even();
            }
        });
        mixed.start();
        even.start();
        System.out.println("LongCalls: on");
        while (System.in.read() >= 0) {}
        ended = true;
        mixed.join();
        even.join();
    }

    private static void mixed(int number) {
        pause(number % EVERY == 0 ? LONG_MS : 1);
    }

    private static void even() {
        pause(1);
    }

    private static void pause(int milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException end) {
            ended = true;
        }
    }
}
