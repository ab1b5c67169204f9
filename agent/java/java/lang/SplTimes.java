package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Adds up the time of calls in a drill: of a method with what it calls, and its own. The agent defines this class in the boot loader
 * when the first drill begins.
 *
 * <p>A thread keeps a stack of the measured calls that are under way, in its arena. At its end a call adds its time to its method,
 * and to the call below it as that one's callees'. A call that ends takes its own place off the stack, and with it the places of calls
 * that never ended, as after a stack overflow.
 *
 * <p>Only a thread that is alone at its entry of the table has times. A virtual thread has none, because it may go on in another
 * carrier. Calls without times are counted.
 */
public final class SplTimes {
    private static final Unsafe U = Unsafe.getUnsafe();

    // Placeholders that the agent replaces in the constant pool, as in SplProbe: the table of threads with an arena, and the arena of
    // all threads without their own.
    private static final long ENTRIES = 0x5350_4c00_0000_0004L;
    private static final long SHARED = 0x5350_4c00_0000_0006L;

    /** Entries of the table, less 1. The agent's {@code arenas.rs} has the same number. */
    private static final long MASK = (1 << 14) - 1;

    /** Binary logarithm of the bytes of an entry: the thread's id, its own arena, and more that is not for here. */
    private static final int ENTRY = 8;

    /** Words of a method, in bytes. Rust's {@code arena.rs} has the same order. */
    private static final long CALLS = 0;

    private static final long OUTERMOST = 8;
    private static final long TOTAL = 16;
    private static final long OWN = 24;
    private static final long NESTED = 32;
    private static final long CALLED = 40;
    private static final long ACTIVE = 48;
    private static final long UNTIMED = 56;

    /** Places in an arena, in bytes: what lies on the stack, what a probe costs, and the stack. */
    private static final long TOP = (1 << 24) - 32;

    private static final long INSIDE = (1 << 24) - 40;
    private static final long OUTSIDE = (1 << 24) - 48;
    /** In the arena of all threads without their own: the clock when the drill began. */
    private static final long BEGAN = (1 << 24) - 56;
    private static final long STACK = (1 << 24) - (1 << 12) - (1 << 21);

    /** Bytes of a call on the stack, and of all calls; the first place belongs to what is below all calls. */
    private static final long FRAME = 64;

    private static final long DEEPEST = (1 << 20) - 2 * FRAME;

    /** Words of a call there, in bytes. */
    private static final long START = 0;

    private static final long CALLEES = 8;
    private static final long PROBES = 16;
    private static final long CALLEE_COUNT = 24;
    /** The method's number, twice, and 1 more if a call of the method was under way. */
    private static final long BEFORE = 32;
    private static final long ARENA = 40;
    /** With four clocks a call: the time of the probe at the start, and that of the probes in all calls below. */
    private static final long ENTERING = 48;

    private static final long PROBED = 56;

    /** Calls of a batch when a probe's cost is measured. */
    private static final int BATCH = 10_000;

    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    private SplTimes() {}

    /** The call begins; the clock is read last. Gives its place on the stack, 0 if it has none. */
    @ForceInline
    public static long enter(int id) {
        long frame = push(id);
        if (frame != 0) {
            U.putLong(null, frame + START, System.nanoTime());
            U.loadFence();
        }
        return frame;
    }

    /** The call ends; the clock is read first. */
    @ForceInline
    public static void leave(long frame, int id) {
        if (frame != 0) {
            long elapsed = System.nanoTime() - U.getLong(null, frame + START);
            takeOff(frame, id, elapsed);
            addUp(frame, id, elapsed, 0);
        }
    }

    /** As {@link #enter}, with a clock at the probe's start and one at its end. */
    @ForceInline
    public static long enterFour(int id) {
        long began = System.nanoTime();
        long frame = push(id);
        if (frame != 0) {
            long now = System.nanoTime();
            U.putLong(null, frame + ENTERING, now - began);
            U.putLong(null, frame + START, now);
            U.loadFence();
        }
        return frame;
    }

    /** As {@link #leave}, with a clock at the probe's start and one at its end. */
    @ForceInline
    public static void leaveFour(long frame, int id) {
        if (frame != 0) {
            long ended = System.nanoTime();
            long probe = U.getLong(null, frame + ENTERING);
            long elapsed = ended - U.getLong(null, frame + START);
            takeOff(frame, id, elapsed + probe);
            addUp(frame, id, elapsed, U.getLong(null, frame + PROBED));
            long below = frame - FRAME;
            long leaving = System.nanoTime() - ended;
            add(below + CALLEES, leaving);
            add(below + PROBED, U.getLong(null, frame + PROBED) + probe + leaving);
        }
    }

    private static long push(int id) {
        long tid = U.getLong(Thread.currentThread(), TID);
        long entry = ENTRIES + ((tid & MASK) << ENTRY);
        long method = (long) id << 3;
        if (U.getLong(null, entry) != tid) {
            add(SHARED + method + UNTIMED, 1);
            return 0;
        }
        long arena = U.getLong(null, entry + 8);
        long top = U.getLong(null, arena + TOP);
        if (top > DEEPEST) {
            add(arena + method + UNTIMED, 1);
            return 0;
        }
        long frame = arena + STACK + FRAME + top;
        clear(frame);
        U.putLong(null, frame + PROBED, 0);
        U.putLong(null, frame + BEFORE, (long) id << 1 | U.getLong(null, arena + method + ACTIVE));
        U.putLong(null, frame + ARENA, arena);
        // The place is taken only now: a call that the stack has no room for leaves none that is half written.
        U.putLong(null, arena + TOP, top + FRAME);
        U.putLong(null, arena + method + ACTIVE, 1);
        return frame;
    }

