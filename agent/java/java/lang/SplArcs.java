package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Counts the arcs of the call graph, which place calls which method, with which class of receiver; and arrays. The agent defines this class in
 * the boot loader when the first drill begins.
 *
 * <p>In front of a call a thread stores the number of the place in its arena, and the called method reads it at its start. Both look
 * the arena up, so a virtual thread may leave its carrier in between other calls. A thread without an arena of its own counts no
 * arcs, since others store there too.
 *
 * <p>An arena ends with a table of arcs. Only the arena's thread writes to it, and it never waits: when there is no room for another
 * arc, its calls count as lost.
 */
public final class SplArcs {
    private static final Unsafe U = Unsafe.getUnsafe();

    // Placeholders that the agent replaces in the constant pool, as in SplProbe: the table of arenas, and the arena of all threads
    // without their own.
    private static final long TABLE = 0x5350_4c00_0000_0003L;
    private static final long SHARED = 0x5350_4c00_0000_0006L;

    /**
     * The sizes of arrays in this JVM, a byte each: from the lowest on the bytes in front of the elements, by binary logarithm of the
     * elements' size and then of references; the binary logarithm of a reference's bytes; that of the bytes to which sizes are rounded.
     */
    private static final long LAYOUT = 0x5350_4c00_0000_0009L;

    /** Elements that are references. */
    private static final int REFERENCES = 4;

    /** Places in the layout, in bits. */
    private static final int POWER = 40;

    private static final int ALIGNMENT = 48;

    /** Numbers of arrays by their sizes. */
    private static final long BINS = 9;

    /** Entries of the table of arenas, less 1. The agent's {@code arenas.rs} has the same number. */
    private static final long MASK = (1 << 14) - 1;

    /** Places in an arena, in bytes: arcs that found no room, what the thread is about to call, and the table of arcs. */
    private static final long LOST = (1 << 24) - 24;

    private static final long CALLED = (1 << 24) - 16;
    private static final long ARCS = (1 << 24) - (1 << 12) - (1 << 20);

    /** Entries of the table of arcs, less 1: each has the arc and its count. */
    private static final int LAST_ARC = (1 << 16) - 1;

    /** Binary logarithm of the entries of a page, in which the calls of 32 neighbouring numbers begin to look for room. */
    private static final int PAGE = 8;

    /** Entries in which an arc may stand: the first half near its call's page, the others anywhere. */
    private static final int TRIES = 128;

    /** Distance of these others: more than the entries that one call fills. */
    private static final int STRIDE = 515;

    /** Bit of a call's number: its receiver chooses the method. */
    private static final int DISPATCHED = 1 << 30;

    /** Bits of an arc for its receiver's class, and for a method. */
    private static final int CLASS_BITS = 22;

    private static final int METHOD_BITS = 21;

    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    private SplArcs() {}

    /** Tells which call follows, and the digest of the called method's name and descriptor. */
    @ForceInline
    public static void calling(int number, int member) {
        U.putLong(null, arena() + CALLED, ((long) number << 32) | (member & 0xffff_ffffL));
    }

    /** Undoes what the method's own calls have told. */
    @ForceInline
    public static void returned(long before) {
        U.putLong(null, arena() + CALLED, before);
    }

    /** Counts the arc to a static method or a constructor, at its start; gives what its end hands to {@code returned}. */
    @ForceInline
    public static long entered(int id, int member) {
        long arena = arena();
        long called = U.getLong(null, arena + CALLED);
        if (called != 0) {
            count(arena, called, id, 0);
        }
        return called;
    }

    /** Counts the arc to a method of an object, at its start; gives what its end hands to {@code returned}. */
    @ForceInline
    public static long entered(int id, int member, Object receiver) {
        long arena = arena();
        long called = U.getLong(null, arena + CALLED);
        if (called != 0) {
            boolean isReceiver = (int) called == member && (called >>> 32 & DISPATCHED) != 0;
            count(arena, called, id, isReceiver ? number(receiver) : 0);
        }
        return called;
    }

    /** Counts an array whose instruction has succeeded. */
    @ForceInline
    public static void array(int length, int number, int elements) {
        add(arena() + ((long) number << 3), bytes(length, elements), 1);
    }

