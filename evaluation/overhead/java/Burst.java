/** One way of calling a body that takes about two nanoseconds: a chain of five cycles that no compiler can shorten. */
abstract class Burst {
    /** Calls the body `count` times, each time with the last result. */
    abstract long calls(long x, int count);

    /** Without probe, and in a class that is never touched. */
    static final class Never extends Burst {
        @Override
        long calls(long x, int count) {
            for (int i = 0; i < count; i++) {
                x = body(x);
            }
            return x;
        }

        private static long body(long x) {
            return (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
        }
    }

    /** The measured one of the two equal methods. */
    static final class Probed extends Burst {
        @Override
        long calls(long x, int count) {
            for (int i = 0; i < count; i++) {
                x = body(x);
            }
            return x;
        }

        private static long body(long x) {
            return (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
        }
    }

    /** The least that measuring can cost: two clock reads and a store. */
    static final class Floor extends Burst {
        // A cache line of its own for each thread, at any neighbours in memory.
        long p0, p1, p2, p3, p4, p5, p6, p7;
        long took;
        long q0, q1, q2, q3, q4, q5, q6, q7;

        @Override
        long calls(long x, int count) {
            for (int i = 0; i < count; i++) {
                x = body(x);
            }
            return x;
        }

        private long body(long x) {
            long start = System.nanoTime();
            long result = (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
            took = System.nanoTime() - start;
            return result;
        }
    }
}
