import java.io.IOException;
import java.util.Arrays;

/**
 * Pairs of methods of a known ratio, with their times as the program itself takes them.
 *
 * <p>The methods are those of {@code Bodies}, a class that is written for each run. All of them are called in turn, beginning with
 * another one in each round, until a line comes; after that line each call is timed here. Then the means of their middle halves are
 * printed, without what reading the clock takes.
 */
public final class Known {

    /** Until here compiling goes on, and nothing is timed; nanoseconds. */
    private static final long SETTLE_NS = 1_200_000_000L;
    /** Nanoseconds of timing. */
    private static final long TIMED_NS = 1_500_000_000L;
    private static final int MOST = 200_000;

    private static volatile boolean asked;
    private static volatile long result;

    private final int methods = Bodies.NAMES.length;
    private final long[][] times = new long[methods + 1][MOST];
    private final int[] counts = new int[methods + 1];
    private int first;
    private long value = 1;

    private Known() {}

    public static void main(String[] args) throws IOException {
        Thread input = new Thread(Known::awaitLine, "input");
        input.setDaemon(true);
        input.start();
        Known known = new Known();
        while (!asked) {
            known.round(false);
        }
        // All is compiled, once more if it was changed.
        known.during(SETTLE_NS, false);
        known.during(TIMED_NS, true);
        known.print();
        result = known.value;
    }

    private static void awaitLine() {
        try {
            int read = System.in.read();
            while (read >= 0 && read != '\n') {
                read = System.in.read();
            }
        } catch (IOException gone) {
            // As good as a line.
        }
        asked = true;
    }

    private void during(long length, boolean timed) {
        long end = System.nanoTime() + length;
        while (System.nanoTime() - end < 0) {
            round(timed);
        }
    }

    private void round(boolean timed) {
        first = (first + 1) % methods;
        for (int i = 0; i < methods; i++) {
            int method = (first + i) % methods;
            long before = System.nanoTime();
            value = Bodies.call(method, value);
            long after = System.nanoTime();
            if (timed) {
                keep(method, after - before);
            }
        }
        if (timed) {
            long before = System.nanoTime();
            keep(methods, System.nanoTime() - before);
        }
    }

    private void keep(int method, long time) {
        if (counts[method] < MOST) {
            times[method][counts[method]++] = time;
        }
    }

    private void print() {
        double clock = middle(methods);
        for (int method = 0; method < methods; method++) {
            System.out.println("mean " + Bodies.NAMES[method] + " " + (middle(method) - clock) + " " + counts[method]);
        }
    }

    /** The mean of the middle half: the clock's steps, which may be a tenth of the shortest calls, are evened out in it. */
    private double middle(int method) {
        long[] sorted = Arrays.copyOf(times[method], counts[method]);
        Arrays.sort(sorted);
        int quarter = sorted.length / 4;
        return Arrays.stream(sorted, quarter, sorted.length - quarter).average().orElse(0);
    }
}
