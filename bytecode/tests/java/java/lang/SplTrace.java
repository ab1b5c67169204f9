package java.lang;

/** Follows the activations that begin and end, for tests of the code that calls it: nothing is traced. */
public final class SplTrace {
    private static long depth;

    private SplTrace() {}

    public static long enter(int id) {
        return ++depth;
    }

    public static void single(int id) {}

    public static long guarded(int id) {
        return depth + 1;
    }

    public static void seg(long token, int number) {
        depth = token;
    }

    public static void ret(long token, int number) {
        depth = token - 1;
    }

    public static void caught(long token, int block, int number) {
        depth = token;
    }

    public static void thrown(long token, int number) {
        depth = token - 1;
    }
}
