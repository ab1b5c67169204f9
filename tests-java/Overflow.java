/**
 * Shows a stack overflow inside a measured method: the {@code StackOverflowError} is the program's own,
 * reaches its {@code catch}, and afterwards the same methods work as before.
 *
 * <p>Arguments: [rounds]. To measure: {@code plunge(I)I}, {@code guarded(I)I} and {@code sum(I)I}.
 */
public final class Overflow {

    /** Small, so that a round is short even when it is interpreted. */
    private static final long STACK_BYTES = 256 * 1024;
    /** Fewer frames than any JVM fits into that stack. */
    private static final int FEWEST_FRAMES = 100;

    private int deepest;
    private boolean unwound;

    private Overflow() {}

    public static void main(String[] args) throws InterruptedException {
        Life life = Life.start(args);
        String report = "";
        while (life.wantsRound()) {
            report = onSmallStack();
            life.check(report);
        }
        Life.say(report);
        life.end();
    }

    private static String onSmallStack() throws InterruptedException {
        String[] report = new String[1];
        Thread thread = new Thread(null, () -> report[0] = new Overflow().round(), "small stack", STACK_BYTES);
        thread.start();
        thread.join();
        return report[0];
    }

    private String round() {
        return "plunge: " + seen(false) + "\nguarded: " + seen(true) + ", unwound: " + unwound + "\nsum after: " + sum(10);
    }

    private String seen(boolean guarded) {
        deepest = 0;
        try {
            return "returned " + (guarded ? guarded(0) : plunge(0));
        } catch (StackOverflowError own) {
            return own.getClass().getName() + ", message " + own.getMessage() + ", cause " + own.getCause()
                    + ", deep enough: " + (deepest >= FEWEST_FRAMES);
        }
    }

    /** Overflows the stack. */
    int plunge(int depth) {
        deepest = depth;
        return plunge(depth + 1) + 1;
    }

    /** Overflows in a callee and cleans up. */
    int guarded(int depth) {
        unwound = false;
        try {
            return plunge(depth);
        } finally {
            unwound = true;
        }
    }

    /** Shallow and harmless: shows that measuring goes on. */
    int sum(int n) {
        return n == 0 ? 0 : n + sum(n - 1);
    }
}
