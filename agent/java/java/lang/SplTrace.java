package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Writes what each thread runs into the ring of the thread, as words that docs/files.md describes. The agent defines this class in the
 * boot loader when the first drill begins.
 *
 * <p>The thread alone writes words, and the number of words written after them, with release. The controller reads that number first.
 * A ring has 256 chunks; only at the beginning of a chunk the thread looks whether the controller has read what stands there. The
 * controller says so with one byte, which no reader can see half written. Without room the thread drops words and counts them,
 * and writes a word about the gap when there is room again.
 *
 * <p>A thread without a ring of its own, as a virtual thread, writes where nobody reads. So there is no branch for it here.
 */
public final class SplTrace {
    private static final Unsafe U = Unsafe.getUnsafe();

    // Placeholders that the agent replaces in the constant pool, as in SplProbe: the table of threads with a ring, and the ring of all
    // others.
    private static final long ENTRIES = 0x5350_4c00_0000_0004L;
    private static final long SHARED = 0x5350_4c00_0000_0008L;

    /** Entries of the table, less 1, and the binary logarithm of an entry's bytes. The agent's {@code arenas.rs} has the same. */
    private static final long MASK = (1 << 14) - 1;

    private static final int ENTRY = 8;

    /** Place of the ring's address in an entry. */
    private static final long RING = 8 * 31;

    /** Places in a ring, in bytes. Rust's {@code arena.rs} has the same. */
    private static final long HEAD = 0;

    private static final long DEPTH = 8;
    private static final long LOST = 16;
    private static final long LOWEST = 24;
    private static final long OWNER = 32;
    private static final long TOLD = 40;
    private static final long UNTRACED = 48;
    private static final long FREED = 64;
    private static final long LIMIT = 65;
    private static final long WAITS = 66;
    private static final long GIVEN_UP = 67;
    private static final long WITHIN = 68;
    private static final long MUTED = 69;
    private static final long ORDERED = 71;
    private static final long INSIDE = 72;
    private static final long SEEN = 76;
    private static final long CALLS = 80;
    private static final long TURN = 88;
    private static final long TAKEN = 112;
    private static final long LAST_TAKEN = 128;
    private static final long TYPED = 120;
    private static final long RECEIVERS = 2048;
    private static final long WORDS = 4096;

    /** Receivers that a ring keeps, as a binary logarithm, and bits of the number of a class, as in SplArcs. */
    private static final int KEPT = 8;

    private static final int CLASS_BITS = 22;

    /** Binary logarithm of the words of a chunk, and the words of a ring. */
    private static final int CHUNK = 12;

    private static final long IN_CHUNK = (1 << CHUNK) - 1;
    private static final long IN_RING = (1 << CHUNK + 8) - 1;

    /** Kinds of words, in their upper 3 bits; the next 8 bits are those of the depth. */
    private static final int ENTER = 1 << 29;

    private static final int CAUGHT = 3 << 29;
    private static final int THROWN = 4 << 29;
    private static final int TIME = 6 << 29;
    private static final int PAD = 7 << 29;
    private static final int GAP = 7 << 29 | 1;
    private static final int THREAD = 7 << 29 | 2;
    private static final int CALL = 7 << 29 | 3;
    private static final int PLACE = 7 << 29 | 4;
    private static final int RECEIVER = 7 << 29 | 5;

    private static final int DEPTH_AT = 21;
    private static final long DEPTH_BITS = (1 << 28) - 1;

    /** Largest difference of depths that a word tells: its 8 bits of a depth would do for 127. */
    private static final int FAR = 100;

    /** Longest wait for a controller that is to read everything, in nanoseconds. After it the thread waits no more. */
    private static final long PATIENCE = 5_000_000_000L;

    /** Words for which a stack overflow left no room. The code that could not call counts here by itself. */
    public static int uncounted;

    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    private SplTrace() {}

    /** An activation begins. Gives what its other words take: its ring, and its depth. */
    public static long enter(int id) {
        long ring = ring();
        long depth = U.getInt(null, ring + DEPTH) + 1 & DEPTH_BITS;
        U.putInt(null, ring + DEPTH, (int) depth);
        if (depth == 1) {
            outermost(ring);
        }
        put(ring, ENTER | (int) (depth & 0xff) << DEPTH_AT | id, depth - 1, depth - 1);
        return ring << 16 | depth;
    }

