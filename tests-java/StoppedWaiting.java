import java.lang.reflect.InvocationTargetException;

/** Threads wait for a monitor and are stopped meanwhile, for a second. Later JVMs refuse to stop a thread: there they end by themselves. */
public class StoppedWaiting {
    static final Object LOCK = new Object();
    static volatile boolean ended;

    static void enter() {
        synchronized (LOCK) {
            long end = System.nanoTime() + 100_000;
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        int stopped = 0;
        long end = System.nanoTime() + 1_000_000_000L;
        while (System.nanoTime() < end) {
            Thread[] threads = new Thread[6];
            ended = false;
            for (int i = 0; i < threads.length; i++) {
                threads[i] = new Thread(() -> {
                    while (!ended) {
                        enter();
                    }
                });
                threads[i].setUncaughtExceptionHandler((thread, death) -> { });
                threads[i].start();
            }
            while (threads[threads.length - 1].getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            for (Thread thread : threads) {
                try {
                    Thread.class.getMethod("stop").invoke(thread);
                } catch (InvocationTargetException | NoSuchMethodException refused) {
                    ended = true;
                }
            }
            for (Thread thread : threads) {
                thread.join();
                stopped++;
            }
        }
        System.out.println("ended " + (stopped > 0));
    }
}
