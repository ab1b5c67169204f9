/**
 * Overflows small stacks, and counts what {@code finally} and {@code catch} do on the way out: each handler has to run whole, however
 * little of the stack is left.
 *
 * <p>Argument: rounds. To drill: all methods.
 */
public final class Unwinds {

    private static final long STACK_BYTES = 256 * 1024;

    private int depth;
    private int entered;
    private final int[] cells = new int[8];

    private Unwinds() {}

    public static void main(String[] args) throws InterruptedException {
        int[] skipped = new int[4];
        for (int round = 0; round < Integer.parseInt(args[0]); round++) {
            for (int kind = 0; kind < skipped.length; kind++) {
                Unwinds one = new Unwinds();
                int which = kind;
                Thread thread = new Thread(null, () -> skipped[which] += one.overflows(which), "small stack", STACK_BYTES);
                thread.start();
                thread.join();
            }
        }
        System.out.println("skipped: finally " + skipped[0] + ", loop in finally " + skipped[1] + ", catch " + skipped[2]
                + ", lock " + skipped[3]);
    }

    /** Whether a handler did not run whole. */
    private int overflows(int kind) {
        try {
            switch (kind) {
                case 0:
                    counts();
                    break;
                case 1:
                    loops();
                    break;
                case 2:
                    return catches(0) == -1 ? 0 : 1;
                default:
                    locks();
                    break;
            }
        } catch (Throwable overflow) {
            if (kind == 2) {
                return 1;
            }
        }
        for (int cell : cells) {
            if (kind == 1 && cell != entered) {
                return 1;
            }
        }
        return depth == 0 && !Thread.holdsLock(this) ? 0 : 1;
    }

    private void counts() {
        depth++;
        try {
            counts();
        } finally {
            depth--;
        }
    }

    private void loops() {
        entered++;
        try {
            loops();
        } finally {
            for (int i = 0; i < cells.length; i++) {
                cells[i]++;
            }
        }
    }

    /** Each call has a handler, but only the innermost one that can is to catch. */
    private int catches(int level) {
        try {
            return catches(level + 1);
        } catch (StackOverflowError overflow) {
            return -1;
        }
    }

    private void locks() {
        synchronized (this) {
            depth++;
            try {
                locks();
            } finally {
                depth--;
            }
        }
    }
}
