/**
 * Shows methods to compare: {@code slow(int[])} does thirty times the work of {@code fast(int[])}, and {@code
 * Integer.compareTo} is a method of the JDK. Standard output is the same however long the program runs.
 *
 * <p>Arguments: [rounds [array length]...]; each round takes an array of each length (default 256).
 */
public final class CompareLoop {

    private static final int DEFAULT_LENGTH = 256;
    private static final int COMPARISONS = 16;
    private static final int PASSES = 30;

    private CompareLoop() {}

    public static void main(String[] args) {
        int[][] arrays = arrays(args);
        System.err.println("CompareLoop: arrays of " + arrays.length + " length(s)");
        Life life = Life.start(args);
        while (life.wantsRound()) {
            life.check(Long.toString(round(arrays)));
        }
        for (int[] array : arrays) {
            Life.say(array.length + " ints: fast " + fast(array) + ", slow " + slow(array));
        }
        Life.say("compared " + compare());
        life.end();
    }

    private static long round(int[][] arrays) {
        long sum = compare();
        for (int[] array : arrays) {
            sum = sum * 31 + fast(array) + slow(array);
        }
        return sum;
    }

    /** One pass over the array, each step depending on the one before. */
    static long fast(int[] values) {
        return pass(1, values);
    }

    /** {@value #PASSES} passes like those of {@link #fast}. */
    static long slow(int[] values) {
        long sum = 1;
        for (int i = 0; i < PASSES; i++) {
            sum = pass(sum, values);
        }
        return sum;
    }

    private static long pass(long start, int[] values) {
        long sum = start;
        for (int value : values) {
            sum = sum * 31 + value;
        }
        return sum;
    }

    private static long compare() {
        long sum = 0;
        for (int i = 0; i < COMPARISONS; i++) {
            Integer left = i * 1_000;
            Integer right = (i * 7 % COMPARISONS) * 1_000;
            sum = sum * 3 + left.compareTo(right);
        }
        return sum;
    }

    private static int[][] arrays(String[] args) {
        int count = Math.max(1, args.length - 1);
        int[][] arrays = new int[count][];
        for (int i = 0; i < count; i++) {
            arrays[i] = new int[args.length > 1 ? Integer.parseInt(args[i + 1]) : DEFAULT_LENGTH];
            for (int k = 0; k < arrays[i].length; k++) {
                arrays[i][k] = k * 17 % 101;
            }
        }
        return arrays;
    }
}
