package java.lang;

/**
 * Follows calls that count apart, for tests of the code that calls it: the first counter is the number of calls under way, and a
 * thousand for each end of a call that was not the last one to begin.
 */
public final class SplRoots {
    private static long open;

    private SplRoots() {}

    public static long enter(int root) {
        SplCounters.COUNTS[0]++;
        return ++open;
    }

    public static void leave(long token) {
        SplCounters.COUNTS[0] += token == open ? -1 : 1000;
        open = token - 1;
    }
}
