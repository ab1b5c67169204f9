package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * What {@link SplProbe} calls behind an open gate. Defined by the agent when the first controller comes.
 *
 * <p>Everything here works on native memory that the agent maps at start and never unmaps; its layout is in the
 * agent's {@code layout.rs}, and both must agree. The constants below are placeholders that the agent replaces in the
 * constant pool before it defines the class, so that the compilers see the real addresses as constants.
 *
 * <p>The recorder is trace-neutral: it uses intrinsics, native methods and its own fields, and never calls a JDK method
 * with a body outside {@code Unsafe} (which the agent refuses to instrument). It takes no lock, allocates nothing and
 * never blocks.
 *
 * <p>The processor cannot begin a clock read before all that stands before it is done: each instruction between two of them
 * counts. So the usual call (each one sampled, a block of the thread's own) has the shortest way, and others turn off it.
 *
 * <p>What C1 inlines makes the frame of the measured method larger: it reserves the operand stacks of the whole chain of
 * inlined methods (HotSpot, {@code FrameMap} and {@code IRScope::max_stack}). With larger frames a program overflows its
 * stack that recurses safely. So C1 must inline nothing behind an open gate, and C2, which has no such rule, all that the
 * usual call runs through. {@link #opened} and {@link #returned} part the two: they have 32 to 35 bytes of code. C2 inlines
 * methods of up to 35 bytes ({@code MaxInlineSize}); C1 does so in the measured method itself, but in a method that it inlines
 * there, as those of {@link SplProbe}, only nine tenths of that. What the two call may be larger: C2 inlines it because it
 * is called each time. Tests look at these sizes and at the frames that come of them.
 */
final class SplRecorder {
    private static final Unsafe U = Unsafe.getUnsafe();

    // Replaced by the agent. Their values only have to be unlike each other and any other constant of this class; and no
    // expression may be made of them alone, which javac would replace by its value.
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
    /** The gate as it was when the cell was begun, with {@link #UNUSUAL} where the usual way is not for it. */
    private static final long CELL_GATE = 0;
    private static final long CELL_EPOCH = 4;
    private static final long CELL_DEPTH = 8;
    private static final long CELL_LEFT = 12;
    private static final long SPARES = 65664;
    private static final int SPARE_SHIFT = 3;
    /** 0 where each call is sampled, else one more than the calls to pass over. */
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
    /** Room left for threads that stand between the check for room and the claim. */
    private static final long MARGIN = SLOTS / 4;
    private static final long START = 0;
    private static final long END = 8;
    private static final long META = 16;
    private static final long SIZE = 24;
    private static final long THREAD = 32;
    private static final long SEQUENCE = 40;

    // A token: where the block begins (bits 18 to 27), the method's id (bits 4 to 15), depth (bits 0 to 3, all ones when it is
    // larger or unknown: the cell has it then). So it says where the cell lies, and is never 0: id 0 is nobody's.
    private static final int TOKEN_BLOCK = (1 << 10) - 1 << BLOCK_SHIFT;
    private static final int TOKEN_STRIPE = (int) THREAD_BLOCKS << BLOCK_SHIFT;
    private static final int TOKEN_CELL = (1 << 12) - 1 << CELL_SHIFT;
    private static final int TOKEN_DEPTH = (1 << CELL_SHIFT) - 1;
    /** In a sample: the depth is unknown. */
    private static final int DEPTH_UNKNOWN = 0xffff;

    /** In a cell: one call in N is sampled, or the block is a stripe. More than any N has in its place. */
    private static final long UNUSUAL = 1L << 31;

    /** In a sample's meta word: the call ended by an exception. */
    private static final long THREW = 1L << 48;

    private static final int PROBES = 4;

    // What a size is of.
    private static final int SHALLOW = 0;
    private static final int DEEP = 1;
    private static final int LENGTH = 2;

    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    private SplRecorder() {}

    /** The gate is open, or was a moment ago: {@link #open}. */
    static int opened(int id) {
        long at = ((long) id << GATE_SHIFT) + GATES;
        // Read anew instead of handed on: each word of an argument enlarges the frame of the measured method.
        long gate = U.getLong(null, at);
        return (int) gate == 0 ? 0 : open(id, gate);
    }

    /** The body has returned: the clock first, behind a fence that keeps the body's loads before it. */
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

    /** The body has thrown. Never inlined: exceptions are slow anyway, and code that is never run takes room. */
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

    /** Decides whether this call is sampled: guard, 1-in-N, quota; then counts the activation. Gives its token, or 0. */
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

    /** In a block that is not where the thread's id says, or is still to be found. */
    @DontInline
    private static int elsewhere(int id, long gate, long tid) {
        long index = find(tid, tid & (THREAD_BLOCKS - 1));
        return index < 0 ? 0 : seldom(id, gate, index << BLOCK_SHIFT);
    }

    /** As {@link #open}, in any block and any cell. */
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
     * Counts a call of one of the threads that share a stripe, and says whether it is the one to sample. Atomically: threads
     * that ended a gap at once would all be sampled, and one that stores an old count would shorten the gap.
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

    /** The first call of a method in this block since its gate was opened. */
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

    /** What a token says of the depth of a call that does not stand at the bottom. */
    @ForceInline
    private static int nested(int id, long offset, int depth) {
        // One of the activations may be gone without a trace; 0 is never too large.
        if ((char) SplProbe.lost != U.getChar(BLOCKS + offset + SPARES + ((long) id << SPARE_SHIFT) + SPARE_LOST)) {
            return TOKEN_DEPTH;
        }
        U.putInt(BLOCKS + offset + CELLS + ((long) id << CELL_SHIFT) + CELL_DEPTH, depth + 1);
        return depth < TOKEN_DEPTH ? depth : TOKEN_DEPTH;
    }

    /**
     * The depth of an activation whose token does not say it, put back into the cell: one less than the cell has, as long as no
     * exit was lost and the gate has not been opened anew since.
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
     * The thread's own block, claimed on its first sampled call; a shared stripe when none is free then or it is virtual.
     * Negative when the call must not be sampled, because a workload size is being taken in this thread.
     *
     * <p>A thread stays in its stripe: calls of its that still run may have begun there, and a block of its own would not know
     * of them. That is noted in the guard's place, for good; threads whose ids are 65,536 apart share it.
     */
    @DontInline
    private static long find(long tid, long home) {
        if (tid == 0) {
            // A thread whose object is still being made (JNI AttachCurrentThread).
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
            // Another's, whose id is 65,536 from this one's. What is no note cannot be written over, and is soon gone.
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
     * From here on the block is looked at. A block of a thread's own is from when it is claimed, so that it is freed whatever
     * happens to the thread; a stripe from the first call of a method on, lest many threads write the same word at each call.
     */
    @ForceInline
    private static void use(long index) {
        U.putLong(BLOCKS + (index << 3) + USED, 1);
    }

    /** Where a thread's guard stands in a stripe: threads whose ids are less than 65,536 apart are not in each other's way. */
    private static long guard(long tid, long index) {
        return BLOCKS + (index << BLOCK_SHIFT) + GUARDS + ((tid / STRIPES & (GUARD_COUNT - 1)) << 3);
    }

    /** Puts a sample into the ring of the thread's own block, or hands it to {@link #shared}. */
    private static void record(long start, long end, int token, long meta, long size) {
        if ((token & TOKEN_STRIPE) != 0) {
            shared(token & TOKEN_BLOCK, start, end, (long) DEPTH_UNKNOWN << 32 | meta, size);
            return;
        }
        long block = BLOCKS + (token & TOKEN_BLOCK);
        long cell = BLOCKS + (token & ~TOKEN_DEPTH) + CELLS;
        // Each activation puts back what it found, which also heals what a lost exit within it left behind.
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

    /**
     * Many producers: drop before claiming when nearly full, claim, write, publish by sequence number. In lap {@code n}
     * of the ring a slot is free while it holds {@code 2n} and published when it holds {@code 2n + 1}; one that its
     * writer never published stays out of use until it does.
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

    /** Where the guard of a sampled call's thread stands. It holds the thread's id while a size is taken; else it is not above 0. */
    private static long guardOf(int token, long tid) {
        long offset = token & TOKEN_BLOCK;
        // In a block of its own it stands in the owner's place, so that the gate need not look twice.
        return offset < TOKEN_STRIPE ? BLOCKS + offset + OWNER : guard(tid, offset >> BLOCK_SHIFT);
    }

    private static boolean isDown(long guard, int token, long tid) {
        return (token & TOKEN_STRIPE) == 0 ? guard == ~tid : guard <= 0;
    }

    /**
     * Takes a size with the thread's guard up, so that measured methods which the computation calls record nothing.
     * A size that cannot be taken is marked as truncated: the program must never see why.
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
        int token = SplProbe.enter(id);
        long start = SplProbe.begin(token);
        SplProbe.leave(start, token);
    }
}
