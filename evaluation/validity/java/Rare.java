import java.io.IOException;

/**
 * Methods of which some calls take very long: longer than the turns in which methods are measured. Both wait instead of working, so that
 * other processes do not change their times, and are called all the time, each by a thread of its own, until a line comes.
 */
public final class Rare {

    /** One call in this number is long: 2% of them, which are most of the time. */
    private static final int EVERY = 50;
    private static final int LONG_MS = 1_000;
    private static final int SHORT_MS = 2;
    private static final int EVEN_MS = 8;

    private static volatile boolean asked;
    private static volatile boolean interrupted;

    private Rare() {}

    public static void main(String[] args) throws IOException {
        new Timed("Rare.seldom(I)V") {
            @Override
            void call(int number) {
                seldom(number);
            }
        }.start();
        new Timed("Rare.even(I)V") {
            @Override
            void call(int number) {
                even(number);
            }
        }.start();
        int read = System.in.read();
        while (read >= 0 && read != '\n') {
            read = System.in.read();
        }
        asked = true;
    }

    /** 22 ms on average, 2 ms mostly. */
    static void seldom(int number) {
        pause(number % EVERY == EVERY - 1 ? LONG_MS : SHORT_MS);
    }

    /** Always 8 ms. */
    static void even(int number) {
        pause(EVEN_MS);
    }

    private static void pause(int milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException end) {
            interrupted = true;
        }
    }

    /** Calls a method all the time, and says in the end what its calls took on average. */
    private abstract static class Timed extends Thread {

        Timed(String name) {
            super(name);
        }

        abstract void call(int number);

        @Override
        public void run() {
            long sum = 0;
            int calls = 0;
            while (!asked) {
                long before = System.nanoTime();
                call(calls);
                sum += System.nanoTime() - before;
                calls++;
            }
            System.out.println("mean " + getName() + " " + (double) sum / calls + " " + calls);
        }
    }
}