    /**
     * An activation begins of a method within whose calls is traced. Of the outermost ones in a thread one of {@code of} is traced, the first
     * to begin with.
     */
    public static long within(int id, int of) {
        long ring = ring();
        long depth = U.getInt(null, ring + DEPTH) + 1 & DEPTH_BITS;
        long inside = U.getInt(null, ring + INSIDE);
        // One that ended without a word is over, too: at this depth, or perhaps where a stack overflow left no room for words.
        if (inside == 0 || depth <= inside || U.getInt(null, ring + SEEN) != uncounted) {
            mute(ring);
            U.putLong(null, ring + CALLS, U.getLong(null, ring + CALLS) + 1);
            long turn = U.getLong(null, ring + TURN);
            U.putLong(null, ring + TURN, turn + 1);
            U.putInt(null, ring + INSIDE, (int) depth);
            U.putInt(null, ring + SEEN, uncounted);
            if (turn % of == 0) {
                // The rest of a chunk may be of another thread, or of a drill before.
                room(ring, U.getLong(null, ring + HEAD), 1 << CHUNK);
                U.putByte(null, ring + MUTED, (byte) 0);
                call(ring, turn, depth);
            }
        }
        return enter(id);
    }

    /** A segment ends, and with it an activation that {@link #within} has begun. */
    public static void withinRet(long token, int number) {
        ret(token, number);
        ends(token);
    }

    /** An exception leaves an activation that {@link #within} has begun. */
    public static void withinThrown(long token, int number) {
        thrown(token, number);
        ends(token);
    }

    private static void ends(long token) {
        long ring = token >>> 28 << 12;
        if (U.getInt(null, ring + INSIDE) == (int) (token & DEPTH_BITS)) {
            mute(ring);
        }
    }

    /** Tells that a call begins within which is traced: its number among those of the thread, and its depth. */
    private static void call(long ring, long number, long depth) {
        long head = room(ring, U.getLong(null, ring + HEAD), 4);
        if ((head & IN_CHUNK) == 0) {
            head = begin(ring, head, depth - 1, depth - 1);
            if (head == 0) {
                return;
            }
        }
        forget(ring);
        word(ring, head, CALL);
        word(ring, head + 1, (int) number);
        word(ring, head + 2, (int) (number >>> 32));
        word(ring, head + 3, (int) depth);
        U.putLongRelease(null, ring + HEAD, head + 4);
    }

    /** Tells nothing from now on. A ring without words for the rest of its chunk looks whether it may tell before each of them. */
    private static void mute(long ring) {
        U.putInt(null, ring + INSIDE, 0);
        if (U.getByte(null, ring + MUTED) != 0 || U.getByte(null, ring + WITHIN) == 0) {
            return;
        }
        long head = U.getLong(null, ring + HEAD);
        if ((head & IN_CHUNK) != 0) {
            head = room(ring, head, 3);
            // The first words of a chunk have the clock.
            head = (head & IN_CHUNK) != 0 ? time(ring, head) : begin(ring, head, 0, 0);
            if (head != 0) {
                U.putLongRelease(null, ring + HEAD, head);
                room(ring, head, 1 << CHUNK);
            }
        }
        U.putByte(null, ring + MUTED, (byte) 1);
    }

    /**
     * Takes a place in the order of all threads for what the thread tells next, before an activation begins. A thread without a ring tells
     * nothing and takes none.
     */
    public static void place() {
        long tid = U.getLong(Thread.currentThread(), TID);
        long entry = ENTRIES + ((tid & MASK) << ENTRY);
        if (U.getLongAcquire(null, entry) == tid) {
            placed(U.getLong(null, entry + RING));
        }
    }

    /** The same within an activation. */
    public static void place(long token) {
        placed(token >>> 28 << 12);
    }

    /**
     * One number is shared by all rings. As long as the last thread that raised it goes on telling, it only reads it. A ring keeps the
     * number that its words tell: a place whose words a stack overflow kept from the ring is taken again.
     */
    @ForceInline
    private static void placed(long ring) {
        long shared = SHARED;
        if (U.getLongVolatile(null, shared + LAST_TAKEN) != U.getLong(null, ring + TAKEN)) {
            take(ring);
        }
    }

    private static void take(long ring) {
        long shared = SHARED;
        if (ring == shared) {
            return;
        }
        long head = room(ring, U.getLong(null, ring + HEAD), 3);
        // A chunk begins with a place of its own; without room the thread drops it with its word.
        if ((head & IN_CHUNK) != 0) {
            take(ring, head);
        }
    }

