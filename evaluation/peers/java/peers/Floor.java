package peers;

/** The bodies of {@link Plain} with the least that measuring can cost: two clock reads and a store, written by hand. */
final class Floor {
    // A cache line of its own for each thread's, at any neighbours in memory.
    long p0, p1, p2, p3, p4, p5, p6, p7;
    long took;
    long q0, q1, q2, q3, q4, q5, q6, q7;

    long tiny(long x) {
        long start = System.nanoTime();
        long result = (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
        took = System.nanoTime() - start;
        return result;
    }

    long busy(long x) {
        long start = System.nanoTime();
        for (int i = 0; i < Plain.STEPS; i++) {
            x = (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
        }
        took = System.nanoTime() - start;
        return x;
    }

    long nested(long x, int depth) {
        long start = System.nanoTime();
        long result = depth == 1 ? (x ^ x >>> 7) * 0x9e3779b97f4a7c15L : nested(x, depth - 1);
        took = System.nanoTime() - start;
        return result;
    }
}
