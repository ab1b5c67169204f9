package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * Offsets and classes of the JDK that open gates use. Looked up when a controller connects, before any gate
 * is opened: the look-up takes longer than all the work of a dormant agent.
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
     * The class that {@code Thread.stop} throws, or null if the JDK lacks it. Since JDK 20 only debuggers and
     * similar tools can stop a thread.
     */
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
