import java.util.concurrent.CountDownLatch;

/**
 * Known numbers of events. Arguments: threads that wait for one monitor at once, twice each; collections; MiB to allocate;
 * "wait" to read a line before and after, "virtual" for virtual threads in place of the first ones.
 */
public class Heard {
    static final Object LOCK = new Object();
    static byte[] kept;
    static int entered;

    static void enter() {
        synchronized (LOCK) {
            entered++;
        }
    }

    static synchronized void enterMethod() {
        entered++;
    }

    static Thread thread(boolean isVirtual, Runnable body) throws Exception {
        if (!isVirtual) {
            Thread thread = new Thread(body);
            thread.start();
            return thread;
        }
        return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body);
    }

    /** Lets threads wait until all of them do. */
    static void contend(int count, boolean isVirtual, Object lock, Runnable body) throws Exception {
        Thread[] threads = new Thread[count];
        CountDownLatch begun = new CountDownLatch(count);
        synchronized (lock) {
            for (int i = 0; i < count; i++) {
                threads[i] = thread(isVirtual, () -> {
                    begun.countDown();
                    body.run();
                });
            }
            if (!isVirtual) {
                begun.await();
                for (Thread thread : threads) {
                    while (thread.getState() != Thread.State.BLOCKED) {
                        Thread.onSpinWait();
                    }
                }
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static long allocate(long bytes) {
        long made = 0;
        while (made < bytes) {
            kept = new byte[1000];
            made += 1016;
        }
        return made;
    }

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        String how = arguments.length > 3 ? arguments[3] : "";
        boolean isVirtual = how.equals("virtual");
        System.out.println("ready");
        if (how.equals("wait")) {
            System.in.read();
        }
        contend(count, isVirtual, LOCK, Heard::enter);
        contend(count, isVirtual, Heard.class, Heard::enterMethod);
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
            System.gc();
        }
        System.out.println("allocated " + allocate(Long.parseLong(arguments[2]) << 20));
        System.out.println("done " + entered);
        if (how.equals("wait")) {
            System.in.read();
        }
    }
}