    /** Counts an array of arrays with those in it, whose instruction has succeeded. All arrays of a level are of one length. */
    public static void arrays(Object outermost, int number, int elements, int levels) {
        long place = arena() + ((long) number << 3);
        Object array = outermost;
        long arrays = 1;
        for (int left = levels; left > 1; left--) {
            Object[] inner = (Object[]) array;
            add(place, bytes(inner.length, REFERENCES), arrays);
            if (inner.length == 0) {
                return;
            }
            arrays *= inner.length;
            array = inner[0];
        }
        add(place, bytes(length(array), elements), arrays);
    }

    /** Bytes of an array as the JVM rounds them. */
    @ForceInline
    private static long bytes(int length, int elements) {
        int power = elements == REFERENCES ? layout(POWER) : elements;
        long alignment = 1L << layout(ALIGNMENT);
        return layout(elements << 3) + ((long) length << power) + alignment - 1 & -alignment;
    }

    /** A part of the layout. A compiler would fold it in place if it stood where its place is a constant. */
    @ForceInline
    private static int layout(int place) {
        return (int) (LAYOUT >>> place) & 0xff;
    }

    private static int length(Object array) {
        if (array instanceof int[]) {
            return ((int[]) array).length;
        }
        if (array instanceof Object[]) {
            return ((Object[]) array).length;
        }
        if (array instanceof double[]) {
            return ((double[]) array).length;
        }
        if (array instanceof byte[]) {
            return ((byte[]) array).length;
        }
        if (array instanceof char[]) {
            return ((char[]) array).length;
        }
        if (array instanceof long[]) {
            return ((long[]) array).length;
        }
        if (array instanceof float[]) {
            return ((float[]) array).length;
        }
        return array instanceof short[] ? ((short[]) array).length : ((boolean[]) array).length;
    }

    /** Adds to the words of a place: numbers of arrays by their sizes, and the sum of their bytes. */
    @ForceInline
    private static void add(long place, long bytes, long arrays) {
        long at = place + (bin(bytes) << 3);
        U.putLong(null, at, U.getLong(null, at) + arrays);
        at = place + (BINS << 3);
        U.putLong(null, at, U.getLong(null, at) + bytes * arrays);
    }

    /** The bin of a size, as {@code model/src/arena.rs} has it. */
    @ForceInline
    private static long bin(long bytes) {
        if (bytes <= 48) {
            return bytes <= 16 ? 0 : bytes - 9 >>> 3;
        }
        return bytes <= 80 ? 5 : bytes <= 144 ? 6 : bytes <= 400 ? 7 : 8;
    }

    @ForceInline
    private static long arena() {
        // From JDK 21 on the agent replaces the name: the carrier of a virtual thread has the arena.
        long tid = U.getLong(Thread.currentThread(), TID);
        return U.getLong(null, ((tid & MASK) << 3) + TABLE);
    }

    /** Number of an object's class: some bits of the class's identity hash, never 0. */
    private static long number(Object object) {
        int number = System.identityHashCode(object.getClass()) & (1 << CLASS_BITS) - 1;
        return number == 0 ? 1 : number;
    }

    private static void count(long arena, long called, int id, long type) {
        if (arena == SHARED) {
            return;
        }
        long number = called >>> 32 & (1 << METHOD_BITS) - 1;
        if (type != 0) {
            notes(arena + (number << 3), type);
        }
        long arc = number << METHOD_BITS + CLASS_BITS | (long) id << CLASS_BITS | type;
        long page = (number >>> 5) * 0x9e37_79b9_7f4a_7c15L >>> 56;
        long hash = arc * 0x9e37_79b9_7f4a_7c15L;
        int at = (int) (page << PAGE | hash >>> 64 - PAGE);
        for (int tries = 0; tries < TRIES; tries++) {
            int place = tries < TRIES / 2 ? at + tries : (int) (hash >>> 32) + tries * STRIDE;
            long entry = ((long) (place & LAST_ARC) << 4) + arena + ARCS;
            long found = U.getLong(null, entry);
            if (found == 0) {
                U.putLong(null, entry, arc);
                found = arc;
            }
            if (found == arc) {
                U.putLong(null, entry + 8, U.getLong(null, entry + 8) + 1);
                return;
            }
        }
        U.putLong(null, arena + LOST, U.getLong(null, arena + LOST) + 1);
    }

    /** Counts a change if the last receiver of a place in this thread was of another class. */
    private static void notes(long changes, long type) {
        long last = U.getLong(null, changes + 8);
        if (last != type) {
            U.putLong(null, changes + 8, type);
            if (last != 0) {
                U.putLong(null, changes, U.getLong(null, changes) + 1);
            }
        }
    }
}
