package bench;

/**
 * Numeric kernels, and the same with the counters of a drill written by hand: each inner class {@code Floor…} adds to a static
 * field on the edges outside the heaviest spanning tree of the method, which is where a drill counts. That is the least that
 * exact counts of all blocks cost.
 */
final class Kernels {
    private Kernels() {}

    /** a·x + y over arrays, which the compiler turns into vector instructions. */
    static final class Axpy implements Workload {
        private final float[] x = filled();
        private final float[] y = new float[x.length];

        @Override
        public long turn() {
            for (int turn = 0; turn < 2000; turn++) {
                add(1e-3f * turn, x, y, turn == 0 ? 0 : 1);
            }
            return (long) sum(y);
        }

        private static void add(float a, float[] x, float[] y, float keep) {
            for (int at = 0; at < x.length; at++) {
                y[at] = keep * y[at] + a * x[at];
            }
        }
    }

    /** {@link Axpy} with counters. */
    static final class FloorAxpy implements Workload {
        static long entered;
        static long inner;
        private final float[] x = filled();
        private final float[] y = new float[x.length];

        @Override
        public long turn() {
            for (int turn = 0; turn < 2000; turn++) {
                add(1e-3f * turn, x, y, turn == 0 ? 0 : 1);
            }
            return (long) sum(y);
        }

        private static void add(float a, float[] x, float[] y, float keep) {
            entered++;
            for (int at = 0; at < x.length; at++) {
                y[at] = keep * y[at] + a * x[at];
                inner++;
            }
        }
    }

    /** A product of matrices. */
    static final class Matrix implements Workload {
        private static final int N = 160;

        @Override
        public long turn() {
            double[] a = new double[N * N];
            double[] b = new double[N * N];
            for (int at = 0; at < a.length; at++) {
                a[at] = at % 17;
                b[at] = at % 13;
            }
            return (long) (multiply(a, b)[N + 3] + multiply(b, a)[5 * N]);
        }

        private static double[] multiply(double[] a, double[] b) {
            double[] c = new double[N * N];
            for (int row = 0; row < N; row++) {
                for (int column = 0; column < N; column++) {
                    double sum = 0;
                    for (int at = 0; at < N; at++) {
                        sum += a[row * N + at] * b[at * N + column];
                    }
                    c[row * N + column] = sum;
                }
            }
            return c;
        }
    }

    /** {@link Matrix} with counters. */
    static final class FloorMatrix implements Workload {
        private static final int N = Matrix.N;
        static long entered;
        static long rows;
        static long columns;
        static long inner;

        @Override
        public long turn() {
            double[] a = new double[N * N];
            double[] b = new double[N * N];
            for (int at = 0; at < a.length; at++) {
                a[at] = at % 17;
                b[at] = at % 13;
                inner++;
            }
            return (long) (multiply(a, b)[N + 3] + multiply(b, a)[5 * N]);
        }

        private static double[] multiply(double[] a, double[] b) {
            entered++;
            double[] c = new double[N * N];
            for (int row = 0; row < N; row++) {
                rows++;
                for (int column = 0; column < N; column++) {
                    columns++;
                    double sum = 0;
                    for (int at = 0; at < N; at++) {
                        sum += a[row * N + at] * b[at * N + column];
                        inner++;
                    }
                    c[row * N + column] = sum;
                }
            }
            return c;
        }
    }

    /** The sieve of Eratosthenes: short loops and a branch. */
    static final class Sieve implements Workload {
        private static final int N = 1_000_000;

        @Override
        public long turn() {
            return count(new boolean[N]) + count(new boolean[N]);
        }

        private static int count(boolean[] composite) {
            int primes = 0;
            for (int at = 2; at < N; at++) {
                if (!composite[at]) {
                    primes++;
                    for (long other = (long) at * at; other < N; other += at) {
                        composite[(int) other] = true;
                    }
                }
            }
            return primes;
        }
    }

    /** {@link Sieve} with counters. */
    static final class FloorSieve implements Workload {
        private static final int N = Sieve.N;
        static long entered;
        static long composites;
        static long primes;
        static long inner;

        @Override
        public long turn() {
            return count(new boolean[N]) + count(new boolean[N]);
        }

        private static int count(boolean[] composite) {
            entered++;
            int found = 0;
            for (int at = 2; at < N; at++) {
                if (!composite[at]) {
                    found++;
                    for (long other = (long) at * at; other < N; other += at) {
                        composite[(int) other] = true;
                        inner++;
                    }
                    primes++;
                } else {
                    composites++;
                }
            }
            return found;
        }
    }

    /** Collatz sequences: a chain of divisions and a branch that nobody foresees. */
    static final class Collatz implements Workload {
        @Override
        public long turn() {
            long steps = 0;
            for (int start = 1; start < 40_000; start++) {
                steps += length(start);
            }
            return steps;
        }

        private static int length(long number) {
            int steps = 0;
            while (number != 1) {
                if ((number & 1) == 0) {
                    number /= 2;
                } else {
                    number = 3 * number + 1;
                }
                steps++;
            }
            return steps;
        }
    }

    /** {@link Collatz} with counters. */
    static final class FloorCollatz implements Workload {
        static long starts;
        static long entered;
        static long even;
        static long odd;

        @Override
        public long turn() {
            long steps = 0;
            for (int start = 1; start < 40_000; start++) {
                steps += length(start);
                starts++;
            }
            return steps;
        }

        private static int length(long number) {
            entered++;
            int steps = 0;
            while (number != 1) {
                if ((number & 1) == 0) {
                    number /= 2;
                    even++;
                } else {
                    number = 3 * number + 1;
                    odd++;
                }
                steps++;
            }
            return steps;
        }
    }

    private static float[] filled() {
        float[] values = new float[20_000];
        for (int at = 0; at < values.length; at++) {
            values[at] = at % 100;
        }
        return values;
    }

    private static float sum(float[] values) {
        float sum = 0;
        for (float value : values) {
            sum += value;
        }
        return sum;
    }
}
