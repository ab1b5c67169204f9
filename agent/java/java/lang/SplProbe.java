package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What the probes in a measured method call. Defined by the agent with the boot loader as its loader, so that every
 * class of every loader resolves it.
 *
 * <p>Everything here works on native memory that the agent maps at start and never unmaps; its layout is in the
 * agent's {@code layout.rs}, and both must agree. The constants below are placeholders that the agent replaces in the
 * constant pool before it defines the class, so that the compilers see the real addresses as constants.
 *
 * <p>The recorder is trace-neutral: it uses intrinsics, native methods and its own fields, and never calls a JDK method
 * with a body outside {@code Unsafe} (which the agent refuses to instrument). It takes no lock, allocates nothing and
 * never blocks.
 */
public final class SplProbe {
    private static final Unsafe U = Unsafe.getUnsafe();

    // Replaced by the agent. Their values only have to be unlike each other and any other constant of this class.
    private static final long GATES = 0x5350_4c00_0000_0001L;
    private static final long BLOCKS = 0x5350_4c00_0000_0002L;

    // The layout, as in layout.rs.
    private static final long THREAD_BLOCKS = 1L << 9;
    private static final long STRIPES = 1L << 6;
    private static final int GATE_SHIFT = 4;
    private static final long GATE_EVERY = 0;
    private static final long GATE_EPOCH = 4;
    private static final long GATE_QUOTA = 8;
    private static final int BLOCK_SHIFT = 18;
    private static final long OWNER = 0;
    private static final long HEAD = 8;
    private static final long DROPPED = 16;
    private static final long RANDOM = 24;
    private static final long TAIL = 64;
    private static final long CELLS = 128;
    private static final int CELL_SHIFT = 4;
    private static final long CELL_DEPTH = 0;
    private static final long CELL_LOST = 2;
    private static final long CELL_EPOCH = 4;
    /** 0 where each call is sampled, else one more than the calls to pass over. */
    private static final long CELL_SKIP = 8;
    private static final long CELL_LEFT = 12;
    private static final long GUARDS = 98304;
    private static final long GUARD_COUNT = 1L << 10;
    private static final long RING = 1L << 17;
    private static final int OWN_SLOT_SHIFT = 5;
    private static final long OWN_SLOTS = 1L << 12;
    private static final int SLOT_SHIFT = 6;
    private static final int SLOT_COUNT_SHIFT = 11;
    private static final long SLOTS = 1L << SLOT_COUNT_SHIFT;
    /** Room left for threads that stand between the check for room and the claim. */
    private static final long MARGIN = SLOTS / 4;
    private static final long START = 0;
    private static final long END = 8;
    private static final long META = 16;
    private static final long SIZE = 24;
    private static final long THREAD = 32;
    private static final long SEQUENCE = 40;

    // A token: valid (bit 30), block (14 bits), depth (16 bits, all ones for unknown).
    private static final int VALID = 1 << 30;
    private static final int TOKEN_BLOCK_SHIFT = 16;
    private static final int TOKEN_BLOCK_MASK = (1 << 14) - 1;
    private static final int DEPTH_UNKNOWN = 0xffff;

    /** In a sample's meta word: the call ended by an exception. */
    private static final long THREW = 1L << 48;

    private static final int PROBES = 4;

    // What a size is of.
    private static final int SHALLOW = 0;
    private static final int DEEP = 1;
    private static final int LENGTH = 2;

    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    /**
     * Exits that could not be recorded, as where the stack has overflowed: the handlers of the measured methods count
     * them, without a call and so without an atomic operation. Any change says that depths may be too large.
     */
    public static int lost;

    private SplProbe() {}

    /** The gate: 0 when this call is not sampled, else a token to be handed to {@link #begin} and {@link #leave}. */
    @ForceInline
    public static int enter(int id) {
        // Both halves at once: what is sampled in the lower one, the epoch in the upper one.
        long gate = U.getLong(GATES + ((long) id << GATE_SHIFT) + GATE_EVERY);
        return (int) gate == 0 ? 0 : open(id, gate);
    }

    /** The start clock, read last before the body; the fence keeps the body's loads behind it. */
    @ForceInline
    public static long begin(int token) {
        if (token == 0) {
            return 0;
        }
        long now = System.nanoTime();
        U.loadFence();
        return now;
    }