    /** Takes a place, and tells it where there is room. */
    private static long take(long ring, long head) {
        long shared = SHARED;
        long number = U.getAndAddLong(null, shared + LAST_TAKEN, 1) + 1;
        word(ring, head, PLACE);
        word(ring, head + 1, (int) number);
        word(ring, head + 2, (int) (number >>> 32));
        U.putLongRelease(null, ring + HEAD, head + 3);
        U.putLong(null, ring + TAKEN, number);
        return head + 3;
    }

    /**
     * In front of an activation of an object's method: tells the object's class, unless the last one told of this method is the same. A
     * ring keeps some of these, and forgets them where words may be missing.
     */
    public static void receiver(Object self, int id) {
        long tid = U.getLong(Thread.currentThread(), TID);
        long entry = ENTRIES + ((tid & MASK) << ENTRY);
        if (U.getLongAcquire(null, entry) == tid) {
            long ring = U.getLong(null, entry + RING);
            int type = System.identityHashCode(self.getClass()) & (1 << CLASS_BITS) - 1;
            long known = (long) id << 32 | (type == 0 ? 1 : type);
            long at = ring + RECEIVERS + (long) (id * 0x9e37_79b9 >>> 32 - KEPT << 3);
            if (U.getLong(null, at) != known) {
                receiver(ring, at, known);
            }
        }
    }

    private static void receiver(long ring, long at, long known) {
        long depth = U.getInt(null, ring + DEPTH);
        if (depth == 0) {
            outermost(ring);
        }
        long head = room(ring, U.getLong(null, ring + HEAD), 3);
        if ((head & IN_CHUNK) == 0) {
            head = begin(ring, head, depth, depth);
            if (head == 0) {
                return;
            }
        }
        word(ring, head, RECEIVER);
        word(ring, head + 1, (int) (known >>> 32));
        word(ring, head + 2, (int) known);
        U.putLongRelease(null, ring + HEAD, head + 3);
        // Last: a word has told each receiver that the ring keeps.
        U.putLong(null, at, known);
    }

    private static void forget(long ring) {
        if (U.getByte(null, ring + TYPED) != 0) {
            for (int place = 0; place < 1 << KEPT; place++) {
                U.putLong(null, ring + RECEIVERS + (place << 3), 0);
            }
        }
    }

    /** An activation begins that calls nothing and cannot be left by an exception. */
    public static void single(int id) {
        guarded(id);
    }

    /** An activation begins that calls nothing. */
    public static long guarded(int id) {
        long ring = ring();
        long before = U.getInt(null, ring + DEPTH);
        if (before == 0) {
            outermost(ring);
        }
        long depth = before + 1 & DEPTH_BITS;
        put(ring, ENTER | (int) (depth & 0xff) << DEPTH_AT | id, before, before);
        return ring << 16 | depth;
    }

    /**
     * Tells the clock, in front of the word that begins or ends an activation. At the beginning of a chunk that word does it, and there a ring
     * stands that is muted, or full. A thread without a ring of its own is counted by that word, too.
     */
    public static void mark() {
        long tid = U.getLong(Thread.currentThread(), TID);
        long entry = ENTRIES + ((tid & MASK) << ENTRY);
        if (U.getLongAcquire(null, entry) != tid) {
            return;
        }
        long ring = U.getLong(null, entry + RING);
        if (U.getInt(null, ring + DEPTH) == 0) {
            outermost(ring);
        }
        long head = U.getLong(null, ring + HEAD);
        if ((head & IN_CHUNK) == 0) {
            return;
        }
        head = room(ring, head, 3);
        if ((head & IN_CHUNK) != 0) {
            U.putLongRelease(null, ring + HEAD, time(ring, head));
        }
    }

    /** A segment ends, and the activation goes on. */
    public static void seg(long token, int number) {
        long ring = token >>> 28 << 12;
        long depth = token & DEPTH_BITS;
        if (U.getInt(null, ring + DEPTH) - (int) depth > FAR) {
            tell(ring, depth);
        }
        U.putInt(null, ring + DEPTH, (int) depth);
        put(ring, (int) (depth & 0xff) << DEPTH_AT | number, depth, depth);
    }

