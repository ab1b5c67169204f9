/**
 * Calls whose durations have known relations: recursion of depth 10 with the same work on each level, an exception, a method that
 * calls another one, and a recursion that ends by a stack overflow.
 */
public final class Durations {
    static volatile long sink;

    private Durations() {}

    public static void main(String[] args) {
        int turns = Integer.parseInt(args[0]);
        for (int turn = 0; turn < turns; turn++) {
            down(10);
            calls();
            try {
                fails();
            } catch (IllegalStateException expected) {
                sink++;
            }
        }
        int overflows = args.length > 2 ? Integer.parseInt(args[2]) : args.length - 1;
        for (int overflow = 0; overflow < overflows; overflow++) {
            try {
                endless(0);
            } catch (StackOverflowError expected) {
                calls();
            }
        }
        System.out.println("done");
    }

    /** 11 activations, each with its own work. */
    static void down(int depth) {
        work();
        if (depth > 0) {
            down(depth - 1);
        }
    }

    /** Work of about a microsecond, of which the compilers leave all. */
    static void work() {
        long value = sink;
        for (int turn = 0; turn < 400; turn++) {
            value = value * 6364136223846793005L + 1442695040888963407L;
        }
        sink = value;
    }

    static void calls() {
        called();
        called();
    }

    static void called() {
        sink++;
    }

    static void fails() {
        called();
        throw new IllegalStateException();
    }

    static long endless(int depth) {
        called();
        return depth + endless(depth + 1);
    }
}
