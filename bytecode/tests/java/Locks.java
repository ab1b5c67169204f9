/** Methods that hold locks: HotSpot compiles none that an exception could leave with a lock held. */
public final class Locks {
    private static int sum;

    private Locks() {}

    public static void main(String[] arguments) {
        for (int i = 0; i < 1000; i++) {
            sum += branch(i) + loop(i & 7) + nested(i & 7);
        }
        System.out.println("sum " + sum);
    }

    private static int branch(int i) {
        synchronized (Locks.class) {
            if (i > 3) {
                sum += i;
            }
            return sum & 1;
        }
    }

    /** The lock is taken right before a loop begins. */
    private static int loop(int i) {
        int left = i;
        synchronized (Locks.class) {
            while (left > 0) {
                left--;
            }
        }
        return left;
    }

    private static int nested(int i) {
        synchronized (Locks.class) {
            for (int k = 0; k < i; k++) {
                synchronized (Runtime.getRuntime()) {
                    try {
                        if (k == 5) {
                            throw new IllegalStateException();
                        }
                    } catch (IllegalStateException e) {
                        sum--;
                    } finally {
                        sum += 2;
                    }
                }
            }
            return i;
        }
    }
}