    /**
     * Takes the call off the stack, and gives its time, {@code whole}, to the call below. There are no methods between the statements: the
     * start of the call took more of the thread's stack than this does, so no place stays behind where the rest overflows it.
     */
    @ForceInline
    private static void takeOff(long frame, int id, long whole) {
        long arena = U.getLong(null, frame + ARENA);
        long place = frame - arena - STACK - FRAME;
        long top = U.getLong(null, arena + TOP);
        if (top != place + FRAME) {
            takeLost(arena, frame, top);
        }
        long below = frame - FRAME;
        U.putLong(null, below + CALLEES, U.getLong(null, below + CALLEES) + whole);
        U.putLong(null, below + PROBES, U.getLong(null, below + PROBES) + U.getLong(null, frame + PROBES) + 1);
        U.putLong(null, below + CALLEE_COUNT, U.getLong(null, below + CALLEE_COUNT) + 1);
        U.putLong(null, arena + ((long) id << 3) + ACTIVE, U.getLong(null, frame + BEFORE) & 1);
        U.putLong(null, arena + TOP, place);
    }

    /**
     * Adds the call to its method; {@code probed} is the time of probes that was measured in it. A stack overflow may end this anywhere.
     * So the own time comes after the total: then own times never add up to more than the time that passed.
     */
    private static void addUp(long frame, int id, long elapsed, long probed) {
        // Not a sum of constants, which the compiler would write as one: the agent would not find its placeholder.
        long shared = SHARED;
        if (U.getLong(null, frame + START) - U.getLong(null, shared + BEGAN) < 0) {
            // The call began in an earlier drill.
            return;
        }
        long at = U.getLong(null, frame + ARENA) + ((long) id << 3);
        if ((U.getLong(null, frame + BEFORE) & 1) == 0) {
            add(at + TOTAL, elapsed - probed);
            add(at + NESTED, U.getLong(null, frame + PROBES));
            add(at + OUTERMOST, 1);
        }
        add(at + OWN, elapsed - U.getLong(null, frame + CALLEES));
        add(at + CALLED, U.getLong(null, frame + CALLEE_COUNT));
        add(at + CALLS, 1);
    }

    /**
     * Takes calls off that never ended, or whose end overflowed the stack, from the top down to that of {@code frame}. Their methods are
     * not under way any more. Calls meanwhile, by them or after them, were made within the call of {@code frame}.
     */
    private static void takeLost(long arena, long frame, long top) {
        for (long lost = arena + STACK + top; lost > frame; lost -= FRAME) {
            long before = U.getLong(null, lost + BEFORE);
            U.putLong(null, arena + (before >>> 1 << 3) + ACTIVE, before & 1);
            add(frame + CALLEES, U.getLong(null, lost + CALLEES));
            add(frame + PROBES, U.getLong(null, lost + PROBES));
            add(frame + CALLEE_COUNT, U.getLong(null, lost + CALLEE_COUNT));
            clear(lost);
        }
    }

    /** No callees. */
    private static void clear(long frame) {
        U.putLong(null, frame + CALLEES, 0);
        U.putLong(null, frame + PROBES, 0);
        U.putLong(null, frame + CALLEE_COUNT, 0);
    }

    private static void add(long at, long more) {
        U.putLong(null, at, U.getLong(null, at) + more);
    }

    /**
     * Measures what a probe costs, in picoseconds a call: the part within the time that it takes, and the part outside. The
     * quickest batch counts. Only the agent's thread calls it, whose arena nobody reads.
     */
    static void calibrate(int id, boolean four, long nanoseconds) {
        long tid = U.getLong(Thread.currentThread(), TID);
        long entry = ENTRIES + ((tid & MASK) << ENTRY);
        if (U.getLong(null, entry) != tid) {
            return;
        }
        long arena = U.getLong(null, entry + 8);
        // Not a sum of constants, which the compiler would write as one: the agent would not find its placeholder.
        long shared = SHARED;
        long own = arena + ((long) id << 3) + OWN;
        long below = arena + STACK;
        long began = System.nanoTime();
        U.putLong(null, shared + BEGAN, began);
        long quickest = Long.MAX_VALUE;
        do {
            long ownBefore = U.getLong(null, own);
            long belowBefore = U.getLong(null, below + CALLEES);
            long start = System.nanoTime();
            if (four) {
                empty4(id);
            } else {
                empty2(id);
            }
            long took = System.nanoTime() - start;
            if (took < quickest) {
                quickest = took;
                long inside = U.getLong(null, own) - ownBefore;
                long seen = U.getLong(null, below + CALLEES) - belowBefore;
                U.putLong(null, shared + INSIDE, inside * 1000 / BATCH);
                U.putLong(null, shared + OUTSIDE, Math.max(0, took - seen) * 1000 / BATCH);
            }
        } while (System.nanoTime() - began < nanoseconds);
    }

    private static void empty2(int id) {
        for (int call = 0; call < BATCH; call++) {
            leave(enter(id), id);
        }
    }

    private static void empty4(int id) {
        for (int call = 0; call < BATCH; call++) {
            leaveFour(enterFour(id), id);
        }
    }
}
