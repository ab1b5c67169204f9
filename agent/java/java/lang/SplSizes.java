package java.lang;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.lang.reflect.AccessibleObject;
import jdk.internal.misc.Unsafe;
import spl.size.Computable;

/**
 * Workload sizes in bytes (thesis 3.2.2), from class layouts that are looked up once per class.
 *
 * <p>Runs under the guard of {@link SplProbe}: code called from here records nothing. It may allocate, unlike
 * the recorder.
 */
final class SplSizes {
    private static final Unsafe U = Unsafe.getUnsafe();
    /** Most objects that {@link #deep} visits for one argument; the agent sets it. */
    static int visits = 10_000;
    /** References that {@link #deep} reads for each object of its limit; large arrays may hold only nulls. */
    private static final int LOOKS = 16;
    /** Mark of a size whose computation stopped at {@link #visits}. */
    static final long TRUNCATED = 1L << 62;

    /**
     * Objects begin at multiples of this number of bytes, 256 at most (HotSpot, {@code
     * ObjectAlignmentInBytes}).
     */
    private static final long ALIGNMENT;
    /**
     * Bytes before the elements of a byte array; wider elements may begin later, at a multiple of their
     * width.
     */
    private static final long ARRAY_BASE;

    static {
        // The agent defines the package spl.size in the unnamed module, which java.base does not read by
        // default.
        Object.class.getModule().implAddReadsAllUnnamed();
        // Measured like this because Unsafe.arrayBaseOffset returns an int in JDK 21 and a long in 25.
        long empty = bytes(new byte[0]);
        int length = 1;
        while (length < 256 && bytes(new byte[length]) == empty) {
            length++;
        }
        ALIGNMENT = bytes(new byte[length]) - empty;
        ARRAY_BASE = empty - (length - 1);
    }

    private static volatile Layouts layouts = new Layouts(64);

    private SplSizes() {}

    /**
     * Bytes of an object as the JVM lays it out (JVM TI GetObjectSize). The JVM finds this method in the
     * agent's library by name.
     */
    private static native long bytes(Object object);

    /**
     * Names of a class's fields that refer to objects, separated by {@code /}, without those of its
     * superclasses. They come from JVM TI, because reflection loads the fields' types: the program's class
     * loaders would run in a thread that may hold any lock. The JVM finds this method in the agent's library
     * by name.
     */
    private static native String references(Class<?> type);

    /** Forgets all classes and size processors, so that no class is kept alive while nothing is measured. */
    static void forget() {
        layouts = new Layouts(64);
        SplProcessors.forget();
    }

    /** Saturating sum that keeps the mark of a truncated size. */
    static long add(long sum, long size) {
        long mark = (sum | size) & TRUNCATED;
        long total = (sum & ~TRUNCATED) + (size & ~TRUNCATED);
        return (total < SplProcessors.LABEL ? total : SplProcessors.LABEL - 1) | mark;
    }

    /**
     * The size of one argument: the size it computes itself if it can, else the size of all reachable
     * objects.
     */
    static long argument(Object argument) {
        if (argument instanceof Computable) {
            long own = SplProcessors.computed((Computable) argument);
            if (own != SplProcessors.NONE) {
                return own;
            }
        }
        return deep(argument);
    }

    /** The length by {@link SplLengths#of}. An unknown length counts as 0, with a warning to the operator. */
    static long length(Object argument) {
        long length = SplLengths.of(argument);
        return length == SplLengths.UNKNOWN ? SplProcessors.uncounted(argument) : length;
    }

    /**
     * The default size of a call whose arguments are boxed.
     *
     * @param widths of each primitive parameter in bytes, 0 for a reference, as digits
     */
    static long all(Object[] arguments, String widths) {
        long sum = 0;
        for (int i = 0; i < arguments.length; i++) {
            int width = widths.charAt(i) - '0';
            if (width != 0) {
                sum = add(sum, width);
            } else if (arguments[i] != null) {
                sum = add(sum, argument(arguments[i]));
            }
        }
        return sum;
    }

    /** The size of the object itself, without the objects it refers to. */
    static long shallow(Object object) {
        Class<?> type = object.getClass();
        return type.isArray() ? arrayBytes(object, type) : layout(type, object).bytes;
    }

    /**
     * The size of all objects reachable from {@code root}, each counted once. Classes, class loaders,
     * threads, modules, reflection's members and the referents of reference objects are left out: nearly the
     * whole heap is reachable through them.
     */
    static long deep(Object root) {
        Visit visit = new Visit();
        visit.push(root);
        long total = 0;
        int limit = visits;
        long looks = (long) limit * LOOKS;
        while (visit.pending > 0) {
            if (visit.seen > limit || looks < 0) {
                return add(total, TRUNCATED);
            }
            Object object = visit.pop();
            Class<?> type = object.getClass();
            if (!type.isArray()) {
                Layout layout = layout(type, object);
                total += layout.bytes;
                for (long offset : layout.references(type)) {
                    // The method is called getObject up to JDK 11; the agent renames it there before it
                    // defines this class.
                    visit.push(U.getReference(object, offset));
                }
                continue;
            }
            total += arrayBytes(object, type);
            if (object instanceof Object[]) {
                for (Object element : (Object[]) object) {
                    if (visit.seen > limit || --looks < 0) {
                        break;
                    }
                    visit.push(element);
                }
            }
        }
        return looks < 0 ? add(total, TRUNCATED) : total;
    }

