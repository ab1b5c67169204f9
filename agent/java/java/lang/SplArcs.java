package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * Counts the arcs of the call graph, which place calls which method, with which class of receiver; or the receivers alone; and arrays. The agent defines this class in
 * the boot loader when the first drill begins.
 *
 * <p>In front of a call a thread stores the number of the place in its arena, and the called method reads it at its start. A method looks its
 * arena up at its start, and takes it from there. A virtual thread may go on in another carrier within a method: in the form of this class for
 * virtual threads, which the build makes, each statement {@code long own = arena} looks it up again. A thread without an arena of its own counts
 * no arcs, since others store there too.
 *
 * <p>An arena ends with a table of arcs. Only the arena's thread writes to it, and it never waits: when there is no room for another
 * arc, its calls count as lost. A word of each call, among the counters, tells its last arc with the arc's entry: most calls enter the
 * same method as before, and count without looking for it.
 *
 * <p>Where receivers count alone, the call counts them itself, and no called method looks at anything.
 */
public final class SplArcs {
    private static final Unsafe U = Unsafe.getUnsafe();

    // A placeholder that the agent replaces in the constant pool, as in SplProbe: the arena of all threads without their own.
    private static final long SHARED = 0x5350_4c00_0000_0006L;

    /**
     * The sizes of arrays in this JVM, a byte each: from the lowest on the bytes in front of the elements, by binary logarithm of the
     * elements' size and then of references; the binary logarithm of a reference's bytes; that of the bytes to which sizes are rounded; and the
     * place of the 4-byte number of an object's class in the object, 0 where it has none that the agent understands.
     */
    private static final long LAYOUT = 0x5350_4c00_0000_0009L;

    /** Elements that are references. */
    private static final int REFERENCES = 4;

    /** Places in the layout, in bits. */
    private static final int POWER = 40;

    private static final int ALIGNMENT = 48;

    private static final int CLASS_NUMBER = 56;

    /** Numbers of arrays by their sizes. */
    private static final long BINS = 9;

    /** Places in an arena, in bytes: arcs that found no room, what the thread is about to call, and the table of arcs. */
    private static final long LOST = (1 << 24) - 24;

    private static final long CALLED = (1 << 24) - 16;
    private static final long ARCS = (1 << 24) - (1 << 12) - (1 << 20);

    /** Entries of the table of arcs, less 1: each has the arc and its count. */
    private static final int LAST_ARC = (1 << 16) - 1;

    /** Bits of an entry's number. */
    private static final int ENTRY_BITS = 16;

    /** Binary logarithm of the entries of a page, in which the calls of 32 neighbouring numbers begin to look for room. */
    private static final int PAGE = 8;

    /** Entries in which an arc may stand: the first half near its call's page, the others anywhere. */
    private static final int TRIES = 128;

    /** Distance of these others: more than the entries that one call fills. */
    private static final int STRIDE = 515;

    /** Bit of what a thread is about to call: its receiver chooses the method. */
    private static final long DISPATCHED = 1L << 62;

    /** Bits of an arc for its receiver's class, and for a method. */
    private static final int CLASS_BITS = 22;

    private static final int METHOD_BITS = 21;

    /** Words of a call whose receivers count: the last receiver's class, and the count of the first one's. Changes have the first word. */
    private static final long LAST = 8;

    private static final long FIRST = 16;

    /** Bits of a hash next to a class's number. */
    private static final int HASH_BITS = 11;

    /** Bit of a count in the table: the call's own word has it. */
    private static final long OWN = 1L << 63;

    /** Bit of a call's word: there was no room for its last arc. */
    private static final long LOST_ARC = 1L << 62;

    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    private SplArcs() {}

    /** The arena in which the thread counts. */
    @ForceInline
    public static long arena() {
        // From JDK 21 on the agent replaces the name: the carrier of a virtual thread has the arena.
        long tid = U.getLong(Thread.currentThread(), TID);
        return SplCounters.ARENAS[(int) tid & SplCounters.MASK];
    }

    /** The arena that has the counters of a method at this address. */
    @ForceInline
    public static long arena(long counters, int id) {
        return counters - ((long) id << 3);
    }

