package java.lang;

/** The methods that the inserted code calls, here with counters instead of a clock. */
public final class SplProbe {
    /** Counts by probe id: entered, left by return, left by exception, last size. */
    public static final long[][] counts = new long[65536][4];
    /** The next recorder call of any kind fails when this is set. */
    public static Error failure;
    /** Exits that could not be recorded. */
    public static int lost;

    private SplProbe() {
    }

    /** Visits of each place, by id of the probe; block numbers are shifted by three. */
    public static final int[][] visits = new int[65536][];

    public static void visit(int id, int place) {
        int[] places = visits[id & 0xffff];
        if (places == null) {
            visits[id & 0xffff] = places = new int[200];
        }
        places[place + 3]++;
    }

    public static int enter(int id) {
        counts[id & 0xffff][0]++;
        return id << 8 | 7;
    }

    public static long begin(int token) {
        return (token & 0xff) == 7 ? 11 : -1;
    }

    public static long sizeof(int token, long sum, Object argument) {
        return sum + (argument == null ? 0 : 100);
    }

    public static long deep(int token, long sum, Object argument) {
        return sum + (argument == null ? 0 : 1000);
    }

    public static long length(int token, long sum, Object argument) {
        return sum + (argument == null ? 0 : 10);
    }

    public static long length(int token, long sum, long number) {
        return sum + number;
    }

    /** The last element is the sum so far. No method is called here, because it could have a probe. */
    public static Object[] arguments(int token, int count) {
        Object[] arguments = new Object[count + 1];
        arguments[count] = new long[1];
        return arguments;
    }

    private static void add(Object[] arguments, long value) {
        ((long[]) arguments[arguments.length - 1])[0] += value;
    }

    public static void argument(Object[] arguments, int index, Object value) {
        arguments[index] = value;
        add(arguments, value == null ? 0 : 10);
    }

    public static void argument(Object[] arguments, int index, byte value) {
        add(arguments, value);
    }

    public static void argument(Object[] arguments, int index, char value) {
        add(arguments, value);
    }

    public static void argument(Object[] arguments, int index, double value) {
        add(arguments, (long) value);
    }

    public static void argument(Object[] arguments, int index, float value) {
        add(arguments, (long) value);
    }

    public static void argument(Object[] arguments, int index, int value) {
        add(arguments, value);
    }

    public static void argument(Object[] arguments, int index, long value) {
        add(arguments, value);
    }

    public static void argument(Object[] arguments, int index, short value) {
        add(arguments, value);
    }

    public static void argument(Object[] arguments, int index, boolean value) {
        add(arguments, value ? 1 : 0);
    }

    /**
     * The sum of the numbers, ten for each other argument, a hundred for an object, a thousand for its class.
     */
    public static long computed(int token, Class<?> owner, Object self, Object[] arguments) {
        return ((long[]) arguments[arguments.length - 1])[0] + (self == null ? 0 : 100) + (owner == null ? 0 : 1000);
    }

    public static void leave(long start, int token) {
        record(start, token, 1, -1);
    }

    public static void leave(long start, int token, long size) {
        record(start, token, 1, size);
    }

    public static void thrown(long start, int token) {
        record(start, token, 2, -1);
    }

    public static void thrown(long start, int token, long size) {
        record(start, token, 2, size);
    }

    private static void record(long start, int token, int how, long size) {
        int id = token >>> 8;
        Error now = failure;
        if (now != null) {
            throw now;
        }
        if (start != 11 || (token & 0xff) != 7) {
            counts[id & 0xffff][0] = -1_000_000;
        }
        counts[id & 0xffff][how]++;
        counts[id & 0xffff][3] = size;
    }
}