    private static Layout layout(Class<?> type, Object instance) {
        Layouts known = layouts;
        Layout layout = known.get(type);
        if (layout == null) {
            layout = new Layout(type, instance);
            layouts = known.with(layout);
        }
        return layout;
    }

    private static long arrayBytes(Object array, Class<?> type) {
        long length = java.lang.reflect.Array.getLength(array);
        int width = U.arrayIndexScale(type);
        return up(up(ARRAY_BASE, width) + length * width, ALIGNMENT);
    }

    /** The next multiple of a power of two. */
    private static long up(long bytes, long power) {
        return bytes + power - 1 & -power;
    }

    /** Size of a class's instances and offsets of their references. Keeps no class alive. */
    private static final class Layout {
        final WeakReference<Class<?>> type;
        final int hash;
        /** Bytes of each instance. */
        private final long bytes;
        /** Looked up at the first use. */
        private volatile long[] references;

        Layout(Class<?> type, Object instance) {
            this.type = new WeakReference<>(type);
            hash = System.identityHashCode(type);
            bytes = SplSizes.bytes(instance);
        }

        long[] references(Class<?> type) {
            long[] known = references;
            if (known == null) {
                known = isOpaque(type) ? new long[0] : offsets(type);
                references = known;
            }
            return known;
        }

        /** Whether nearly the whole heap is reachable through instances of the class. */
        private static boolean isOpaque(Class<?> type) {
            return Reference.class.isAssignableFrom(type)
                    || AccessibleObject.class.isAssignableFrom(type)
                    || type == Module.class
                    || type == ModuleLayer.class;
        }

        /**
         * Offsets of the reference fields. Fields with an unknown offset are left out: a wrong offset would
         * crash the JVM.
         */
        private static long[] offsets(Class<?> type) {
            long[] found = new long[8];
            int count = 0;
            for (Class<?> c = type; c != null; c = c.getSuperclass()) {
                String names = SplSizes.references(c);
                if (names == null || names.isEmpty()) {
                    continue;
                }
                for (String name : names.split("/")) {
                    if (count == found.length) {
                        found = java.util.Arrays.copyOf(found, 2 * count);
                    }
                    try {
                        found[count] = U.objectFieldOffset(c, name);
                        count++;
                    } catch (InternalError e) {
                        // The name is not a valid Java string.
                        continue;
                    }
                }
            }
            return java.util.Arrays.copyOf(found, count);
        }
    }

    /**
     * Open addressing by identity. Each insertion replaces the table by a new one, so that readers need no
     * lock.
     */
    private static final class Layouts {
        private final Layout[] table;
        private final int count;

        Layouts(int capacity) {
            this(new Layout[capacity], 0);
        }

        private Layouts(Layout[] table, int count) {
            this.table = table;
            this.count = count;
        }

        Layout get(Class<?> type) {
            int mask = table.length - 1;
            for (int i = System.identityHashCode(type) & mask; table[i] != null; i = i + 1 & mask) {
                if (table[i].type.get() == type) {
                    return table[i];
                }
            }
            return null;
        }

        Layouts with(Layout layout) {
            Layout[] wider = new Layout[4 * (count + 1) > 3 * table.length ? 2 * table.length : table.length];
            int kept = 1;
            put(wider, layout);
            for (Layout old : table) {
                if (old != null && old.type.get() != null) {
                    put(wider, old);
                    kept++;
                }
            }
            return new Layouts(wider, kept);
        }

        private static void put(Layout[] table, Layout layout) {
            int mask = table.length - 1;
            int i = layout.hash & mask;
            while (table[i] != null) {
                i = i + 1 & mask;
            }
            table[i] = layout;
        }
    }

    /**
     * The objects of one traversal: an identity set, and a stack of the objects whose fields are still to be
     * read.
     */
    private static final class Visit {
        private Object[] set = new Object[64];
        private Object[] stack = new Object[32];
        int seen;
        int pending;

        void push(Object object) {
            if (object == null || object instanceof Class || object instanceof ClassLoader || object instanceof Thread) {
                return;
            }
            if (2 * (seen + 1) > set.length) {
                Object[] old = set;
                set = new Object[2 * old.length];
                for (Object o : old) {
                    if (o != null) {
                        insert(o);
                    }
                }
            }
            if (!insert(object)) {
                return;
            }
            seen++;
            if (pending == stack.length) {
                stack = java.util.Arrays.copyOf(stack, 2 * pending);
            }
            stack[pending++] = object;
        }

        Object pop() {
            Object top = stack[--pending];
            stack[pending] = null;
            return top;
        }

        private boolean insert(Object object) {
            int mask = set.length - 1;
            int i = System.identityHashCode(object) & mask;
            while (set[i] != null) {
                if (set[i] == object) {
                    return false;
                }
                i = i + 1 & mask;
            }
            set[i] = object;
            return true;
        }
    }
}