    /** The body has returned. */
    @ForceInline
    public static void leave(long start, int token, int id) {
        if (token != 0) {
            record(start, end(), token, id, 0, -1L);
        }
    }

    /** The body has returned, in a method whose workload size is taken. */
    @ForceInline
    public static void leave(long start, int token, int id, long size) {
        if (token != 0) {
            record(start, end(), token, id, 0, size);
        }
    }

    /** The body has thrown. */
    @ForceInline
    public static void thrown(long start, int token, int id) {
        if (token != 0) {
            recordThrown(start, end(), token, id, -1L);
        }
    }

    /** The body has thrown, in a method whose workload size is taken. */
    @ForceInline
    public static void thrown(long start, int token, int id, long size) {
        if (token != 0) {
            recordThrown(start, end(), token, id, size);
        }
    }

    /** {@code sum} and the shallow size of {@code argument} in bytes. */
    @ForceInline
    public static long sizeof(int token, long sum, Object argument) {
        return token == 0 || argument == null ? sum : guarded(token, sum, argument, SHALLOW);
    }

    /** {@code sum} and the bytes of all objects reachable from {@code argument}, each counted once. */
    @ForceInline
    public static long deep(int token, long sum, Object argument) {
        return token == 0 || argument == null ? sum : guarded(token, sum, argument, DEEP);
    }

    /** {@code sum} and the number of elements of {@code argument}. */
    @ForceInline
    public static long length(int token, long sum, Object argument) {
        return token == 0 || argument == null ? sum : guarded(token, sum, argument, LENGTH);
    }

    /** {@code sum} and {@code number}. */
    @ForceInline
    public static long length(int token, long sum, long number) {
        return token == 0 || number <= 0 ? sum : SplSizes.add(sum, Math.min(number, SplProcessors.LABEL - 1));
    }

    /** Room for the arguments of a call, null when it is not sampled or there is none. */
    @ForceInline
    public static Object[] arguments(int token, int count) {
        return token == 0 ? null : room(count);
    }

    @DontInline
    private static Object[] room(int count) {
        try {
            return new Object[count];
        } catch (Throwable e) {
            if (isStop(e)) {
                lost++;
                throw e;
            }
            return null;
        }
    }

