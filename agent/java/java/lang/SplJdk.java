package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * What open gates need to know of the JDK's own classes. Found when a controller comes, before any gate is
 * opened: finding it takes longer than all that a dormant agent does.
 */
final class SplJdk {
    private static final Unsafe U = Unsafe.getUnsafe();

    static final long BYTE_VALUE = U.objectFieldOffset(Byte.class, "value");
    static final long CHARACTER_VALUE = U.objectFieldOffset(Character.class, "value");
    static final long DOUBLE_VALUE = U.objectFieldOffset(Double.class, "value");
    static final long FLOAT_VALUE = U.objectFieldOffset(Float.class, "value");
    static final long INTEGER_VALUE = U.objectFieldOffset(Integer.class, "value");
    static final long LONG_VALUE = U.objectFieldOffset(Long.class, "value");
    static final long SHORT_VALUE = U.objectFieldOffset(Short.class, "value");
    static final long BOOLEAN_VALUE = U.objectFieldOffset(Boolean.class, "value");
    /** The class of virtual threads, null before JDK 19. */
    static final Class<?> VIRTUAL = find("java.lang.BaseVirtualThread");
    /** What {@code Thread.stop} throws; since JDK 20 only debuggers and the like can stop a thread. Null if there is none. */
    static final Class<?> THREAD_DEATH = find("java.lang.ThreadDeath");

    private SplJdk() {}

    private static Class<?> find(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }
}
