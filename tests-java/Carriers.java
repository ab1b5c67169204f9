import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that give up their carriers within {@code outer(J)J} and within {@code inner(J)J}, which it calls.
 * Virtual threads, where the JVM has them (21 and later), may continue on others. Each call's argument is the
 * number of its thread. After each line it runs a round and prints the calls of each method, and how many
 * ended on another carrier.
 */
final class Carriers {
    private static final int THREADS = 16;
    private static final int CALLS = 12;
    private static final AtomicLong MOVED = new AtomicLong();

    private Carriers() {}

    public static void main(String[] args) throws Exception {
        Method starter = null;
        try {
            starter = Thread.class.getMethod("startVirtualThread", Runnable.class);
            ((Thread) starter.invoke(null, (Runnable) () -> {})).join();
        } catch (ReflectiveOperationException before21) {
            starter = null;
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Life.say("ready");
        while (in.readLine() != null) {
            MOVED.set(0);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                threads.add(start(starter));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            Life.say(THREADS * CALLS + " " + MOVED.get());
        }
    }

    private static Thread start(Method starter) throws ReflectiveOperationException {
        Runnable work = () -> {
            long id = Thread.currentThread().getId();
            for (int i = 0; i < CALLS; i++) {
                outer(id);
            }
        };
        if (starter != null) {
            return (Thread) starter.invoke(null, work);
        }
        Thread thread = new Thread(work);
        thread.start();
        return thread;
    }

    static long outer(long id) {
        String carrier = carrier();
        Thread.yield();
        long sum = inner(id);
        LockSupport.parkNanos(10_000);
        if (!carrier.equals(carrier())) {
            MOVED.incrementAndGet();
        }
        return sum;
    }

    static long inner(long id) {
        String carrier = carrier();
        long sum = id;
        for (int i = 0; i < 5; i++) {
            Thread.yield();
            sum = sum * 31 + i;
        }
        if (!carrier.equals(carrier())) {
            MOVED.incrementAndGet();
        }
        return sum;
    }

    /**
     * The part after the name of a virtual thread: {@code
     * VirtualThread[#22]/runnable@ForkJoinPool-1-worker-1}.
     */
    private static String carrier() {
        String text = Thread.currentThread().toString();
        return text.substring(text.indexOf('@') + 1);
    }
}
