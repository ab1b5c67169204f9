package java.lang;

/**
 * Counts in an array, for tests of the code that calls it. An address is the place of a method's first counter. Places
 * beyond the array, in tests that only link classes, fall on others.
 */
public final class SplCounters {
    public static final long[] COUNTS = new long[1 << 16];

    public static int uncounted;

    private SplCounters() {}

    public static long counted(int id) {
        COUNTS[id & COUNTS.length - 1]++;
        return id;
    }

    public static long here(int id) {
        return id;
    }

    public static void count(int id) {
        COUNTS[id & COUNTS.length - 1]++;
    }

    public static void hit1(long address) {
        hit(address, 1);
    }

    public static void hit2(long address) {
        hit(address, 2);
    }

    public static void hit3(long address) {
        hit(address, 3);
    }

    public static void hit4(long address) {
        hit(address, 4);
    }

    public static void hit5(long address) {
        hit(address, 5);
    }

    public static void hit6(long address) {
        hit(address, 6);
    }

    public static void hit7(long address) {
        hit(address, 7);
    }

    public static void hit(long address, int number) {
        COUNTS[(int) address + number & COUNTS.length - 1]++;
    }
}
