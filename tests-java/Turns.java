/** Threads whose order the program itself knows. */
public final class Turns {
    /** Bits of a number that calls tell. */
    private static final int BITS = 16;

    private static final Object TOKEN = new Object();
    private static int holder;
    private static int entries;
    private static int mixed;
    private static volatile int begun;

    private Turns() {}

    public static void main(String[] arguments) throws InterruptedException {
        int threads = Integer.parseInt(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        Thread[] all = new Thread[threads];
        for (int number = 0; number < threads; number++) {
            int mine = number;
            boolean isToken = arguments[0].equals("token");
            all[number] = new Thread(() -> {
                arrive(threads);
                for (int round = 0; round < rounds; round++) {
                    if (isToken) {
                        await(mine, threads);
                    } else {
                        enter();
                        beside(round);
                        // Another thread enters, as far as one is there.
                        Thread.yield();
                    }
                }
            });
        }
        for (Thread thread : all) {
            thread.start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        System.out.println(entries + " entries");
    }

    /** Waits until all threads run. */
    private static void arrive(int threads) {
        synchronized (TOKEN) {
            begun++;
        }
        while (begun < threads) {
            Thread.yield();
        }
    }

    /** Waits for the token, and hands it on. */
    private static void await(int mine, int threads) {
        synchronized (TOKEN) {
            while (holder != mine) {
                try {
                    TOKEN.wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            hand();
            holder = (mine + 1) % threads;
            TOKEN.notifyAll();
        }
    }

    private static void hand() {
        entries++;
    }

    /** Calls methods by the bits of the number of entries before this one. */
    private static synchronized void enter() {
        int number = entries++;
        for (int bit = 0; bit < BITS; bit++) {
            if ((number >> bit & 1) != 0) {
                one();
            } else {
                zero();
            }
        }
    }

    private static void one() {}

    private static void zero() {}

    /** Outside of the lock. */
    private static void beside(int round) {
        for (int turn = 0; turn < round % 7; turn++) {
            mixed += mix(turn);
        }
    }

    private static int mix(int turn) {
        return turn * 31;
    }
}
