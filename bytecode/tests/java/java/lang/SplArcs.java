package java.lang;

/** Follows what calls tell, for tests of the code that calls it: nothing is counted. */
public final class SplArcs {
    private static long called;

    private SplArcs() {}

    public static void calling(int number, int member) {
        called = number;
    }

    public static long entered(int id, int member) {
        return called;
    }

    public static long entered(int id, int member, Object receiver) {
        return receiver == null ? -1 : called;
    }

    public static void returned(long before) {
        called = before;
    }

    public static void array(int length, int number, int elements) {
        if (length < 0 || number <= 0 || elements < 0 || elements > 4) {
            throw new IllegalArgumentException();
        }
    }

    public static void arrays(Object outermost, int number, int elements, int levels) {
        if (!outermost.getClass().isArray() || number <= 0 || elements < 0 || elements > 4 || levels < 2) {
            throw new IllegalArgumentException();
        }
    }
}
