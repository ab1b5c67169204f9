package java.lang;

/** Follows the activations that begin and end, for tests of the code that calls it: nothing is traced. */
public final class SplTrace {
    private static long depth;

    public static int uncounted;

    private SplTrace() {}

    public static long enter(int id) {
        return ++depth;
    }

    public static long within(int id, int of) {
        return ++depth;
    }

    public static void withinRet(long token, int number) {
        depth = token - 1;
    }

    public static void withinThrown(long token, int number) {
        depth = token - 1;
    }

    public static void place() {}

    public static void place(long token) {}

    public static void receiver(Object self, int id) {}

    public static void single(int id) {}

    public static void mark() {}

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