    /** A segment ends, and the activation with it. */
    public static void ret(long token, int number) {
        long ring = token >>> 28 << 12;
        long depth = token & DEPTH_BITS;
        if (U.getInt(null, ring + DEPTH) - (int) depth > FAR) {
            tell(ring, depth);
        }
        U.putInt(null, ring + DEPTH, (int) depth - 1);
        put(ring, (int) (depth & 0xff) << DEPTH_AT | number, depth, depth - 1);
    }

    /** A handler begins: at this block, after a segment that was stopped with this number. */
    public static void caught(long token, int block, int number) {
        long ring = token >>> 28 << 12;
        long depth = token & DEPTH_BITS;
        U.putInt(null, ring + DEPTH, (int) depth);
        record(ring, CAUGHT | (int) (depth & 0xff) << DEPTH_AT | block, (int) depth, number, depth);
    }

    /** An exception leaves the activation; its segment was stopped with this number. */
    public static void thrown(long token, int number) {
        long ring = token >>> 28 << 12;
        long depth = token & DEPTH_BITS;
        U.putInt(null, ring + DEPTH, (int) depth - 1);
        record(ring, THROWN | (int) (depth & 0xff) << DEPTH_AT, (int) depth, number, depth - 1);
    }

    /**
     * Calls all of these, so that they are compiled before a program needs them: compiled code takes little of the stack. Only the agent's
     * thread calls it, whose ring nobody reads.
     */
    static void warm(int rounds, long nanoseconds) {
        long tid = U.getLong(Thread.currentThread(), TID);
        if (U.getLong(null, ENTRIES + ((tid & MASK) << ENTRY)) != tid) {
            // Without a ring of its own the thread's calls would count as calls of the program that were not traced.
            return;
        }
        long began = System.nanoTime();
        for (int round = 0; round < rounds && System.nanoTime() - began < nanoseconds; round++) {
            mark();
            place();
            receiver(Thread.currentThread(), round & 1);
            long token = enter(0);
            place(token);
            seg(token, 0);
            guarded(0);
            caught(token, 0, 0);
            ret(token, 0);
            single(0);
            thrown(enter(0), 0);
            withinRet(within(0, 1), 0);
            withinThrown(within(0, 1), 0);
        }
    }

    @ForceInline
    private static long ring() {
        long tid = U.getLong(Thread.currentThread(), TID);
        long entry = ENTRIES + ((tid & MASK) << ENTRY);
        // The agent may take the entry from the thread at any moment, but leaves the ring's address there.
        return U.getLongAcquire(null, entry) == tid ? U.getLong(null, entry + RING) : untraced();
    }

    private static long untraced() {
        // Not a sum of constants, which the compiler would write as one: the agent would not find its placeholder.
        long shared = SHARED;
        U.putLong(null, shared + UNTRACED, U.getLong(null, shared + UNTRACED) + 1);
        return shared;
    }

    /** Writes one word. {@code before} is the depth in front of it, {@code lowest} the lowest one then and behind it. */
    @ForceInline
    private static void put(long ring, int word, long before, long lowest) {
        long head = U.getLong(null, ring + HEAD);
        if ((head & IN_CHUNK) == 0) {
            head = begin(ring, head, before, lowest);
            if (head == 0) {
                return;
            }
        }
        U.putInt(null, ring + WORDS + ((head & IN_RING) << 2), word);
        U.putLongRelease(null, ring + HEAD, head + 1);
    }

    /** Writes three words that belong together. */
    private static void record(long ring, int first, int second, int third, long lowest) {
        long head = U.getLong(null, ring + HEAD);
        head = room(ring, head, 3);
        if ((head & IN_CHUNK) == 0) {
            head = begin(ring, head, second, lowest);
            if (head == 0) {
                return;
            }
        }
        word(ring, head, first);
        word(ring, head + 1, second);
        word(ring, head + 2, third);
        U.putLongRelease(null, ring + HEAD, head + 3);
    }

    /** Fills the chunk up if it has no room for this number of words. */
    private static long room(long ring, long head, int words) {
        if ((head & IN_CHUNK) + words <= IN_CHUNK + 1) {
            return head;
        }
        while ((head & IN_CHUNK) != 0) {
            word(ring, head++, PAD);
        }
        U.putLongRelease(null, ring + HEAD, head);
        return head;
    }

    @ForceInline
    private static void word(long ring, long at, int word) {
        U.putInt(null, ring + WORDS + ((at & IN_RING) << 2), word);
    }

