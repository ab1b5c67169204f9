import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.AbstractQueuedSynchronizer;

/**
 * Calls basic methods of every program and of the JVM itself, in two threads. For each line "ROUNDS" it does
 * so in this number of rounds and prints the result; for "max CALLS" it calls {@code Math.max}, an intrinsic
 * in compiled callers.
 */
final class HardTargets {
    private static final ThreadLocal<Integer> LOCAL = ThreadLocal.withInitial(() -> 3);
    private static final Map<String, Integer> PLAIN = new HashMap<>(Map.of("one", 1, "two", 2));
    private static final Map<String, Integer> CONCURRENT = new ConcurrentHashMap<>(PLAIN);
    private static final Lock LOCK = new Lock();
    private static long guarded;

    /** A lock of the kind that the JDK's locks are made of. */
    private static final class Lock extends AbstractQueuedSynchronizer {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean tryAcquire(int ignored) {
            return compareAndSetState(0, 1);
        }

        @Override
        protected boolean tryRelease(int ignored) {
            setState(0);
            return true;
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Life.say("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            Life.say(words[0].equals("max") ? "max " + max(Integer.parseInt(words[1])) : both(Integer.parseInt(words[0])));
        }
    }

    private static String both(int rounds) throws InterruptedException {
        long[] results = new long[2];
        Thread other = new Thread(() -> results[1] = rounds(rounds));
        other.start();
        results[0] = rounds(rounds);
        other.join();
        return results[0] + " " + results[1] + " " + guarded;
    }

    private static long rounds(int rounds) {
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum = sum * 31 + round(i);
        }
        return sum;
    }

    private static long round(int i) {
        // Its hash is not computed yet.
        String text = new String(new char[] {'k', (char) ('a' + i % 26)});
        long sum = text.hashCode() + PLAIN.get(i % 2 == 0 ? "one" : "two") + CONCURRENT.get("one") + LOCAL.get();
        sum += Thread.currentThread().isAlive() && System.nanoTime() != 0 && new Object() != null ? 1 : 0;
        try {
            // Lambda and class-loader work of the program itself, and an exception that passes through
            // measured methods.
            sum += ClassLoader.getSystemClassLoader().loadClass("HardTargets").getName().length();
            ClassLoader.getSystemClassLoader().loadClass("no.such.Klass" + i);
        } catch (ClassNotFoundException expected) {
            sum += expected.getMessage().length() + new Throwable().getStackTrace().length;
        }
        LOCK.acquire(1);
        try {
            guarded += i;
        } finally {
            LOCK.release(1);
        }
        return sum;
    }

    private static int max(int calls) {
        int most = 0;
        for (int i = 0; i < calls; i++) {
            most = Math.max(most, i ^ 5);
        }
        return most;
    }
}
