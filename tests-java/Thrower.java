import java.util.Arrays;
import java.util.StringJoiner;

/**
 * Shows methods that end by exception: thrown by the method itself and by its callees, caught inside, passing
 * a {@code finally}, a monitor and a constructor. Prints the program's view of each, including stack and line
 * numbers.
 *
 * <p>Arguments: [rounds]. To measure: {@code deep(I)I}, {@code caught(I)I}, {@code cleaned(I)I}, {@code
 * locked(I)I} and {@code Thrower$Part.<init>(I)V}.
 */
public final class Thrower {

    private static final int[] DEPTHS = {0, 1, 2, 10};

    private int cleanups;

    private Thrower() {}

    public static void main(String[] args) {
        Life life = Life.start(args);
        String report = "";
        while (life.wantsRound()) {
            report = told();
            life.check(report);
        }
        Life.say(report);
        life.end();
    }

    /**
     * Report of a round. HotSpot loses the lines of a running call when its class is changed: then the round
     * is repeated.
     */
    private static String told() {
        String report = new Thrower().round();
        for (int again = 0; again < 5 && report.contains(" line -1,"); again++) {
            report = new Thrower().round();
        }
        return report;
    }

    private String round() {
        StringJoiner report = new StringJoiner("\n");
        for (int depth : DEPTHS) {
            report.add("deep " + depth + ": " + seen(() -> deep(depth)));
            report.add("caught " + depth + ": " + caught(depth));
            report.add("cleaned " + depth + ": " + seen(() -> cleaned(depth)) + ", cleanups " + cleanups);
            report.add("locked " + depth + ": " + seen(() -> locked(depth)) + ", lock held: " + Thread.holdsLock(this));
            report.add("part " + depth + ": " + seen(() -> new Part(depth).depth));
        }
        return report.toString();
    }

    /** Calls itself {@code depth} times and throws at the bottom. */
    int deep(int depth) {
        if (depth == 0) {
            throw new IllegalStateException("bottom");
        }
        return deep(depth - 1) + 1;
    }

    /** Returns normally, although a callee throws. */
    int caught(int depth) {
        try {
            return deep(depth);
        } catch (IllegalStateException expected) {
            return -depth;
        }
    }

    /** Lets the exception pass through a {@code finally}. */
    int cleaned(int depth) {
        try {
            return deep(depth);
        } finally {
            cleanups++;
        }
    }

    /** Throws while it holds its monitor. */
    synchronized int locked(int depth) {
        return deep(depth);
    }

    /** An object whose constructor throws after {@code super()}. */
    static final class Part {
        final int depth;

        Part(int depth) {
            this.depth = depth;
            if (depth % 2 == 0) {
                throw new IllegalArgumentException("even part");
            }
        }
    }

    private interface Work {
        int run();
    }

    private static String seen(Work work) {
        try {
            return "returned " + work.run();
        } catch (RuntimeException thrown) {
            StackTraceElement[] trace = thrown.getStackTrace();
            StackTraceElement top = trace[0];
            long own = Arrays.stream(trace).filter(frame -> frame.getMethodName().equals("deep")).count();
            return thrown.getClass().getSimpleName() + " \"" + thrown.getMessage() + "\" at " + top.getMethodName()
                    + " line " + top.getLineNumber() + ", " + own + " deep frames, suppressed " + thrown.getSuppressed().length;
        }
    }
}
