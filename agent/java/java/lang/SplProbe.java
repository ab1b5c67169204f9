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
    private static final long GUARD = 32;
    private static final long TAIL = 64;
    private static final long CELLS = 128;
    private static final int CELL_SHIFT = 4;
    /** Measured activations in the lower half, in the upper one the lower half of {@link #lost} at the last look. */
    private static final long CELL_DEPTH = 0;
    private static final long CELL_EPOCH = 4;
    private static final long CELL_SKIP = 8;
    private static final long CELL_USED = 12;
    private static final long RING = 1L << 17;
    private static final int SLOT_SHIFT = 6;
    private static final int SLOT_COUNT_SHIFT = 11;
    private static final long SLOTS = 1L << SLOT_COUNT_SHIFT;
    /** Room left for threads that stand between the check for room and the claim. */
    private static final long MARGIN = SLOTS / 4;
    private static final long SEQUENCE = 0;
    private static final long START = 8;
    private static final long END = 16;
    private static final long THREAD = 24;
    private static final long META = 32;
    private static final long SIZE = 40;

    // A token: valid (bit 30), block (14 bits), depth (16 bits, all ones for unknown).
    private static final int VALID = 1 << 30;
    private static final int TOKEN_BLOCK_SHIFT = 16;
    private static final int TOKEN_BLOCK_MASK = (1 << 14) - 1;
    private static final int DEPTH_UNKNOWN = 0xffff;

    private static final int PROBES = 4;
    private static final long TID = U.objectFieldOffset(Thread.class, "tid");
    /** The class of virtual threads, null before JDK 19. */
    private static final Class<?> VIRTUAL = virtualThreads();

    /**
     * Exits that could not be recorded, as where the stack has overflowed: the handlers of the measured methods count
     * them, without a call and so without an atomic operation. Any change says that depths may be too large.
     */
    public static int lost;

    private SplProbe() {}

    private static Class<?> virtualThreads() {
        try {
            return Class.forName("java.lang.BaseVirtualThread", false, null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    /** The gate: 0 when this call is not sampled, else a token to be handed to {@link #begin} and {@link #leave}. */
    @ForceInline
    public static int enter(int id) {
        int every = U.getInt(GATES + ((long) id << GATE_SHIFT) + GATE_EVERY);
        return every == 0 ? 0 : open(id, every);
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
            record(start, token, id, 0, -1L);
        }
    }

    /** The body has returned, in a method whose workload size is taken. */
    @ForceInline
    public static void leave(long start, int token, int id, long size) {
        if (token != 0) {
            record(start, token, id, 0, size);
        }
    }

    /** The body has thrown. */
    @ForceInline
    public static void thrown(long start, int token, int id) {
        if (token != 0) {
            record(start, token, id, 1, -1L);
        }
    }

    /** The body has thrown, in a method whose workload size is taken. */
    @ForceInline
    public static void thrown(long start, int token, int id, long size) {
        if (token != 0) {
            record(start, token, id, 1, size);
        }
    }

    /** {@code sum} and the shallow size of {@code argument} in bytes. */
    @ForceInline
    public static long sizeof(int token, long sum, Object argument) {
        return token == 0 || argument == null ? sum : guarded(token, sum, argument, false);
    }

    /** {@code sum} and the bytes of all objects reachable from {@code argument}, each counted once. */
    @ForceInline
    public static long deep(int token, long sum, Object argument) {
        return token == 0 || argument == null ? sum : guarded(token, sum, argument, true);
    }

    /** Decides whether this call is sampled: guard, 1-in-N, quota; then counts the activation. */
    @ForceInline
    private static int open(int id, int every) {
        long gate = GATES + ((long) id << GATE_SHIFT);
        long tid = U.getLong(Thread.currentThread(), TID);
        if (tid == 0) {
            // A thread whose object is still being made (JNI AttachCurrentThread); 0 stands for no owner.
            return 0;
        }
        long index = tid & (THREAD_BLOCKS - 1);
        long block = BLOCKS + (index << BLOCK_SHIFT);
        if (U.getLong(block + OWNER) != tid) {
            index = find(tid, index);
            block = BLOCKS + (index << BLOCK_SHIFT);
        }
        if (U.getLong(block + GUARD) != 0 && guards(block, index, tid)) {
            return 0;
        }
        long cell = block + CELLS + ((long) id << CELL_SHIFT);
        int epoch = U.getInt(gate + GATE_EPOCH);
        if (U.getInt(cell + CELL_EPOCH) != epoch) {
            U.putInt(cell + CELL_DEPTH, lost << 16);
            U.putInt(cell + CELL_SKIP, every == 1 ? 0 : skip(block, every));
            U.putInt(cell + CELL_USED, 0);
            U.putInt(cell + CELL_EPOCH, epoch);
        }
        if (every != 1 && skipped(block, cell, every)) {
            return 0;
        }
        int used = U.getInt(cell + CELL_USED);
        if (used >= U.getInt(gate + GATE_QUOTA)) {
            return 0;
        }
        U.putInt(cell + CELL_USED, used + 1);
        int token = VALID | (int) index << TOKEN_BLOCK_SHIFT;
        if (index >= THREAD_BLOCKS) {
            return token | DEPTH_UNKNOWN;
        }
        int depths = U.getInt(cell + CELL_DEPTH);
        int depth = depths & DEPTH_UNKNOWN;
        if (depths >>> 16 != (lost & 0xffff) && depth != 0) {
            // One of the activations may be gone without a trace; 0 is never too large.
            depth = DEPTH_UNKNOWN;
        }
        U.putInt(cell + CELL_DEPTH, lost << 16 | (depth < DEPTH_UNKNOWN ? depth + 1 : DEPTH_UNKNOWN));
        return token | depth;
    }

    /** Counts down a random number of calls, so that periodic call patterns are sampled without bias. */
    private static boolean skipped(long block, long cell, int every) {
        int left = U.getInt(cell + CELL_SKIP);
        if (left > 0) {
            U.putInt(cell + CELL_SKIP, left - 1);
            return true;
        }
        U.putInt(cell + CELL_SKIP, skip(block, every));
        return false;
    }

    /** Uniform in 0..2N-2 (xorshift, Marsaglia 2003), so that one call in N is sampled on average. */
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

    /** The thread's own block, claimed on its first sampled call; a shared stripe when none is free or it is virtual. */
    @DontInline
    private static long find(long tid, long home) {
        boolean virtual = VIRTUAL != null && VIRTUAL.isInstance(Thread.currentThread());
        for (int i = 0; i < PROBES && !virtual; i++) {
            long index = home + i & (THREAD_BLOCKS - 1);
            long owner = BLOCKS + (index << BLOCK_SHIFT) + OWNER;
            if (U.getLongVolatile(null, owner) == tid) {
                return index;
            }
        }
        for (int i = 0; i < PROBES && !virtual; i++) {
            long index = home + i & (THREAD_BLOCKS - 1);
            long owner = BLOCKS + (index << BLOCK_SHIFT) + OWNER;
            if (U.getLong(owner) == 0 && U.compareAndSetLong(null, owner, 0, tid)) {
                return index;
            }
        }
        return THREAD_BLOCKS + (tid & (STRIPES - 1));
    }

    /** Whether the guard that is up in this block is the caller's own; a thread block has one thread only. */
    private static boolean guards(long block, long index, long tid) {
        return index < THREAD_BLOCKS || U.getLong(block + GUARD) == tid;
    }

    /** The end clock first, then the sample. Not inlined: a body that is must not move past the clock. */
    @DontInline
    private static void record(long start, int token, int id, int threw, long size) {
        long end = System.nanoTime();
        long index = token >> TOKEN_BLOCK_SHIFT & TOKEN_BLOCK_MASK;
        long block = BLOCKS + (index << BLOCK_SHIFT);
        int depth = token & DEPTH_UNKNOWN;
        long meta = (long) threw << 48 | (long) depth << 32 | id;
        if (index < THREAD_BLOCKS) {
            // Each activation puts back what it found, which also heals what a lost exit within it left behind.
            long cell = block + CELLS + ((long) id << CELL_SHIFT);
            if (depth != DEPTH_UNKNOWN && (U.getInt(cell + CELL_DEPTH) & DEPTH_UNKNOWN) > depth) {
                U.putInt(cell + CELL_DEPTH, lost << 16 | depth);
            }
            own(block, start, end, meta, size);
        } else {
            shared(block, start, end, meta, size);
        }
    }

    /** One producer: the block's thread. The head is published after the payload. */
    @ForceInline
    private static void own(long block, long start, long end, long meta, long size) {
        long head = U.getLong(block + HEAD);
        if (head - U.getLongAcquire(null, block + TAIL) >= SLOTS) {
            U.putLong(block + DROPPED, U.getLong(block + DROPPED) + 1);
            // What is lost must not use up the quota, or a method that loses much would never reach its limit.
            long cell = block + CELLS + ((long) (int) meta << CELL_SHIFT);
            U.putInt(cell + CELL_USED, U.getInt(cell + CELL_USED) - 1);
            return;
        }
        long slot = block + RING + ((head & (SLOTS - 1)) << SLOT_SHIFT);
        U.putLong(slot + START, start);
        U.putLong(slot + END, end);
        U.putLong(slot + THREAD, U.getLong(block + OWNER));
        U.putLong(slot + META, meta);
        U.putLong(slot + SIZE, size);
        U.putLongRelease(null, block + HEAD, head + 1);
    }

    /**
     * Many producers: drop before claiming when nearly full, claim, write, publish by sequence number. In lap {@code n}
     * of the ring a slot is free while it holds {@code 2n} and published when it holds {@code 2n + 1}; one that its
     * writer never published stays out of use until it does.
     */
    private static void shared(long block, long start, long end, long meta, long size) {
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
     * Takes a size with the thread's guard up, so that measured methods which the computation calls record nothing.
     * A size that cannot be taken is marked as truncated: the program must never see why.
     */
    @DontInline
    private static long guarded(int token, long sum, Object argument, boolean deep) {
        long index = token >> TOKEN_BLOCK_SHIFT & TOKEN_BLOCK_MASK;
        long block = BLOCKS + (index << BLOCK_SHIFT);
        long tid = U.getLong(Thread.currentThread(), TID);
        if (!U.compareAndSetLong(null, block + GUARD, 0, tid)) {
            return sum | SplSizes.TRUNCATED;
        }
        try {
            return SplSizes.add(sum, deep ? SplSizes.deep(argument) : SplSizes.shallow(argument));
        } catch (Throwable e) {
            return sum | SplSizes.TRUNCATED;
        } finally {
            U.putLongVolatile(null, block + GUARD, 0);
        }
    }

    /**
     * Takes every path of the probe so often, open and closed, that the program's first sampled calls find compiled
     * code.
     *
     * @param id a gate that belongs to the agent itself, which takes the samples out
     */
    static void warm(int id, int rounds) {
        long gate = GATES + ((long) id << GATE_SHIFT);
        for (int i = 0; i < rounds; i++) {
            U.putInt(gate + GATE_EVERY, i & 1);
            probe(id);
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
