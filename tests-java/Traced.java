/** Calls, loops and exceptions in every form that a trace has to tell: a segment for each, by one thread and by several. */
public final class Traced {
    private static final class E extends RuntimeException {
        private static final long serialVersionUID = 1;

        E() {
            super(null, null, false, false);
        }
    }

    private static class Base {
        final int kept;

        Base(int value) {
            if (value % 3 == 0) {
                throw new E();
            }
            kept = value;
        }
    }

    private static final class Derived extends Base {
        Derived(int value) {
            super(checked(value));
        }

        int get() {
            return kept;
        }
    }

    private static final class Late {
        static final int VALUE = fib(5);
    }

    private int caught;
    private int sum;

    private Traced() {}

    private static int checked(int value) {
        if (value % 5 == 0) {
            throw new E();
        }
        return value;
    }

    /** Two handlers of one method straddle a call: an exception of the first call passes, one of the second is caught. */
    void f(int depth) {
        if (depth == 0) {
            throw new E();
        }
        h(depth & 1, depth);
        try {
            k(1 - (depth & 1), depth);
        } catch (E e) {
            caught++;
        }
    }

    private void h(int which, int depth) {
        if (which == 1) {
            f(depth - 1);
        }
    }

    private void k(int which, int depth) {
        if (which == 1) {
            f(depth - 1);
        }
    }

    private static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    private static int ackermann(int m, int n) {
        if (m == 0) {
            return n + 1;
        }
        // Not a return of the call's result: a JVM that steps through code says nothing of a return to the place of the last step.
        int result = n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
        return result;
    }

    private int collatz(int from) {
        int steps = 0;
        for (long at = from; at != 1; steps++) {
            at = at % 2 == 0 ? at / 2 : 3 * at + 1;
        }
        return steps;
    }

    @SuppressWarnings("fallthrough")
    private int cases(int value) {
        switch (value % 7) {
            case 0:
                return 1;
            case 1:
            case 2:
                sum++;
            case 3:
                sum += 2;
                break;
            case 5:
                throw new E();
            default:
                sum--;
        }
        synchronized (this) {
            sum += value;
        }
        return 2;
    }

    private int nested(int[] numbers) {
        int found = 0;
        for (int i = 0; i < numbers.length + 1; i++) {
            try {
                try {
                    found += 100 / numbers[i];
                } catch (ArithmeticException e) {
                    found += numbers[i + 1];
                } finally {
                    found++;
                }
            } catch (ArrayIndexOutOfBoundsException e) {
                found += 1000;
            }
        }
        return found;
    }

    private int made(int value) {
        try {
            return new Derived(value).get();
        } catch (E e) {
            return -1;
        }
    }

    private int all(int turns) {
        int result = fib(10) + ackermann(2, 3) + collatz(27);
        for (int turn = 0; turn < turns; turn++) {
            try {
                f(9 + turn % 3);
            } catch (E e) {
                result++;
            }
            try {
                result += cases(turn);
            } catch (E e) {
                result += 5;
            }
            result += made(turn) + nested(new int[] {1, 0, turn % 2, 3});
        }
        return result + Late.VALUE + sum + caught;
    }

    /** Arguments: turns, threads, and how to end: nothing, exit, halt or forever. */
    public static void main(String[] arguments) throws InterruptedException {
        int turns = Integer.parseInt(arguments[0]);
        Thread[] threads = new Thread[Integer.parseInt(arguments[1])];
        int[] results = new int[threads.length];
        for (int place = 0; place < threads.length; place++) {
            int mine = place;
            threads[place] = new Thread(() -> results[mine] = new Traced().all(turns));
            threads[place].start();
        }
        int result = new Traced().all(turns);
        for (Thread thread : threads) {
            thread.join();
        }
        for (int other : results) {
            result += other;
        }
        System.out.println(result);
        String end = arguments.length > 2 ? arguments[2] : "";
        if (end.equals("halt")) {
            Runtime.getRuntime().halt(3);
        } else if (end.equals("forever")) {
            while (true) {
                new Traced().all(1);
            }
        }
    }
}