    /** Tells which call follows, and the digest of the called method's name and descriptor. */
    @ForceInline
    public static void calling(long arena, int number, int member) {
        long own = arena;
        U.putLong(null, own + CALLED, ((long) number << 32) | (member & 0xffff_ffffL));
    }

    /** Undoes what the method's own calls have told. */
    @ForceInline
    public static void returned(long arena, long before) {
        long own = arena;
        U.putLong(null, own + CALLED, before);
    }

    /** Counts the arc to a static method or a constructor, at its start; gives what its end hands to {@code returned}. */
    @ForceInline
    public static long entered(long arena, int id, int member) {
        long called = U.getLong(null, arena + CALLED);
        if (called != 0) {
            passedOn(arena, called, id);
        }
        return called;
    }

    /** Counts the arc to a method of an object, at its start; gives what its end hands to {@code returned}. */
    @ForceInline
    public static long entered(long arena, int id, int member, Object receiver) {
        long called = U.getLong(null, arena + CALLED);
        if (called != 0) {
            if ((int) called == member && (called & DISPATCHED) != 0) {
                count(arena, called, id, number(receiver), place(arena, called) + 8);
            } else {
                passedOn(arena, called, id);
            }
        }
        return called;
    }

    /** Counts the class of a receiver, in front of the call. */
    @ForceInline
    public static void receiver(Object receiver, long arena, int number) {
        long own = arena;
        if (receiver != null) {
            long last = U.getLong(null, own + ((long) number << 3) + LAST);
            if ((int) last == type(receiver, own)) {
                long at = own + (last >>> 32);
                U.putLong(null, at, U.getLong(null, at) + 1);
            } else {
                otherReceiver(receiver, own, number);
            }
        }
    }

    /** Counts a receiver whose class is known, in front of the call. */
    @ForceInline
    public static void known(Object receiver, long arena, int number) {
        long own = arena;
        if (receiver != null) {
            long at = own + ((long) number << 3);
            U.putLong(null, at, U.getLong(null, at) + 1);
        }
    }

    /** Counts an array whose instruction has succeeded. */
    @ForceInline
    public static void array(int length, long arena, int number, int elements) {
        long own = arena;
        add(own + ((long) number << 3), bytes(length, elements), 1);
    }