    /** Tells the thread, if it is another one than before. */
    private static void outermost(long ring) {
        if (U.getLong(null, ring + OWNER) == U.getLong(null, ring + TOLD)) {
            return;
        }
        // In the order of all threads another thread has a place of its own, which a chunk begins with.
        int words = U.getByte(null, ring + ORDERED) != 0 ? 1 << CHUNK : 4;
        long head = room(ring, U.getLong(null, ring + HEAD), words);
        if ((head & IN_CHUNK) != 0) {
            U.putLongRelease(null, ring + HEAD, thread(ring, head, 0));
        }
        // At the beginning of a chunk the next word tells it.
    }

    /** Tells the whole depth. Calls that ended without a word have left too large a difference for the bits of the next one. */
    private static void tell(long ring, long depth) {
        long head = room(ring, U.getLong(null, ring + HEAD), 4);
        if ((head & IN_CHUNK) == 0) {
            head = begin(ring, head, depth, depth);
            if (head == 0) {
                return;
            }
        }
        U.putLongRelease(null, ring + HEAD, gap(ring, head, 0, depth, depth));
    }

    private static long gap(long ring, long head, long lost, long depth, long lowest) {
        word(ring, head, GAP);
        word(ring, head + 1, (int) lost);
        word(ring, head + 2, (int) depth);
        word(ring, head + 3, (int) lowest);
        return head + 4;
    }

    private static long thread(long ring, long head, long depth) {
        long owner = U.getLong(null, ring + OWNER);
        word(ring, head, THREAD);
        word(ring, head + 1, (int) owner);
        word(ring, head + 2, (int) (owner >>> 32));
        word(ring, head + 3, (int) depth);
        U.putLong(null, ring + TOLD, owner);
        return head + 4;
    }

    /** Begins a chunk, if there is room: gives the place for the next word; else counts one lost, and gives 0. */
    private static long begin(long ring, long head, long before, long lowest) {
        if (U.getByte(null, ring + MUTED) != 0) {
            return 0;
        }
        long lost = U.getLong(null, ring + LOST);
        if (isFull(ring, head) && !wait(ring, head)) {
            if (lost == 0 || lowest < U.getInt(null, ring + LOWEST)) {
                U.putInt(null, ring + LOWEST, (int) lowest);
            }
            U.putLong(null, ring + LOST, lost + 1);
            return 0;
        }
        // Only now the thread overwrites words that the controller has read.
        U.loadFence();
        if (U.getLong(null, ring + OWNER) != U.getLong(null, ring + TOLD)) {
            head = thread(ring, head, lost == 0 ? before : 0);
        }
        if (lost != 0) {
            long least = U.getInt(null, ring + LOWEST);
            head = gap(ring, head, lost < 0xffff_ffffL ? lost : 0xffff_ffffL, before, before < least ? before : least);
            U.putLong(null, ring + LOST, 0);
            forget(ring);
        }
        head = time(ring, head);
        if (U.getByte(null, ring + ORDERED) != 0) {
            return take(ring, head);
        }
        U.putLongRelease(null, ring + HEAD, head);
        return head;
    }

    private static long time(long ring, long head) {
        long now = System.nanoTime();
        word(ring, head, TIME);
        word(ring, head + 1, (int) now);
        word(ring, head + 2, (int) (now >>> 32));
        return head + 3;
    }

    private static boolean isFull(long ring, long head) {
        int used = (int) (head >>> CHUNK) - U.getByte(null, ring + FREED) & 0xff;
        return used >= (U.getByte(null, ring + LIMIT) & 0xff);
    }

    /** Waits for room, if that is asked for; whether there is some. */
    private static boolean wait(long ring, long head) {
        if (U.getByte(null, ring + WAITS) == 0) {
            return false;
        }
        long shared = SHARED;
        long began = System.nanoTime();
        while (isFull(ring, head)) {
            // A controller that is gone reads no more, for none of the threads.
            if (System.nanoTime() - began > PATIENCE) {
                U.putByte(null, shared + GIVEN_UP, (byte) 1);
            }
            if (U.getByte(null, shared + GIVEN_UP) != 0 || U.getByte(null, ring + WAITS) == 0) {
                U.putByte(null, ring + WAITS, (byte) 0);
                return false;
            }
        }
        return true;
    }
}
