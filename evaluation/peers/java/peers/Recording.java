package peers;

/**
 * The bodies of {@link Plain} with the least that keeping each call can cost, written by hand for one thread's own object: two clock
 * reads, the number of calls below this one, and a record of the call in a ring. There is no gate, and nobody empties the ring.
 */
final class Recording {
    /** Words of a record, of which start, end and calls below are used. */
    private static final int WORDS = 4;
    private static final int RECORDS = 1 << 12;
    private final long[] ring = new long[WORDS * RECORDS];
    // A cache line of its own for each thread's, at any neighbours in memory.
    long p0, p1, p2, p3, p4, p5, p6, p7;
    private int below;
    private int head;
    long q0, q1, q2, q3, q4, q5, q6, q7;

    private void keep(long start, int level) {
        long end = System.nanoTime();
        below = level;
        int at = WORDS * (head++ & RECORDS - 1);
        ring[at] = start;
        ring[at + 1] = end;
        ring[at + 2] = level;
    }

    long tiny(long x) {
        int level = below;
        below = level + 1;
        long start = System.nanoTime();
        long result = (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
        keep(start, level);
        return result;
    }

    long busy(long x) {
        int level = below;
        below = level + 1;
        long start = System.nanoTime();
        for (int i = 0; i < Plain.STEPS; i++) {
            x = (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
        }
        keep(start, level);
        return x;
    }

    long nested(long x, int depth) {
        int level = below;
        below = level + 1;
        long start = System.nanoTime();
        long result = depth == 1 ? (x ^ x >>> 7) * 0x9e3779b97f4a7c15L : nested(x, depth - 1);
        keep(start, level);
        return result;
    }
}
