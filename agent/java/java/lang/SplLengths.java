package java.lang;

import java.util.Collection;
import java.util.Map;
import jdk.internal.misc.Unsafe;

/**
 * The length of an argument: its elements, its characters or its numeric value. The code cannot wait for a
 * lock, write, or walk through the elements. {@code Vector.size()} takes the vector's monitor, {@code
 * WeakHashMap.size()} removes entries, {@code ConcurrentLinkedQueue.size()} walks through all elements, and
 * the program's own collections may do anything.
 *
 * <p>Runs under the guard of {@link SplProbe}: code called from here records nothing.
 */
final class SplLengths {
    private static final Unsafe U = Unsafe.getUnsafe();
    /** Result of {@link #of} for a class that is not in the tables below. */
    static final long UNKNOWN = -1;

    /** Classes whose own methods only read a field or add up a few. Subclasses are not included. */
    private static final String[] QUICK = {
        "java.lang.String", "java.lang.StringBuilder", "java.lang.Integer", "java.lang.Long", "java.lang.Short",
        "java.lang.Byte", "java.lang.Double", "java.lang.Float",
        "java.util.concurrent.atomic.AtomicInteger", "java.util.concurrent.atomic.AtomicLong",
        "java.util.concurrent.atomic.LongAdder", "java.util.ArrayList", "java.util.LinkedList", "java.util.ArrayDeque",
        "java.util.PriorityQueue", "java.util.HashMap", "java.util.HashMap$KeySet", "java.util.HashMap$Values",
        "java.util.HashMap$EntrySet", "java.util.LinkedHashMap", "java.util.LinkedHashMap$LinkedKeySet",
        "java.util.LinkedHashMap$LinkedValues", "java.util.LinkedHashMap$LinkedEntrySet", "java.util.TreeMap",
        "java.util.HashSet", "java.util.LinkedHashSet", "java.util.IdentityHashMap", "java.util.EnumMap",
        "java.util.RegularEnumSet", "java.util.JumboEnumSet", "java.util.Arrays$ArrayList",
        "java.util.ImmutableCollections$List12", "java.util.ImmutableCollections$ListN",
        "java.util.ImmutableCollections$SubList", "java.util.ImmutableCollections$Set12",
        "java.util.ImmutableCollections$SetN", "java.util.ImmutableCollections$Map1", "java.util.ImmutableCollections$MapN",
        "java.util.Collections$EmptyList", "java.util.Collections$EmptySet", "java.util.Collections$EmptyMap",
        "java.util.Collections$SingletonList", "java.util.Collections$SingletonSet", "java.util.Collections$SingletonMap",
        "java.util.Collections$CopiesList", "java.util.concurrent.ConcurrentHashMap",
        "java.util.concurrent.CopyOnWriteArrayList", "java.util.concurrent.LinkedBlockingQueue",
    };
    /**
     * Classes that keep their count in a field, and their subclasses. Class names and field names alternate.
     */
    private static final String[] COUNTED = {
        "java.util.Vector", "elementCount", "java.util.Hashtable", "count", "java.lang.AbstractStringBuilder", "count",
    };
    /**
     * Classes whose field refers to an object with the elements, and their subclasses. Class names and field
     * names alternate.
     */
    private static final String[] WRAPPED = {
        "java.util.Collections$UnmodifiableCollection", "c", "java.util.Collections$UnmodifiableMap", "m",
        "java.util.Collections$SynchronizedCollection", "c", "java.util.Collections$SynchronizedMap", "m",
        "java.util.Collections$CheckedCollection", "c", "java.util.Collections$CheckedMap", "m",
        "java.util.Collections$SetFromMap", "m", "java.util.TreeSet", "m",
        "java.util.concurrent.CopyOnWriteArraySet", "al", "java.util.Properties", "map",
    };
    /** Most wrappers that are followed; a wrapper may contain itself. */
    private static final int MOST_WRAPPERS = 8;

    private static final int TABLE = 256;
    private static final Class<?>[] QUICK_CLASSES = new Class<?>[TABLE];
    private static final Field[] COUNTED_FIELDS = fields(COUNTED);
    private static final Field[] WRAPPED_FIELDS = fields(WRAPPED);

    static {
        for (String name : QUICK) {
            Class<?> type = find(name);
            if (type != null) {
                QUICK_CLASSES[placeOf(type)] = type;
            }
        }
    }

    private SplLengths() {}

    /**
     * Elements of an array, a collection or a map, characters of a text, the value of a number, at least 0; 0
     * for anything else, and {@link #UNKNOWN} for a text, collection, map or number of another class.
     */
    static long of(Object argument) {
        for (int i = 0; i < MOST_WRAPPERS && argument != null; i++) {
            Class<?> type = argument.getClass();
            if (type.isArray()) {
                return java.lang.reflect.Array.getLength(argument);
            }
            if (QUICK_CLASSES[placeOf(type)] != null) {
                return own(argument);
            }
            Field wrapped = fieldOf(WRAPPED_FIELDS, argument);
            if (wrapped == null) {
                Field counted = fieldOf(COUNTED_FIELDS, argument);
                if (counted != null) {
                    return positive(U.getInt(argument, counted.offset));
                }
                boolean speaks = argument instanceof CharSequence || argument instanceof Collection
                        || argument instanceof Map || argument instanceof Number;
                return speaks ? UNKNOWN : 0;
            }
            argument = U.getReference(argument, wrapped.offset);
        }
        return UNKNOWN;
    }

    /** The length that an object of a quick class reports. */
    private static long own(Object argument) {
        if (argument instanceof CharSequence) {
            return ((CharSequence) argument).length();
        }
        if (argument instanceof Collection) {
            return ((Collection<?>) argument).size();
        }
        if (argument instanceof Map) {
            return ((Map<?, ?>) argument).size();
        }
        return argument instanceof Number ? positive(((Number) argument).longValue()) : 0;
    }

    private static long positive(long number) {
        return number < 0 ? 0 : number;
    }

    /** Index of a class in the table, or of the free slot where it belongs. */
    private static int placeOf(Class<?> type) {
        int place = System.identityHashCode(type) & TABLE - 1;
        while (QUICK_CLASSES[place] != null && QUICK_CLASSES[place] != type) {
            place = place + 1 & TABLE - 1;
        }
        return place;
    }

    private static Field fieldOf(Field[] fields, Object argument) {
        for (Field field : fields) {
            if (field.type.isInstance(argument)) {
                return field;
            }
        }
        return null;
    }

    /** The fields that this JDK has. */
    private static Field[] fields(String[] names) {
        Field[] found = new Field[names.length / 2];
        int count = 0;
        for (int i = 0; i < names.length; i += 2) {
            Class<?> type = find(names[i]);
            if (type != null) {
                try {
                    found[count] = new Field(type, U.objectFieldOffset(type, names[i + 1]));
                    count++;
                } catch (InternalError e) {
                    // The field has another name in this JDK: the class counts as unknown.
                    continue;
                }
            }
        }
        return java.util.Arrays.copyOf(found, count);
    }

    private static Class<?> find(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    /** A field of a class. */
    private static final class Field {
        final Class<?> type;
        final long offset;

        Field(Class<?> type, long offset) {
            this.type = type;
            this.offset = offset;
        }
    }
}
