import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;

/**
 * Methods whose measurement a test knows. For a line "loop CALLS" it calls the method this number of times and prints the
 * nanoseconds of a call, for "waits CALLS" the clock around each call; for other lines see {@link #other}.
 */
final class Truth {
    private static final long WAIT_NS = 20_000;
    private static volatile long sink;

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Life.say("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            if (words.length == 1) {
                other(words[0]);
            } else if (words[0].equals("loop")) {
                int calls = Integer.parseInt(words[1]);
                long start = System.nanoTime();
                sink = loops(calls);
                Life.say("" + (double) (System.nanoTime() - start) / calls);
            } else {
                Life.say(waits(Integer.parseInt(words[1])));
            }
        }
    }

    private static long loops(int calls) {
        long x = calls;
        for (int i = 0; i < calls; i++) {
            x = loop(x);
        }
        return x;
    }

    static long loop(long x) {
        for (int i = 0; i < 600; i++) {
            x = (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
        }
        return x;
    }

    /** The clock before each call, at its beginning, at its end, and after it. */
    private static String waits(int calls) {
        StringBuilder times = new StringBuilder();
        long[] inside = new long[2];
        for (int i = 0; i < calls; i++) {
            long before = System.nanoTime();
            waits(inside);
            long after = System.nanoTime();
            times.append(before).append(' ').append(inside[0]).append(' ').append(inside[1]).append(' ').append(after).append(' ');
        }
        return times.toString().trim();
    }

    static void waits(long[] inside) {
        inside[0] = System.nanoTime();
        do {
            inside[1] = System.nanoTime();
        } while (inside[1] - inside[0] < WAIT_NS);
    }

    /**
     * "gc": collects in a measured method; "nap": a thread sleeps in one; "metaspace": what classes take;
     * anything else does nothing.
     */
    private static void other(String what) throws InterruptedException {
        if (what.equals("gc")) {
            collect();
        } else if (what.equals("nap")) {
            Thread sleeper = new Thread(Truth::nap);
            sleeper.setDaemon(true);
            sleeper.start();
        }
        Life.say(what.equals("metaspace") ? "" + metaspace() : what);
    }

    /** Bytes that the JVM keeps of classes. */
    private static long metaspace() {
        long used = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            used += pool.getName().equals("Metaspace") ? pool.getUsage().getUsed() : 0;
        }
        return used;
    }

    static void collect() {
        System.gc();
    }

    static void nap() {
        try {
            Thread.sleep(1000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
