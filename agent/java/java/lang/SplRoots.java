package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Lets the calls of some methods, the roots, count apart. The agent defines this class in the boot loader when the first such
 * drill begins.
 *
 * <p>A thread that enters a root is led to another arena, and so are the methods that the root calls; at the root's end the
 * thread is led back. A call within another root's call belongs to that one. Only a thread that is alone at its entry of the
 * table has arenas for roots, soon after it asks for them. A virtual thread has none, because it may go on in another carrier.
 *
 * <p>Calls whose workload size is large may have an arena of their own. The size is a sum of lengths; no code of the program runs for
 * it, and what the JDK runs for it counts where nobody looks. A call whose size is not known goes with the small ones.
 *
 * <p>The agent writes to the table, too. Each change here expects what it replaces, so that the agent's change stays.
 */
public final class SplRoots {
    private static final Unsafe U = Unsafe.getUnsafe();

    // Placeholders that the agent replaces in the constant pool, as in SplProbe: the table of the roots' arenas, and
    // the first of these. No other arena has a higher address.
    private static final long ROOTS = 0x5350_4c00_0000_0004L;
    private static final long FIRST = 0x5350_4c00_0000_0005L;
    /** Another placeholder: an arena that nobody reads. */
    private static final long NOBODYS = 0x5350_4c00_0000_0007L;

    /** Entries of both tables, less 1. The agent's {@code arenas.rs} has the same number. */
    private static final long MASK = (1 << 14) - 1;

    /** Binary logarithm of the bytes of an entry: the thread's id, its own arena, and one for each root. */
    private static final int ENTRY = 8;

    /** Place in an entry where a thread asks for arenas of roots. */
    private static final long WANTS = 8 * (2 + 28);

    /** Place of the facts about roots behind the entries. */
    private static final long FACTS = 1 << (14 + 8);

    /** Binary logarithm of the bytes of a root's facts: the size from which on a call is large, and the word in an entry of these. */
    private static final int FACT = 4;

    /** Largest size. */
    private static final long MOST = 1L << 61;

    /** Place of the sizes in a root's arena: for each number of bits the calls and the sum of their sizes. */
    private static final long SIZES = (1 << 24) - (1 << 12);

    /** Place of the counter of a root's calls in its arena, in bytes. */
    private static final long CALLS = (1 << 24) - 8;

    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    /** Bytes in front of the elements of an array of {@code long}. */
    private static final long ELEMENTS = elements();

    private SplRoots() {}

    /** Looks for them: the method of {@code Unsafe} has another result from JDK 25 on. Reads nothing outside an array. */
    private static long elements() {
        long[] some = new long[8];
        for (long at = 0; at <= 32; at += 8) {
            long before = U.getLong(some, at);
            some[0]++;
            if (U.getLong(some, at) == before + 1) {
                return at;
            }
        }
        throw new InternalError();
    }

    /** The arena of the root, if the thread can count there: a token for the others. Else 0. */
    @ForceInline
    public static long begin(int root) {
        long tid = U.getLong(Thread.currentThread(), TID);
        long entry = ROOTS + ((tid & MASK) << ENTRY);
        // The rest of the entry is read after this: processors with a weak order, and compilers, could read it before.
        if (U.getLongAcquire(null, entry) != tid) {
            return 0;
        }
        long apart = U.getLong(null, entry + 16 + ((long) root << 3));
        if (apart == 0) {
            U.putLong(null, entry + WANTS, 1);
            return 0;
        }
        // Within another root's call, or within the computation of a size, nothing begins.
        return SplCounters.ARENAS[(int) tid & SplCounters.MASK] == U.getLong(null, entry + 8) ? apart : 0;
    }

    /** {@code sum} and the length of {@code argument}; negative if it is not known. */
    @ForceInline
    public static long length(long token, long sum, Object argument) {
        return token == 0 || sum < 0 || argument == null ? sum : counted(sum, argument);
    }

    /** {@code sum} and {@code number}. */
    @ForceInline
    public static long length(long token, long sum, long number) {
        return token == 0 || sum < 0 || number <= 0 ? sum : add(sum, number);
    }

    private static long add(long sum, long length) {
        return length < MOST && sum + length < MOST ? sum + length : MOST;
    }

    /** Takes a length while the thread counts where nobody looks. The program must never see why it cannot be taken. */
    @DontInline
    private static long counted(long sum, Object argument) {
        long tid = U.getLong(Thread.currentThread(), TID);
        long own = SplCounters.ARENAS[(int) tid & SplCounters.MASK];
        if (!lead(tid, own, NOBODYS)) {
            return -1;
        }
        try {
            long length = SplLengths.of(argument);
            return length == SplLengths.UNKNOWN ? -1 : add(sum, length);
        } catch (Throwable e) {
            if (SplRecorder.isStop(e)) {
                throw e;
            }
            return -1;
        } finally {
            lead(tid, NOBODYS, own);
        }
    }

    /**
     * Lets the thread count in an arena of the root, and the method's entry too, which was counted in the thread's own one. Gives the
     * thread's own arena, or 0 if it goes on as before.
     *
     * @param token the arena of calls that are not large
     * @param size negative if it is not known
     * @param id of the method's entry; negative if its own code counts on in the thread's own arena
     */
    @ForceInline
    public static long enter(int root, long token, long size, int id) {
        if (token == 0) {
            return 0;
        }
        long tid = U.getLong(Thread.currentThread(), TID);
        long entry = ROOTS + ((tid & MASK) << ENTRY);
        long own = U.getLong(null, entry + 8);
        long apart = token;
        // Not `ROOTS + FACTS`: javac would replace both placeholder and sum by one constant.
        long fact = ROOTS + (((long) root << FACT) + FACTS);
        if (size >= U.getLong(null, fact)) {
            apart = U.getLong(null, entry + (U.getLong(null, fact + 8) << 3));
        }
        if (apart == 0 || own == 0 || !lead(tid, own, apart)) {
            return 0;
        }
        U.putLong(null, apart + CALLS, U.getLong(null, apart + CALLS) + 1);
        if (id >= 0) {
            long from = own + ((long) id << 3);
            U.putLong(null, from, U.getLong(null, from) - 1);
            long to = apart + ((long) id << 3);
            U.putLong(null, to, U.getLong(null, to) + 1);
        }
        if (size >= 0) {
            note(apart, size);
        }
        return own;
    }

    /** Notes the size of a call. No method of the JDK is called: it may count. */
    private static void note(long apart, long size) {
        int bits = 0;
        for (long rest = size; rest != 0; rest >>= 1) {
            bits++;
        }
        long at = apart + SIZES + ((long) bits << 4);
        U.putLong(null, at, U.getLong(null, at) + 1);
        U.putLong(null, at + 8, U.getLong(null, at + 8) + size);
    }

    /** Leads the thread back to its own arena, which {@code enter} gave, unless the agent has done so. */
    @ForceInline
    public static void leave(long own) {
        if (own != 0) {
            long tid = U.getLong(Thread.currentThread(), TID);
            long apart = SplCounters.ARENAS[(int) tid & SplCounters.MASK];
            if (apart >= FIRST) {
                lead(tid, apart, own);
            }
        }
    }

    /** Leads a thread to another arena, unless the agent has led it elsewhere. */
    @ForceInline
    private static boolean lead(long tid, long from, long to) {
        return U.compareAndSetLong(SplCounters.ARENAS, ELEMENTS + ((tid & MASK) << 3), from, to);
    }
}
