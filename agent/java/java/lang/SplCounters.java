package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Counts edges of methods. The agent defines this class in the boot loader when the first drill begins.
 *
 * <p>Each thread has an arena: one counter for each counted place in any method. A table, found by the thread's
 * id, holds the addresses of the arenas. The agent fills it in before a thread runs its first instruction, and
 * empties it at the thread's end. All other entries lead to one arena for all threads without their own. So there
 * is no branch here: a branch that is never taken would still make the compilers keep the caller's whole state,
 * which costs more than the counting.
 *
 * <p>The table is an array of Java, because compilers know that no count changes it: methods that are compiled in one
 * look at it once.
 *
 * <p>No method here calls a method that a drill changes. Each has the same statement, which the build replaces by an
 * atomic one in the form of this class for virtual threads: such a thread may go on counting in the arena of a carrier
 * that it has left. A common method for it would cost code that the JVM still profiles a sixth more instructions.
 */
public final class SplCounters {
    private static final Unsafe U = Unsafe.getUnsafe();

    // A placeholder that the agent replaces in the constant pool, as in SplProbe: the arena of all threads without their own.
    private static final long SHARED = 0x5350_4c00_0000_0006L;

    /** Entries of the table, less 1. The agent's {@code arenas.rs} has the same number. */
    static final int MASK = (1 << 14) - 1;

    /** The addresses of arenas, by the last bits of threads' ids. The agent changes them. */
    static final long[] ARENAS = new long[MASK + 1];

    static {
        for (int i = 0; i <= MASK; i++) {
            ARENAS[i] = SHARED;
        }
    }

    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    /** Counts for which a stack overflow left no room. The code that could not call counts here by itself. */
    public static int uncounted;

    private SplCounters() {}

    /**
     * Calls all of these, so that they are compiled before a program needs them: compiled code takes little of the stack. Only the agent's
     * thread calls it, in whose arena nobody reads the counters from {@code id} on.
     */
    static void warm(int id, int rounds, long nanoseconds) {
        long began = System.nanoTime();
        for (int round = 0; round < rounds && System.nanoTime() - began < nanoseconds; round++) {
            long address = counted(id);
            count(id);
            here(id);
            hit(address, 0);
            hit1(address);
            hit2(address);
            hit3(address);
            hit4(address);
            hit5(address);
            hit6(address);
            hit7(address);
        }
    }

    /** Counts an entry of a method, and gives the address of the thread's counters of it. */
    @ForceInline
    public static long counted(int id) {
        // From JDK 21 on the agent replaces the name: the carrier of a virtual thread has the arena.
        long tid = U.getLong(Thread.currentThread(), TID);
        long at = ARENAS[(int) tid & MASK] + ((long) id << 3);
        U.putLong(null, at, U.getLong(null, at) + 1);
        return at;
    }

    /** The address of the thread's counters of a method, where the thread counts now. */
    @ForceInline
    public static long here(int id) {
        long tid = U.getLong(Thread.currentThread(), TID);
        return ARENAS[(int) tid & MASK] + ((long) id << 3);
    }

    /** Counts an entry of a method that has no other counter. */
    @ForceInline
    public static void count(int id) {
        counted(id);
    }

    /** Adds 1 to a counter of the method. */
    @ForceInline
    public static void hit(long address, int number) {
        long at = address + ((long) number << 3);
        U.putLong(null, at, U.getLong(null, at) + 1);
    }

    /** Adds 1 to counter 1. */
    @ForceInline
    public static void hit1(long address) {
        long at = address + 8;
        U.putLong(null, at, U.getLong(null, at) + 1);
    }

    /** Adds 1 to counter 2. */
    @ForceInline
    public static void hit2(long address) {
        long at = address + 16;
        U.putLong(null, at, U.getLong(null, at) + 1);
    }

    /** Adds 1 to counter 3. */
    @ForceInline
    public static void hit3(long address) {
        long at = address + 24;
        U.putLong(null, at, U.getLong(null, at) + 1);
    }

    /** Adds 1 to counter 4. */
    @ForceInline
    public static void hit4(long address) {
        long at = address + 32;
        U.putLong(null, at, U.getLong(null, at) + 1);
    }

    /** Adds 1 to counter 5. */
    @ForceInline
    public static void hit5(long address) {
        long at = address + 40;
        U.putLong(null, at, U.getLong(null, at) + 1);
    }

    /** Adds 1 to counter 6. */
    @ForceInline
    public static void hit6(long address) {
        long at = address + 48;
        U.putLong(null, at, U.getLong(null, at) + 1);
    }

    /** Adds 1 to counter 7. */
    @ForceInline
    public static void hit7(long address) {
        long at = address + 56;
        U.putLong(null, at, U.getLong(null, at) + 1);
    }
}
