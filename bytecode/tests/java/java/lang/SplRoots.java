package java.lang;

/**
 * Follows calls that count apart, for tests of the code that calls it: the first counter is the number of calls under way, and a
 * thousand for each end of a call that was not the last one to begin, and for each one with a strange token or size.
 */
public final class SplRoots {
    private static long open;

    private SplRoots() {}

    public static long begin(int root) {
        return 100L + root;
    }

    public static long length(long token, long sum, Object argument) {
        return length(token, sum, argument instanceof int[] ? ((int[]) argument).length : 0);
    }

    public static long length(long token, long sum, long number) {
        check(token >= 100 && sum >= 0);
        return sum + (number < 0 ? 0 : number);
    }

    public static long enter(int root, long token, long size, int id) {
        SplCounters.COUNTS[0]++;
        check(token == 100L + root && size >= -1 && id >= -1);
        return ++open;
    }

    private static void check(boolean holds) {
        if (!holds) {
            SplCounters.COUNTS[0] += 1000;
        }
    }

    public static void leave(long token) {
        SplCounters.COUNTS[0] += token == open ? -1 : 1000;
        open = token - 1;
    }
}
