import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import spl.size.Computable;
import spl.size.MethodSize;
import spl.size.ScaleBase;
import spl.size.SizeAggregator;
import spl.size.SizeProcessor;

/**
 * Times bursts of calls with arguments of one shape, each a method of its own.
 *
 * <p>Says "ready". For each line "SHAPE ROUNDS" on standard input it answers with the median nanoseconds of a
   call over ROUNDS bursts; between two of them the agent empties its rings.
 */
final class SizeCosts {
    private static final int CALLS = 500;
    private static final long PAUSE_NANOS = 2_500_000;
    private static final int FEW = 10;
    private static final int MANY = 1000;

    private static final String STRING = "a string of thirty-two characters";
    private static final int[] FEW_NUMBERS = new int[FEW];
    private static final int[] MANY_NUMBERS = new int[MANY];
    private static final List<Integer> FEW_BOXED = boxed(FEW);
    private static final List<Integer> MANY_BOXED = boxed(MANY);
    private static final Map<Integer, String> HASHED = new HashMap<>();
    private static final Map<Integer, String> TREE = new TreeMap<>();
    private static final Own OWN = new Own(MANY_BOXED);

    private static long sink;

    private SizeCosts() {}

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 100; i++) {
            HASHED.put(i, "value " + i);
            TREE.put(i, "value " + i);
        }
        Map<String, Runnable> shapes = new LinkedHashMap<>();
        shapes.put("number", () -> number(7));
        shapes.put("string", () -> string(STRING));
        shapes.put("fewNumbers", () -> fewNumbers(FEW_NUMBERS));
        shapes.put("manyNumbers", () -> manyNumbers(MANY_NUMBERS));
        shapes.put("fewBoxed", () -> fewBoxed(FEW_BOXED));
        shapes.put("manyBoxed", () -> manyBoxed(MANY_BOXED));
        shapes.put("hashed", () -> hashed(HASHED));
        shapes.put("tree", () -> tree(TREE));
        shapes.put("computable", () -> computable(OWN));
        shapes.put("processed", () -> processed(MANY_BOXED));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            System.out.println(nanos(shapes.get(words[0]), Integer.parseInt(words[1])));
        }
    }

    private static double nanos(Runnable shape, int rounds) {
        long[] took = new long[rounds];
        for (int round = 0; round < rounds; round++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            long start = System.nanoTime();
            for (int i = 0; i < CALLS; i++) {
                shape.run();
            }
            took[round] = System.nanoTime() - start;
        }
        Arrays.sort(took);
        return (double) took[rounds / 2] / CALLS;
    }

    private static List<Integer> boxed(int count) {
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            // Beyond the cached ones: each is an object of its own.
            list.add(1_000_000 + i);
        }
        return list;
    }

    static void number(long argument) {
        sink += argument;
    }

    static void string(String argument) {
        sink++;
    }

    static void fewNumbers(int[] argument) {
        sink++;
    }

    static void manyNumbers(int[] argument) {
        sink++;
    }

    static void fewBoxed(List<Integer> argument) {
        sink++;
    }

    static void manyBoxed(List<Integer> argument) {
        sink++;
    }

    static void hashed(Map<Integer, String> argument) {
        sink++;
    }

    static void tree(Map<Integer, String> argument) {
        sink++;
    }

    static void computable(Own argument) {
        sink++;
    }

    static void processed(List<Integer> argument) {
        sink++;
    }

    /** Says its size instead of letting a thousand numbers be visited. */
    static final class Own implements Computable {
        private final List<Integer> list;

        Own(List<Integer> list) {
            this.list = list;
        }

        @Override
        public long computeSize() {
            return list.size();
        }
    }

    /** Sizes of lists, in buckets of a hundred elements. */
    public static final class Hundreds implements SizeProcessor {
        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            int hundreds = ((List<?>) arguments[0]).size() / 100;
            return base -> new Bucket(hundreds);
        }

        @Override
        public ScaleBase getBase() {
            return null;
        }
    }

    private static final class Bucket implements SizeAggregator {
        private final int hundreds;

        Bucket(int hundreds) {
            this.hundreds = hundreds;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Bucket && ((Bucket) other).hundreds == hundreds;
        }

        @Override
        public int hashCode() {
            return hundreds;
        }

        @Override
        public String toString() {
            return hundreds + " hundred";
        }
    }
}
