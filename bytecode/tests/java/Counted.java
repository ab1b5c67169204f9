/** Methods of which it is known how often each of their blocks runs. Prints the counters that are not 0. */
public class Counted {
    private int calls;

    public static void main(String[] args) throws Exception {
        Counted one = new Counted(args.length > 0 ? args.length : 0);
        one.foo();
        fib(20);
        ackermann(2, 3);
        collatz(27);
        int[] numbers = new int[100];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = numbers.length - i;
        }
        sort(numbers);
        multiply(30);
        sevenths(1000);
        try {
            straddle(9);
        } catch (IllegalStateException e) {
            // The innermost call throws, and one on the way.
        }
        for (int i = -2; i < 8; i++) {
            table(i);
            lookup(i * 1000);
        }
        new Inner(3);
        new Inner(-3);
        for (int i = 0; i < 5; i++) {
            finallyReturns(i);
        }
        long[] counts = (long[]) Class.forName("java.lang.SplCounters").getField("COUNTS").get(null);
        byte[] flags = (byte[]) Class.forName("java.lang.SplFlags").getField("SET").get(null);
        counts = counts.clone();
        flags = flags.clone();
        for (int i = 0; i < counts.length; i++) {
            if ((counts[i] | flags[i]) != 0) {
                System.out.println(i + " " + (counts[i] | flags[i]));
            }
        }
    }

    private Counted(int calls) {
        this.calls = calls;
    }

    /** Of the paper of JBInsTrace, figure 3. */
    private void foo() {
        int i = 0;
        while (i < 100) {
            if (i >= 50) {
                a();
                b(i);
            }
            i++;
        }
    }

    private void a() {
        calls++;
    }

    private void b(int i) {
        calls += i;
    }

    private static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    private static int ackermann(int m, int n) {
        if (m == 0) {
            return n + 1;
        }
        return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
    }

    private static int collatz(long n) {
        int steps = 0;
        while (n != 1) {
            if ((n & 1) == 0) {
                n /= 2;
            } else {
                n = 3 * n + 1;
            }
            steps++;
        }
        return steps;
    }

    private static void sort(int[] a) {
        for (int end = a.length - 1; end > 0; end--) {
            for (int i = 0; i < end; i++) {
                if (a[i] > a[i + 1]) {
                    int held = a[i];
                    a[i] = a[i + 1];
                    a[i + 1] = held;
                }
            }
        }
    }

    private static double[][] multiply(int n) {
        double[][] a = new double[n][n];
        double[][] b = new double[n][n];
        double[][] c = new double[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++) {
                    sum += a[i][k] * b[k][j];
                }
                c[i][j] = sum;
            }
        }
        return c;
    }

    private static int sevenths(int turns) {
        int caught = 0;
        for (int i = 1; i <= turns; i++) {
            try {
                thrower(i);
            } catch (IllegalArgumentException e) {
                caught++;
            }
        }
        return caught;
    }

    private static void thrower(int i) {
        if (i % 7 == 0) {
            throw new IllegalArgumentException();
        }
    }

    private static int caught;

    private static void straddle(int d) {
        if (d == 0) {
            throw new IllegalStateException();
        }
        first(d & 1, d);
        try {
            second(1 - (d & 1), d);
        } catch (IllegalStateException e) {
            caught++;
        }
    }

    private static void first(int does, int d) {
        if (does == 1) {
            straddle(d - 1);
        }
    }

    private static void second(int does, int d) {
        if (does == 1) {
            straddle(d - 1);
        }
    }

    private static int table(int i) {
        switch (i) {
            case 0:
                return 1;
            case 1:
            case 2:
                i += 10;
                break;
            case 3:
                i += 20;
            case 4:
                i += 30;
                break;
            default:
                i = -1;
        }
        return i;
    }

    private static int lookup(int i) {
        switch (i) {
            case -1000:
                return 7;
            case 1000:
            case 5000:
                return 8;
            default:
                return 9;
        }
    }

    private static int finallyReturns(int i) {
        synchronized (Counted.class) {
            try {
                if (i == 3) {
                    throw new IllegalStateException();
                }
                return i;
            } catch (IllegalStateException e) {
                return -1;
            } finally {
                caught++;
            }
        }
    }

    /** A constructor with branches before that of its superclass. */
    private static final class Inner extends Counted {
        Inner(int n) {
            super(n > 0 ? n : -n);
        }
    }
}