    /** Puts a reference argument there. */
    @ForceInline
    public static void argument(Object[] arguments, int index, Object value) {
        if (arguments != null) {
            arguments[index] = value;
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @ForceInline
    public static void argument(Object[] arguments, int index, byte value) {
        Object box = arguments == null ? null : box(arguments, index, Byte.class);
        if (box != null) {
            U.putByte(box, SplJdk.BYTE_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @ForceInline
    public static void argument(Object[] arguments, int index, char value) {
        Object box = arguments == null ? null : box(arguments, index, Character.class);
        if (box != null) {
            U.putChar(box, SplJdk.CHARACTER_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @ForceInline
    public static void argument(Object[] arguments, int index, double value) {
        Object box = arguments == null ? null : box(arguments, index, Double.class);
        if (box != null) {
            U.putDouble(box, SplJdk.DOUBLE_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @ForceInline
    public static void argument(Object[] arguments, int index, float value) {
        Object box = arguments == null ? null : box(arguments, index, Float.class);
        if (box != null) {
            U.putFloat(box, SplJdk.FLOAT_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @ForceInline
    public static void argument(Object[] arguments, int index, int value) {
        Object box = arguments == null ? null : box(arguments, index, Integer.class);
        if (box != null) {
            U.putInt(box, SplJdk.INTEGER_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @ForceInline
    public static void argument(Object[] arguments, int index, long value) {
        Object box = arguments == null ? null : box(arguments, index, Long.class);
        if (box != null) {
            U.putLong(box, SplJdk.LONG_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @ForceInline
    public static void argument(Object[] arguments, int index, short value) {
        Object box = arguments == null ? null : box(arguments, index, Short.class);
        if (box != null) {
            U.putShort(box, SplJdk.SHORT_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @ForceInline
    public static void argument(Object[] arguments, int index, boolean value) {
        Object box = arguments == null ? null : box(arguments, index, Boolean.class);
        if (box != null) {
            U.putBoolean(box, SplJdk.BOOLEAN_VALUE, value);
        }
    }

    /** An object of a wrapper class whose value is still to be set; null when there is no room. */
    @DontInline
    private static Object box(Object[] arguments, int index, Class<?> type) {
        try {
            return arguments[index] = U.allocateInstance(type);
        } catch (InstantiationException e) {
            // It has instances.
            return null;
        } catch (Throwable e) {
            if (isStop(e)) {
                lost++;
                throw e;
            }
            return null;
        }
    }

    /** The size that the method's processor finds: the number of a label, marked; else the default size. */
    @ForceInline
    public static long computed(int token, int id, Class<?> owner, Object self, Object[] arguments) {
        return token == 0 ? 0 : processed(token, id, owner, self, arguments);
    }

    @DontInline
    private static long processed(int token, int id, Class<?> owner, Object self, Object[] arguments) {
        long tid = U.getLong(Thread.currentThread(), TID);
        long guard = guardOf(token, tid);
        long down = down(token, tid);
        if (arguments == null || !U.compareAndSetLong(null, guard, down, tid)) {
            return SplSizes.TRUNCATED;
        }
        try {
            return SplProcessors.size(id, owner, self, arguments);
        } catch (Throwable e) {
            if (isStop(e)) {
                lost++;
                throw e;
            }
            return SplSizes.TRUNCATED;
        } finally {
            U.putLongVolatile(null, guard, down);
        }
    }

    /** Decides whether this call is sampled: guard, 1-in-N, quota; then counts the activation. */
    @ForceInline
    private static int open(int id, long gate) {
        long tid = U.getLong(Thread.currentThread(), TID);
        long index = tid & (THREAD_BLOCKS - 1);
        long block = BLOCKS + (index << BLOCK_SHIFT);
        if (U.getLong(block + OWNER) != ~tid) {
            index = find(tid, index);
            if (index < 0) {
                return 0;
            }
            block = BLOCKS + (index << BLOCK_SHIFT);
        }
        long cell = block + CELLS + ((long) id << CELL_SHIFT);
        if (U.getInt(cell + CELL_EPOCH) != (int) (gate >>> 32)) {
            begin(block, cell, id, gate);
        }
        int wait = U.getInt(cell + CELL_SKIP);
        if (wait > 1) {
            U.putInt(cell + CELL_SKIP, wait - 1);
            return 0;
        }
        int left = U.getInt(cell + CELL_LEFT);
        if (left == 0) {
            return 0;
        }
        U.putInt(cell + CELL_LEFT, left - 1);
        if (wait != 0) {
            U.putInt(cell + CELL_SKIP, 1 + skip(block, (int) gate));
        }
        int token = VALID | (int) index << TOKEN_BLOCK_SHIFT;
        int depth = U.getChar(cell + CELL_DEPTH);
        if (depth != 0 || index >= THREAD_BLOCKS) {
            return token | nested(cell, index, depth);
        }
        U.putChar(cell + CELL_DEPTH, (char) 1);
        return token;
    }

    /** The first call of a method in this block since its gate was opened. */
    @DontInline
    private static void begin(long block, long cell, int id, long gate) {
        int every = (int) gate;
        U.putChar(cell + CELL_DEPTH, (char) 0);
        U.putChar(cell + CELL_LOST, (char) lost);
        U.putInt(cell + CELL_SKIP, every == 1 ? 0 : 1 + skip(block, every));
        U.putInt(cell + CELL_LEFT, U.getInt(GATES + ((long) id << GATE_SHIFT) + GATE_QUOTA));
        U.putInt(cell + CELL_EPOCH, (int) (gate >>> 32));
    }

    /** The depth of a call that does not simply stand at the bottom. */
    @DontInline
    private static int nested(long cell, long index, int depth) {
        // One of the activations may be gone without a trace; 0 is never too large.
        if (index >= THREAD_BLOCKS || (char) lost != U.getChar(cell + CELL_LOST)) {
            return DEPTH_UNKNOWN;
        }
        if (depth < DEPTH_UNKNOWN) {
            U.putChar(cell + CELL_DEPTH, (char) (depth + 1));
        }
        return depth;
    }

    /**
     * How many calls to pass over: uniform in 0..2N-2 (xorshift, Marsaglia 2003), so that one call in N is sampled on
     * average, and periodic call patterns without bias.
     */
    @DontInline
    private static int skip(long block, int every) {
        long x = U.getLong(block + RANDOM);
        if (x == 0) {
            // The generator's one fixed point: seeded by the block's address and the multiplier of Knuth's MMIX.
            x = block * 6364136223846793005L | 1;
        }
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
        U.putLong(block + RANDOM, x);
        return (int) ((x >>> 33) % (2L * every - 1));
    }

    /**
     * The thread's own block, claimed on its first sampled call; a shared stripe when none is free or it is virtual.
     * Negative when the call must not be sampled, because a workload size is being taken in this thread.
     */
    @DontInline
    private static long find(long tid, long home) {
        if (tid == 0) {
            // A thread whose object is still being made (JNI AttachCurrentThread).
            return -1;
        }
        boolean virtual = SplJdk.VIRTUAL != null && SplJdk.VIRTUAL.isInstance(Thread.currentThread());
        for (int i = 0; i < PROBES && !virtual; i++) {
            long index = home + i & (THREAD_BLOCKS - 1);
            long owner = U.getLongVolatile(null, BLOCKS + (index << BLOCK_SHIFT) + OWNER);
            if (owner == ~tid) {
                return index;
            }
            if (owner == tid) {
                return -1;
            }
        }
        for (int i = 0; i < PROBES && !virtual; i++) {
            long index = home + i & (THREAD_BLOCKS - 1);
            long owner = BLOCKS + (index << BLOCK_SHIFT) + OWNER;
            if (U.getLong(owner) == 0 && U.compareAndSetLong(null, owner, 0, ~tid)) {
                return index;
            }
        }
        long index = THREAD_BLOCKS + (tid & (STRIPES - 1));
        return U.getLong(guard(tid, index)) == tid ? -1 : index;
    }

    /** Where a thread's guard stands in a stripe: threads whose ids are less than 65,536 apart are not in each other's way. */
    private static long guard(long tid, long index) {
        return BLOCKS + (index << BLOCK_SHIFT) + GUARDS + ((tid / STRIPES & (GUARD_COUNT - 1)) << 3);
    }

    /** The end clock, read first after the body; the fence keeps the body's loads before it. */
    @ForceInline
    private static long end() {
        U.loadFence();
        return System.nanoTime();
    }

    /** A sample, in the ring of the thread's own block at once. */
    @ForceInline
    private static void record(long start, long end, int token, int id, long threw, long size) {
        long index = token >> TOKEN_BLOCK_SHIFT & TOKEN_BLOCK_MASK;
        int depth = token & DEPTH_UNKNOWN;
        long meta = threw | (long) depth << 32 | id;
        if (index >= THREAD_BLOCKS) {
            shared(index, start, end, meta, size);
            return;
        }
        long block = BLOCKS + (index << BLOCK_SHIFT);
        // Each activation puts back what it found, which also heals what a lost exit within it left behind.
        long cell = block + CELLS + ((long) id << CELL_SHIFT);
        if (U.getChar(cell + CELL_DEPTH) > depth) {
            U.putChar(cell + CELL_DEPTH, (char) depth);
        }
        long head = U.getLong(block + HEAD);
        if (head - U.getLongAcquire(null, block + TAIL) >= OWN_SLOTS) {
            U.putLong(block + DROPPED, U.getLong(block + DROPPED) + 1);
            // What is lost must not use up the quota, or a method that loses much would never reach its limit.
            U.putInt(cell + CELL_LEFT, U.getInt(cell + CELL_LEFT) + 1);
            return;
        }
        long slot = block + RING + ((head & (OWN_SLOTS - 1)) << OWN_SLOT_SHIFT);
        U.putLong(slot + START, start);
        U.putLong(slot + END, end);
        U.putLong(slot + META, meta);
        U.putLong(slot + SIZE, size);
        // The one producer is the block's thread: the head is published after the payload.
        U.putLongRelease(null, block + HEAD, head + 1);
    }

    /** As {@link #record}, not inlined: exceptions are slow anyway, and code that is never run takes room. */
    @DontInline
    private static void recordThrown(long start, long end, int token, int id, long size) {
        record(start, end, token, id, THREW, size);
    }

    /**
     * Many producers: drop before claiming when nearly full, claim, write, publish by sequence number. In lap {@code n}
     * of the ring a slot is free while it holds {@code 2n} and published when it holds {@code 2n + 1}; one that its
     * writer never published stays out of use until it does.
     */
    @DontInline
    private static void shared(long index, long start, long end, long meta, long size) {
        long block = BLOCKS + (index << BLOCK_SHIFT);
        if (U.getLongVolatile(null, block + HEAD) - U.getLongVolatile(null, block + TAIL) >= SLOTS - MARGIN) {
            U.getAndAddLong(null, block + DROPPED, 1);
            return;
        }
        long claim = U.getAndAddLong(null, block + HEAD, 1);
        long slot = block + RING + ((claim & (SLOTS - 1)) << SLOT_SHIFT);
        long free = claim >> SLOT_COUNT_SHIFT << 1;
        if (U.getLongAcquire(null, slot + SEQUENCE) != free) {
            return;
        }
        U.putLong(slot + START, start);
        U.putLong(slot + END, end);
        U.putLong(slot + THREAD, U.getLong(Thread.currentThread(), TID));
        U.putLong(slot + META, meta);
        U.putLong(slot + SIZE, size);
        U.putLongRelease(null, slot + SEQUENCE, free + 1);
    }

    /**
     * Whether it is the program's own, to whom it has to go. The call is not recorded then, so depths below it are not
     * known.
     */
    static boolean isStop(Throwable e) {
        return e.getClass() == SplJdk.THREAD_DEATH && !isThrownBelow(e);
    }

    /**
     * Whether it was made in the course of a call of ours, by the user code that takes a size. One that stops a thread is made
     * in another thread.
     */
    private static boolean isThrownBelow(Throwable e) {
        try {
            for (StackTraceElement frame : e.getStackTrace()) {
                if (frame.getClassName().startsWith("java.lang.Spl")) {
                    return true;
                }
            }
        } catch (Throwable full) {
            // No memory or no stack left to look.
        }
        return false;
    }

    /** Where the guard of a sampled call's thread stands. */
    private static long guardOf(int token, long tid) {
        long index = token >> TOKEN_BLOCK_SHIFT & TOKEN_BLOCK_MASK;
        // In a block of its own it stands in the owner's place, so that the gate need not look twice.
        return index < THREAD_BLOCKS ? BLOCKS + (index << BLOCK_SHIFT) + OWNER : guard(tid, index);
    }

    /** What is there while no size is taken. */
    private static long down(int token, long tid) {
        return (token >> TOKEN_BLOCK_SHIFT & TOKEN_BLOCK_MASK) < THREAD_BLOCKS ? ~tid : 0;
    }

    /**
     * Takes a size with the thread's guard up, so that measured methods which the computation calls record nothing.
     * A size that cannot be taken is marked as truncated: the program must never see why.
     */
    @DontInline
    private static long guarded(int token, long sum, Object argument, int what) {
        long tid = U.getLong(Thread.currentThread(), TID);
        long guard = guardOf(token, tid);
        long down = down(token, tid);
        if (!U.compareAndSetLong(null, guard, down, tid)) {
            return sum | SplSizes.TRUNCATED;
        }
        try {
            return SplSizes.add(
                    sum,
                    what == DEEP
                            ? SplSizes.argument(argument)
                            : what == LENGTH ? SplSizes.length(argument) : SplSizes.shallow(argument));
        } catch (Throwable e) {
            if (isStop(e)) {
                lost++;
                throw e;
            }
            return sum | SplSizes.TRUNCATED;
        } finally {
            U.putLongVolatile(null, guard, down);
        }
    }

    /**
     * Takes every path of the probe so often, open and closed, that the program's first sampled calls find compiled
     * code, and so does the measuring of its cost.
     *
     * @param id a gate that belongs to the agent itself, which takes the samples out
     */
    static void warm(int id, int rounds) {
        long gate = GATES + ((long) id << GATE_SHIFT);
        for (int i = 0; i < rounds; i++) {
            U.putInt(gate + GATE_EVERY, i & 1);
            probe(id);
        }
        for (int i = 0; i < rounds / 10; i++) {
            cost(id, 10);
        }
    }

    /**
     * Measures calls of an empty method with an open gate.
     *
     * @return nanoseconds that all the calls took together
     */
    static long cost(int id, int calls) {
        U.putInt(GATES + ((long) id << GATE_SHIFT) + GATE_EVERY, 1);
        long start = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            probe(id);
        }
        long took = System.nanoTime() - start;
        U.putInt(GATES + ((long) id << GATE_SHIFT) + GATE_EVERY, 0);
        return took;
    }

    /** What the agent weaves around a body, around nothing. */
    @ForceInline
    private static void probe(int id) {
        int token = enter(id);
        long start = begin(token);
        leave(start, token, id);
    }
}
