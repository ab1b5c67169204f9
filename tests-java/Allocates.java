import java.lang.management.ManagementFactory;

/**
 * Makes objects and arrays of all kinds in one thread, and says how many bytes the JVM counted for it meanwhile.
 */
public final class Allocates {
    static Object kept;

    static class Empty {}

    static class Full {
        final long l = 1;
        final byte b = 2;
        final Object o = null;
    }

    /** An array is made before the constructor of the class above runs. */
    static class Early extends Full {
        final int length;

        Early(int n) {
            this(new long[n], new Object[n][2]);
        }

        Early(long[] longs, Object[][] objects) {
            super();
            length = longs.length + objects.length;
        }
    }

    static int negative(int n) {
        try {
            return new int[n].length;
        } catch (NegativeArraySizeException e) {
            return -1;
        }
    }

    static int[][][] nested(int a, int b, int c) {
        return new int[a][b][c];
    }

    static int work(int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            int n = i & 63;
            kept = new Empty();
            kept = new Full();
            kept = new boolean[n];
            kept = new byte[n];
            kept = new char[n];
            kept = new short[n];
            kept = new int[n];
            kept = new float[n];
            kept = new long[n];
            kept = new double[n];
            kept = new String[n];
            kept = new byte[i][];
            kept = new short[n & 3][n & 7];
            kept = new Object[n & 3][n & 1][];
            kept = nested(n & 1, n & 3, n & 7);
            sum += new Early(n).length;
        }
        return sum;
    }

    public static void main(String[] arguments) {
        System.out.println("ready");
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        work(1);
        threads.getThreadAllocatedBytes(id);
        long before = threads.getThreadAllocatedBytes(id);
        int sum = work(1000);
        long after = threads.getThreadAllocatedBytes(id);
        long nothing = threads.getThreadAllocatedBytes(id) - after;
        System.out.println("bytes " + (after - before - nothing) + " " + negative(-sum));
    }
}
