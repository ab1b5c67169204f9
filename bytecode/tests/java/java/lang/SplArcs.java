package java.lang;

/** Follows what calls tell, for tests of the code that calls it: nothing is counted. */
public final class SplArcs {
    private static final long ARENA = 7;

    private static long called;

    private SplArcs() {}

    public static long arena() {
        return ARENA;
    }

    public static long arena(long counters, int id) {
        return ARENA;
    }

    public static void calling(long arena, int number, int member) {
        check(arena);
        called = number;
    }

    public static long entered(long arena, int id, int member) {
        check(arena);
        return called;
    }

    public static long entered(long arena, int id, int member, Object receiver) {
        check(arena);
        return receiver == null ? -1 : called;
    }

    public static void returned(long arena, long before) {
        check(arena);
        called = before;
    }

    public static void receiver(Object receiver, long arena, int number) {
        check(arena);
        if (number <= 0) {
            throw new IllegalArgumentException();
        }
    }

    public static void known(Object receiver, long arena, int number) {
        receiver(receiver, arena, number);
    }

    public static void array(int length, long arena, int number, int elements) {
        check(arena);
        if (length < 0 || number <= 0 || elements < 0 || elements > 4) {
            throw new IllegalArgumentException();
        }
    }

    public static void arrays(Object outermost, long arena, int number, int elements, int levels) {
        check(arena);
        if (!outermost.getClass().isArray() || number <= 0 || elements < 0 || elements > 4 || levels < 2) {
            throw new IllegalArgumentException();
        }
    }

    private static void check(long arena) {
        if (arena != ARENA) {
            throw new IllegalArgumentException("not what `arena` gave: " + arena);
        }
    }
}
