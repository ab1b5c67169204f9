package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * What open gates need to know of the JDK's own classes. Apart from {@link SplProbe}, because finding it takes longer than all
 * else that a dormant agent does: it is found when a controller comes, before any gate is opened.
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
    /**
     * What {@code Thread.stop} throws. Null in JDKs with virtual threads, where nobody can stop a thread and one that comes is
     * thrown by the user code that takes a size.
     */
    static final Class<?> THREAD_DEATH = VIRTUAL == null ? find("java.lang.ThreadDeath") : null;

    private SplJdk() {}

    private static Class<?> find(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }
}
