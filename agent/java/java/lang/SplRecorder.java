package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * The methods that {@link SplProbe} calls behind an open gate. The agent defines this class when the first
 * controller connects.
 *
 * <p>Everything here works on native memory that the agent maps at start and never unmaps; its layout is in
 * the agent's {@code layout.rs}, and both must agree. The constants below are placeholders that the agent
 * replaces in the constant pool before it defines the class, so that the compilers see the real addresses as
 * constants.
 *
 * <p>The recorder is trace-neutral: it uses intrinsics, native methods and its own fields, and never calls a
 * JDK method with a body outside {@code Unsafe} (which the agent refuses to instrument). It takes no lock,
 * allocates nothing and never blocks.
 *
 * <p>The processor cannot start a clock read before all earlier instructions are done, so each instruction
 * between two clock reads counts. The usual call (every call sampled, the thread has a block of its own)
 * takes the shortest path, and other calls branch off.
 *
 * <p>Methods that C1 inlines enlarge the frame of the measured method: C1 reserves the operand stacks of the
 * whole chain of inlined methods (HotSpot, {@code FrameMap} and {@code IRScope::max_stack}). With larger
 * frames, a program that recurses safely would overflow its stack. So C1 must inline nothing behind an open
 * gate. C2 has no such rule and must inline the whole usual path. {@link #opened} and {@link #returned}
 * separate the two compilers: they have 32 to 35 bytes of code. C2 inlines methods of up to 35 bytes ({@code
 * MaxInlineSize}). C1 does so in the measured method itself, but inside an inlined method such as those of
 * {@link SplProbe} its limit is nine tenths of that. The methods called by these two may be larger: C2
 * inlines them because they are called each time. Tests check these sizes and the resulting frames.
 */
final class SplRecorder {
    private static final Unsafe U = Unsafe.getUnsafe();

    // Replaced by the agent. The values must differ from each other and from any other constant of this
    // class. No expression may consist of them alone, because javac would replace it by its value.
    private static final long GATES = 0x5350_4c00_0000_0001L;
    private static final long BLOCKS = 0x5350_4c00_0000_0002L;

    // The layout, as in layout.rs.
    private static final long THREAD_BLOCKS = 1L << 9;
    private static final long STRIPES = 1L << 6;
    private static final int GATE_SHIFT = 4;
    private static final long GATE_EVERY = 0;
    private static final long GATE_QUOTA = 8;
    private static final int BLOCK_SHIFT = 18;
    private static final long OWNER = 0;
    private static final long HEAD = 8;
    private static final long DROPPED = 16;
    private static final long RANDOM = 24;
    private static final long TAIL = 64;
    private static final long CELLS = 128;
    private static final int CELL_SHIFT = 4;
    /**
     * The gate's value when the cell was begun, with {@link #UNUSUAL} set if the usual path must not be
     * taken.
     */
    private static final long CELL_GATE = 0;
    private static final long CELL_EPOCH = 4;
    private static final long CELL_DEPTH = 8;
    private static final long CELL_LEFT = 12;
    private static final long SPARES = 65664;
    private static final int SPARE_SHIFT = 3;
    /** 0 if every call is sampled, else one more than the number of calls to skip. */
    private static final long SPARE_SKIP = 0;
    private static final long SPARE_LOST = 4;
    private static final long GUARDS = 98432;
    private static final long GUARD_COUNT = 1L << 10;
    private static final long USED = 98432;
    private static final long RING = 1L << 17;
    private static final int OWN_SLOT_SHIFT = 5;
    private static final long OWN_SLOTS = 1L << 12;
    private static final int SLOT_SHIFT = 6;
    private static final int SLOT_COUNT_SHIFT = 11;
    private static final long SLOTS = 1L << SLOT_COUNT_SHIFT;
    /** Free slots kept for threads between the check for room and the claim. */
    private static final long MARGIN = SLOTS / 4;
    private static final long START = 0;
    private static final long END = 8;
    private static final long META = 16;
    private static final long SIZE = 24;
    private static final long THREAD = 32;
    private static final long SEQUENCE = 40;

    // A token: the block's offset (bits 18 to 27), the method's id (bits 4 to 15), depth (bits 0 to 3; all
    // ones when it is larger or unknown, then the cell holds it). So a token locates the cell, and is never
    // 0: id 0 is unused.
    private static final int TOKEN_BLOCK = (1 << 10) - 1 << BLOCK_SHIFT;
    private static final int TOKEN_STRIPE = (int) THREAD_BLOCKS << BLOCK_SHIFT;
    private static final int TOKEN_CELL = (1 << 12) - 1 << CELL_SHIFT;
    private static final int TOKEN_DEPTH = (1 << CELL_SHIFT) - 1;
    /** In a sample: the depth is unknown. */
    private static final int DEPTH_UNKNOWN = 0xffff;

    /** In a cell: one call in N is sampled, or the block is a stripe. The value is above the largest N. */
    private static final long UNUSUAL = 1L << 31;

    /** In a sample's meta word: the call ended by an exception. */
    private static final long THREW = 1L << 48;

    private static final int PROBES = 4;

    // The kinds of size.
    private static final int SHALLOW = 0;
    private static final int DEEP = 1;
    private static final int LENGTH = 2;

    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    /** Result of the short method that calibrates. */
    private static long work = 1;

    private SplRecorder() {}

    /** The gate is open, or was open a moment ago: {@link #open}. */
    static int opened(int id) {
        long at = ((long) id << GATE_SHIFT) + GATES;
        // Read again instead of passed on: each word of an argument enlarges the frame of the measured
        // method.
        long gate = U.getLong(null, at);
        return (int) gate == 0 ? 0 : open(id, gate);
    }

    /**
     * The body has returned. The clock is read first, after a fence that keeps the body's loads before it.
     */
    static void returned(long start, int token) {
        U.loadFence();
        long end = System.nanoTime();
        long meta = (long) (token & TOKEN_DEPTH) << 32 | token;
        record(start, end, token, meta, -1L);
    }

    /** The body has returned, in a method whose workload size is taken. */
    static void returned(long start, int token, long size) {
        U.loadFence();
        long end = System.nanoTime();
        long meta = (long) (token & TOKEN_DEPTH) << 32 | token;
        record(start, end, token, meta, size);
    }

    /**
     * The body has thrown. Never inlined: exceptions are slow anyway, and code that never runs takes room.
     */
    @DontInline
    static void thrown(long start, int token, long size) {
        U.loadFence();
        long end = System.nanoTime();
        record(start, end, token, THREW | (long) (token & TOKEN_DEPTH) << 32 | token, size);
    }

    @DontInline
    static long sizeof(int token, long sum, Object argument) {
        return guarded(token, sum, argument, SHALLOW);
    }

    @DontInline
    static long deep(int token, long sum, Object argument) {
        return guarded(token, sum, argument, DEEP);
    }

    @DontInline
    static long length(int token, long sum, Object argument) {
        return guarded(token, sum, argument, LENGTH);
    }

    @DontInline
    static long length(long sum, long number) {
        return SplSizes.add(sum, number < SplProcessors.LABEL ? number : SplProcessors.LABEL - 1);
    }

    @DontInline
    static Object[] room(int count) {
        try {
            return new Object[count];
        } catch (Throwable e) {
            if (isStop(e)) {
                SplProbe.lost++;
                throw e;
            }
            return null;
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @DontInline
    static void argument(Object[] arguments, int index, byte value) {
        Object box = box(arguments, index, Byte.class);
        if (box != null) {
            U.putByte(box, SplJdk.BYTE_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @DontInline
    static void argument(Object[] arguments, int index, char value) {
        Object box = box(arguments, index, Character.class);
        if (box != null) {
            U.putChar(box, SplJdk.CHARACTER_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @DontInline
    static void argument(Object[] arguments, int index, double value) {
        Object box = box(arguments, index, Double.class);
        if (box != null) {
            U.putDouble(box, SplJdk.DOUBLE_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @DontInline
    static void argument(Object[] arguments, int index, float value) {
        Object box = box(arguments, index, Float.class);
        if (box != null) {
            U.putFloat(box, SplJdk.FLOAT_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @DontInline
    static void argument(Object[] arguments, int index, int value) {
        Object box = box(arguments, index, Integer.class);
        if (box != null) {
            U.putInt(box, SplJdk.INTEGER_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @DontInline
    static void argument(Object[] arguments, int index, long value) {
        Object box = box(arguments, index, Long.class);
        if (box != null) {
            U.putLong(box, SplJdk.LONG_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @DontInline
    static void argument(Object[] arguments, int index, short value) {
        Object box = box(arguments, index, Short.class);
        if (box != null) {
            U.putShort(box, SplJdk.SHORT_VALUE, value);
        }
    }

    /** Boxes an argument without the wrapper's methods, which may be measured. */
    @DontInline
    static void argument(Object[] arguments, int index, boolean value) {
        Object box = box(arguments, index, Boolean.class);
        if (box != null) {
            U.putBoolean(box, SplJdk.BOOLEAN_VALUE, value);
        }
    }

    /** An uninitialised object of a wrapper class; null when memory is short. */
    @DontInline
    private static Object box(Object[] arguments, int index, Class<?> type) {
        try {
            return arguments[index] = U.allocateInstance(type);
        } catch (InstantiationException e) {
            // Wrapper classes can always be instantiated.
            return null;
        } catch (Throwable e) {
            if (isStop(e)) {
                SplProbe.lost++;
                throw e;
            }
            return null;
        }
    }

    @DontInline
    static long computed(int token, Class<?> owner, Object self, Object[] arguments) {
        long tid = U.getLong(Thread.currentThread(), TID);
        long guard = guardOf(token, tid);
        long down = U.getLong(guard);
        if (arguments == null || !isDown(down, token, tid) || !U.compareAndSetLong(null, guard, down, tid)) {
            return SplSizes.TRUNCATED;
        }
        try {
            return SplProcessors.size((token & TOKEN_CELL) >> CELL_SHIFT, owner, self, arguments);
        } catch (Throwable e) {
            if (isStop(e)) {
                SplProbe.lost++;
                throw e;
            }
            return SplSizes.TRUNCATED;
        } finally {
            U.putLongVolatile(null, guard, down);
        }
    }

    /**
     * Decides whether this call is sampled: guard, 1-in-N, quota. Then counts the activation. Gives the
     * token, or 0.
     */
    private static int open(int id, long gate) {
        long tid = U.getLong(Thread.currentThread(), TID);
        long offset = (tid & (THREAD_BLOCKS - 1)) << BLOCK_SHIFT;
        if (U.getLong(BLOCKS + offset + OWNER) != ~tid) {
            return elsewhere(id, gate, tid);
        }
        long cell = BLOCKS + offset + CELLS + ((long) id << CELL_SHIFT);
        long begun = U.getLong(cell + CELL_GATE);
        if (begun != gate) {
            if (begun == (gate ^ UNUSUAL)) {
                long skip = BLOCKS + offset + SPARES + ((long) id << SPARE_SHIFT) + SPARE_SKIP;
                int wait = U.getInt(skip);
                if (wait > 1) {
                    U.putInt(skip, wait - 1);
                    return 0;
                }
            }
            return seldom(id, gate, offset);
        }
        int left = U.getInt(cell + CELL_LEFT);
        if (left == 0) {
            return 0;
        }
        U.putInt(cell + CELL_LEFT, left - 1);
        int token = (int) offset + (id << CELL_SHIFT);
        int depth = U.getInt(cell + CELL_DEPTH);
        if (depth != 0) {
            return token + nested(id, offset, depth);
        }
        U.putInt(cell + CELL_DEPTH, 1);
        return token;
    }

    /** The slow path: the block is not at the index derived from the thread's id, or is not claimed yet. */
    @DontInline
    private static int elsewhere(int id, long gate, long tid) {
        long index = find(tid, tid & (THREAD_BLOCKS - 1));
        return index < 0 ? 0 : seldom(id, gate, index << BLOCK_SHIFT);
    }

    /** Like {@link #open}, for any block and any cell. */
    @DontInline
    private static int seldom(int id, long gate, long offset) {
        long block = BLOCKS + offset;
        long cell = block + CELLS + ((long) id << CELL_SHIFT);
        long skip = block + SPARES + ((long) id << SPARE_SHIFT) + SPARE_SKIP;
        if (U.getInt(cell + CELL_EPOCH) != (int) (gate >>> 32)) {
            begin(offset, id, gate);
        }
        int wait = U.getInt(skip);
        if (offset >= TOKEN_STRIPE) {
            if (wait != 0 && !isDue(block, skip, (int) gate)) {
                return 0;
            }
            wait = 0;
        } else if (wait > 1) {
            U.putInt(skip, wait - 1);
            return 0;
        }
        int left = U.getInt(cell + CELL_LEFT);
        if (left == 0) {
            return 0;
        }
        U.putInt(cell + CELL_LEFT, left - 1);
        if (wait != 0) {
            U.putInt(skip, 1 + skip(block, (int) gate));
        }
        int token = (int) offset + (id << CELL_SHIFT);
        if (offset >= TOKEN_STRIPE) {
            return token + TOKEN_DEPTH;
        }
        int depth = U.getInt(cell + CELL_DEPTH);
        if (depth != 0) {
            return token + nested(id, offset, depth);
        }
        U.putInt(cell + CELL_DEPTH, 1);
        return token;
    }

    /**
     * Counts a call of one of the threads that share a stripe, and says whether it is the one to sample. The
     * count is atomic. Otherwise threads that end a gap at once would all be sampled, and a thread that
     * stores an old count would shorten the gap.
     */
    private static boolean isDue(long block, long skip, int every) {
        while (true) {
            int wait = U.getIntVolatile(null, skip);
            int next = wait > 1 ? wait - 1 : 1 + skip(block, every);
            if (U.compareAndSetInt(null, skip, wait, next)) {
                return wait <= 1;
            }
        }
    }

    /** Starts the cell at the first call of a method in this block since its gate was opened. */
    private static void begin(long offset, int id, long gate) {
        long block = BLOCKS + offset;
        long cell = block + CELLS + ((long) id << CELL_SHIFT);
        long spare = block + SPARES + ((long) id << SPARE_SHIFT);
        int every = (int) gate;
        use(offset >> BLOCK_SHIFT);
        U.putInt(spare + SPARE_SKIP, every == 1 ? 0 : 1 + skip(block, every));
        U.putChar(spare + SPARE_LOST, (char) SplProbe.lost);
        U.putInt(cell + CELL_DEPTH, 0);
        U.putInt(cell + CELL_LEFT, U.getInt(GATES + ((long) id << GATE_SHIFT) + GATE_QUOTA));
        U.putLong(cell + CELL_GATE, every == 1 && offset < TOKEN_STRIPE ? gate : gate ^ UNUSUAL);
    }

    /** The depth bits of a token for a nested call. */
    @ForceInline
    private static int nested(int id, long offset, int depth) {
        // One of the activations may have ended without a trace; only depth 0 is certain.
        if ((char) SplProbe.lost != U.getChar(BLOCKS + offset + SPARES + ((long) id << SPARE_SHIFT) + SPARE_LOST)) {
            return TOKEN_DEPTH;
        }
        U.putInt(BLOCKS + offset + CELLS + ((long) id << CELL_SHIFT) + CELL_DEPTH, depth + 1);
        return depth < TOKEN_DEPTH ? depth : TOKEN_DEPTH;
    }

    /**
     * Depth of an activation whose token does not hold it; it is also written back into the cell. It is one
     * less than the cell's value if no exit was lost and the gate has not been opened again since.
     */
    @DontInline
    private static long deep(int token) {
        long block = BLOCKS + (token & TOKEN_BLOCK);
        long cell = block + CELLS + (token & TOKEN_CELL);
        int depth = U.getInt(cell + CELL_DEPTH) - 1;
        char lost = U.getChar(block + SPARES + ((token & TOKEN_CELL) >> CELL_SHIFT - SPARE_SHIFT) + SPARE_LOST);
        if (depth < TOKEN_DEPTH || (char) SplProbe.lost != lost) {
            return DEPTH_UNKNOWN;
        }
        U.putInt(cell + CELL_DEPTH, depth);
        return depth < DEPTH_UNKNOWN ? depth : DEPTH_UNKNOWN;
    }

    /**
     * The number of calls to skip: uniform in 0..2N-2 (xorshift, Marsaglia 2003). On average one call in N is
     * sampled, without bias for periodic call patterns.
     */
    @DontInline
    private static int skip(long block, int every) {
        long x = U.getLong(block + RANDOM);
        if (x == 0) {
            // 0 is the generator's only fixed point. The seed comes from the block's address and the
            // multiplier of Knuth's MMIX.
            x = block * 6364136223846793005L | 1;
        }
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
        U.putLong(block + RANDOM, x);
        return (int) ((x >>> 33) % (2L * every - 1));
    }

    /**
     * The thread's own block, claimed at its first sampled call. A virtual thread gets a shared stripe, as
     * does a thread that finds no free block. Negative when the call must not be sampled, because a workload
     * size is being taken in this thread.
     *
     * <p>A thread stays in its stripe: calls that still run may have begun there, and a block of its own
     * would not know of them. A permanent note in the guard's place says so. Threads whose ids are 65,536
     * apart share that place.
     */
    @DontInline
    private static long find(long tid, long home) {
        if (tid == 0) {
            // The thread's object is still under construction (JNI AttachCurrentThread).
            return -1;
        }
        long stripe = THREAD_BLOCKS + (tid & (STRIPES - 1));
        long guard = guard(tid, stripe);
        long noted = U.getLong(guard);
        if (noted == tid) {
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
        if (virtual || noted == ~tid) {
            return stripe;
        }
        if (noted != 0) {
            // Slot in use by a thread whose id differs by a multiple of 65,536. A guard (positive) is
            // temporary: skip this call. A note stays: use the stripe.
            return noted > 0 ? -1 : stripe;
        }
        for (int i = 0; i < PROBES; i++) {
            long index = home + i & (THREAD_BLOCKS - 1);
            long owner = BLOCKS + (index << BLOCK_SHIFT) + OWNER;
            if (U.getLong(owner) == 0 && U.compareAndSetLong(null, owner, 0, ~tid)) {
                use(index);
                return index;
            }
        }
        return U.compareAndSetLong(null, guard, 0, ~tid) ? stripe : -1;
    }

    /**
     * The agent drains the block from here on. A thread's own block is marked when it is claimed, so that it
     * is always freed after the thread's end. A stripe is marked at the first call of each method, so that
     * many threads do not write the same word at each call.
     */
    @ForceInline
    private static void use(long index) {
        U.putLong(BLOCKS + (index << 3) + USED, 1);
    }

    /**
     * Address of a thread's guard in a stripe. Threads with ids less than 65,536 apart have different guards.
     */
    private static long guard(long tid, long index) {
        return BLOCKS + (index << BLOCK_SHIFT) + GUARDS + ((tid / STRIPES & (GUARD_COUNT - 1)) << 3);
    }

    /** Writes a sample into the ring of the thread's own block, or passes it to {@link #shared}. */
    private static void record(long start, long end, int token, long meta, long size) {
        if ((token & TOKEN_STRIPE) != 0) {
            shared(token & TOKEN_BLOCK, start, end, (long) DEPTH_UNKNOWN << 32 | meta, size);
            return;
        }
        long block = BLOCKS + (token & TOKEN_BLOCK);
        long cell = BLOCKS + (token & ~TOKEN_DEPTH) + CELLS;
        // Each activation restores the depth it found, which also corrects the depth after a lost exit within
        // it.
        int depth = token & TOKEN_DEPTH;
        if (depth == 0) {
            U.putInt(cell + CELL_DEPTH, 0);
        } else if (depth == TOKEN_DEPTH) {
            meta = meta & ~((long) DEPTH_UNKNOWN << 32) | deep(token) << 32;
        } else if (U.getInt(cell + CELL_DEPTH) > depth) {
            U.putInt(cell + CELL_DEPTH, depth);
        }
        long head = U.getLong(block + HEAD);
        if (head - U.getLongAcquire(null, block + TAIL) >= OWN_SLOTS) {
            U.putLong(block + DROPPED, U.getLong(block + DROPPED) + 1);
            // Lost samples must not use up the quota, or a method that loses many would never reach its
            // limit.
            U.putInt(cell + CELL_LEFT, U.getInt(cell + CELL_LEFT) + 1);
            return;
        }
        long slot = block + RING + ((head & (OWN_SLOTS - 1)) << OWN_SLOT_SHIFT);
        U.putLong(slot + START, start);
        U.putLong(slot + END, end);
        U.putLong(slot + META, meta);
        U.putLong(slot + SIZE, size);
        // The block's thread is the only producer. The head is published after the payload.
        U.putLongRelease(null, block + HEAD, head + 1);
    }

    /**
     * Many producers: drop before claiming when nearly full, claim, write, publish by sequence number. In lap
     * {@code n} of the ring a slot is free while it holds {@code 2n} and published when it holds {@code 2n +
     * 1}. A slot that was never published stays out of use until its writer publishes it.
     */
    @DontInline
    private static void shared(long offset, long start, long end, long meta, long size) {
        long block = BLOCKS + offset;
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
     * Whether the program stops the thread with this exception, which must then reach the program. The call
     * is not recorded then, so depths below it are unknown.
     */
    static boolean isStop(Throwable e) {
        return e.getClass() == SplJdk.THREAD_DEATH && !isThrownBelow(e);
    }

    /**
     * Whether user code that computes a size created the exception. {@code Thread.stop} creates its exception
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
            // No memory or no stack is left to look.
        }
        return false;
    }

    /**
     * Address of the guard of a sampled call's thread. While a size is taken it holds the thread's id; else
     * it is at most 0.
     */
    private static long guardOf(int token, long tid) {
        long offset = token & TOKEN_BLOCK;
        // In a thread's own block the guard is the owner word, so that the gate reads only one word.
        return offset < TOKEN_STRIPE ? BLOCKS + offset + OWNER : guard(tid, offset >> BLOCK_SHIFT);
    }

    private static boolean isDown(long guard, int token, long tid) {
        return (token & TOKEN_STRIPE) == 0 ? guard == ~tid : guard <= 0;
    }

    /**
     * Takes a size with the thread's guard up, so that measured methods which the computation calls record
     * nothing. A size that cannot be taken is marked as truncated: the program must never see why.
     */
    @DontInline
    private static long guarded(int token, long sum, Object argument, int what) {
        long tid = U.getLong(Thread.currentThread(), TID);
        long guard = guardOf(token, tid);
        long down = U.getLong(guard);
        if (!isDown(down, token, tid) || !U.compareAndSetLong(null, guard, down, tid)) {
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
                SplProbe.lost++;
                throw e;
            }
            return sum | SplSizes.TRUNCATED;
        } finally {
            U.putLongVolatile(null, guard, down);
        }
    }

    /**
     * Runs every path of the probe this number of rounds, open and closed. The program's first sampled calls
     * then find compiled code, and so does the calibration.
     *
     * @param id a gate that belongs to the agent itself, which discards the samples
     */
    static void warm(int id, int rounds) {
        long gate = GATES + ((long) id << GATE_SHIFT);
        for (int i = 0; i < rounds; i++) {
            U.putInt(gate + GATE_EVERY, i & 1);
            work = probe(id, work);
        }
        for (int i = 0; i < rounds / 10; i++) {
            cost(id, 10);
        }
    }

    /**
     * Measures calls of a short method with an open gate. Around nothing at all the two clock reads take less than around any
     * method.
     *
     * @return nanoseconds that all the calls took together
     */
    static long cost(int id, int calls) {
        U.putInt(GATES + ((long) id << GATE_SHIFT) + GATE_EVERY, 1);
        long x = work;
        long start = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            x = probe(id, x);
        }
        long took = System.nanoTime() - start;
        work = x;
        U.putInt(GATES + ((long) id << GATE_SHIFT) + GATE_EVERY, 0);
        return took;
    }

    /** The same probes that the agent weaves around a body, here around one of five cycles that no compiler can shorten. */
    @ForceInline
    private static long probe(int id, long x) {
        int token = SplProbe.enter(id);
        long start = SplProbe.begin(token);
        x = (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
        SplProbe.leave(start, token);
        return x;
    }
}