    /** Counts an array of arrays with those in it, whose instruction has succeeded. All arrays of a level are of one length. */
    public static void arrays(Object outermost, long arena, int number, int elements, int levels) {
        long own = arena;
        long place = own + ((long) number << 3);
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

    /** A number of an object's class, which no other loaded class has where the JVM's objects have one; never 0. */
    @ForceInline
    private static int type(Object object, long arena) {
        long at = layout(CLASS_NUMBER);
        // The first bit of an address is 0, which a compiler does not know: it would call a native method for the known place of a class.
        return at == 0 ? identity(object) : U.getInt(object, at + (arena >>> 63));
    }

    /** The identity hash of an object's class, never 0. */
    private static int identity(Object object) {
        int hash = System.identityHashCode(object.getClass());
        return hash == 0 ? 1 : hash;
    }

    /**
     * The bits for an object's class in the table: its number with some bits of the identity hash, because a class may get the number of one that
     * was unloaded; else the hash.
     */
    private static long entry(Object object, long arena) {
        long hash = identity(object);
        long type = type(object, arena) & 0xffff_ffffL;
        return layout(CLASS_NUMBER) == 0 ? hash : (hash & (1 << HASH_BITS) - 1) << 32 | type;
    }

    /**
     * Counts a receiver of another class than before. The first class of a call counts in the call's own word, near the other counters of the
     * method, the others in the table; the word of the last receiver says where.
     */
    @DontInline
    private static void otherReceiver(Object receiver, long arena, int number) {
        if (arena == SHARED) {
            return;
        }
        long place = arena + ((long) number << 3);
        int entry = find(arena, number, (long) number << METHOD_BITS + CLASS_BITS | entry(receiver, arena));
        boolean isFirst = U.getLong(null, place + LAST) == 0;
        long at = LOST;
        if (entry >= 0) {
            at = ARCS + 8 + ((long) entry << 4);
            long count = U.getLong(null, arena + at);
            if (count == 0 && isFirst) {
                U.putLong(null, arena + at, OWN);
            }
            if (count < 0 || count == 0 && isFirst) {
                at = ((long) number << 3) + FIRST;
            }
        }
        if (!isFirst) {
            U.putLong(null, place, U.getLong(null, place) + 1);
        }
        U.putLong(null, place + LAST, at << 32 | type(receiver, arena) & 0xffff_ffffL);
        U.putLong(null, arena + at, U.getLong(null, arena + at) + 1);
    }

    /** Number of an object's class: some bits of the class's identity hash, never 0. */
    private static long number(Object object) {
        int number = System.identityHashCode(object.getClass()) & (1 << CLASS_BITS) - 1;
        return number == 0 ? 1 : number;
    }

    /** Counts an arc that no receiver has chosen. */
    @ForceInline
    private static void passedOn(long arena, long called, int id) {
        if ((called & DISPATCHED) != 0) {
            unchosen(arena, called, id);
        } else {
            count(arena, called, id, 0, place(arena, called));
        }
    }

    /** The first word of a call's number. */
    @ForceInline
    private static long place(long arena, long called) {
        return arena + ((called >>> 32 & (1 << METHOD_BITS) - 1) << 3);
    }

    /** Counts an arc. The word {@code last} is that of the call's last arc and its entry, if it had one. */
    @ForceInline
    private static void count(long arena, long called, int id, long type, long last) {
        long word = U.getLong(null, last);
        if (word >>> ENTRY_BITS == key(id, type)) {
            long at = arena + ARCS + 8 + ((word & LAST_ARC) << 4);
            U.putLong(null, at, U.getLong(null, at) + 1);
        } else {
            other(arena, called, id, type, last, word);
        }
    }

    /** The last arc in a call's word, without the entry's bits; never 0. */
    @ForceInline
    private static long key(int id, long type) {
        return 1L << METHOD_BITS + CLASS_BITS | (long) id << CLASS_BITS | type;
    }

    /** Counts an arc that no receiver has chosen, of a call whose receivers choose: its word is for those. */
    @DontInline
    private static void unchosen(long arena, long called, int id) {
        if (arena != SHARED) {
            add(arena, called, id, 0);
        }
    }

    /** Counts an arc that is not the last one of its call. Of another receiver in the same thread a change counts, too. */
    @DontInline
    private static void other(long arena, long called, int id, long type, long last, long word) {
        if (arena == SHARED) {
            return;
        }
        // First: where the stack has no room for this call, nothing has changed.
        int entry = add(arena, called, id, type);
        if (type != 0 && word != 0 && (word >>> ENTRY_BITS & (1 << CLASS_BITS) - 1) != type) {
            U.putLong(null, last - 8, U.getLong(null, last - 8) + 1);
        }
        // Of an arc without an entry the receiver is kept, too, in a word that has no arc.
        U.putLong(null, last, entry < 0 ? LOST_ARC | type << ENTRY_BITS : key(id, type) << ENTRY_BITS | entry);
    }

    /** Counts an arc, and gives the number of its entry; -1 if there was no room for it. */
    @DontInline
    private static int add(long arena, long called, int id, long type) {
        long number = called >>> 32 & (1 << METHOD_BITS) - 1;
        int place = find(arena, number, number << METHOD_BITS + CLASS_BITS | (long) id << CLASS_BITS | type);
        long at = place < 0 ? arena + LOST : arena + ARCS + 8 + ((long) place << 4);
        U.putLong(null, at, U.getLong(null, at) + 1);
        return place;
    }

    /** The number of an arc's entry, which may be new; -1 if there was no room for it. The call has this number. */
    @DontInline
    private static int find(long arena, long number, long arc) {
        long page = (number >>> 5) * 0x9e37_79b9_7f4a_7c15L >>> 56;
        long hash = arc * 0x9e37_79b9_7f4a_7c15L;
        int at = (int) (page << PAGE | hash >>> 64 - PAGE);
        for (int tries = 0; tries < TRIES; tries++) {
            int place = (tries < TRIES / 2 ? at + tries : (int) (hash >>> 32) + tries * STRIDE) & LAST_ARC;
            long entry = ((long) place << 4) + arena + ARCS;
            long found = U.getLong(null, entry);
            if (found == 0) {
                U.putLong(null, entry, arc);
                found = arc;
            }
            if (found == arc) {
                return place;
            }
        }
        return -1;
    }
}
