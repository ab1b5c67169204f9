package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Lets the calls of some methods, the roots, count apart. The agent defines this class in the boot loader when the first such
 * drill begins.
 *
 * <p>A thread that enters a root is led to another arena, and so are the methods that the root calls; at the root's end the
 * thread is led back. A call within another root's call belongs to that one. Only a thread that is alone at its entry of the
 * table has arenas for roots, soon after it asks for them. A virtual thread has none, because it may go on in another carrier.
 *
 * <p>The agent writes to the table, too. Each change here expects what it replaces, so that the agent's change stays.
 */
public final class SplRoots {
    private static final Unsafe U = Unsafe.getUnsafe();

    // Placeholders that the agent replaces in the constant pool, as in SplProbe: the table of arenas, that of the roots' arenas, and
    // the first of these. No other arena has a higher address.
    private static final long TABLE = 0x5350_4c00_0000_0003L;
    private static final long ROOTS = 0x5350_4c00_0000_0004L;
    private static final long FIRST = 0x5350_4c00_0000_0005L;

    /** Entries of both tables, less 1. The agent's {@code arenas.rs} has the same number. */
    private static final long MASK = (1 << 14) - 1;

    /** Binary logarithm of the bytes of an entry: the thread's id, its own arena, and one for each root. */
    private static final int ENTRY = 8;

    /** Place in an entry where a thread asks for arenas of roots. */
    private static final long WANTS = 8 * (2 + 28);

    /** Place of the counter of a root's calls in its arena, in bytes. */
    private static final long CALLS = (1 << 24) - 8;

    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    private SplRoots() {}

    /** Lets the thread count in the root's arena. Gives its own arena, or 0 if it goes on as before. */
    @ForceInline
    public static long enter(int root) {
        long tid = U.getLong(Thread.currentThread(), TID);
        long entry = ROOTS + ((tid & MASK) << ENTRY);
        // The rest of the entry is read after this: processors with a weak order, and compilers, could read it before.
        if (U.getLongAcquire(null, entry) != tid) {
            return 0;
        }
        long own = U.getLong(null, entry + 8);
        long apart = U.getLong(null, entry + 16 + ((long) root << 3));
        if (apart == 0) {
            U.putLong(null, entry + WANTS, 1);
            return 0;
        }
        if (!U.compareAndSetLong(null, TABLE + ((tid & MASK) << 3), own, apart)) {
            return 0;
        }
        U.putLong(null, apart + CALLS, U.getLong(null, apart + CALLS) + 1);
        return own;
    }

    /** Leads the thread back to its own arena, which {@code enter} gave, unless the agent has done so. */
    @ForceInline
    public static void leave(long own) {
        if (own != 0) {
            long at = TABLE + ((U.getLong(Thread.currentThread(), TID) & MASK) << 3);
            long apart = U.getLong(null, at);
            if (apart >= FIRST) {
                U.compareAndSetLong(null, at, apart, own);
            }
        }
    }
}
