package java.lang;

import jdk.internal.misc.Unsafe;

/**
 * The numbers that objects have for their classes. The agent defines this class when the first drill begins, and names classes by it at the
 * end of one.
 *
 * <p>An object begins with the number of its class, from which the JVM has the class's address. The class's own object has that address at
 * some place, which differs from JVM to JVM: it is the one where addresses differ as numbers do.
 */
public final class SplNumbers {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Place of the number in an object. */
    private static final long NUMBER = 8;

    /** Bits by which addresses are shifted to become numbers, at most. */
    private static final int MOST_BITS = 10;

    /** Place of the address in a class's object, and bits by which it is shifted. */
    private static long place;

    private static int bits;

    /** Address and number of one class. */
    private static long address;

    private static long number;

    private SplNumbers() {}

    /** Finds the place within the bytes of a class's object; whether there is one. */
    public static boolean find(long bytes) {
        Object[] some = {new Object(), "", new int[0], new Object[0], Object.class, Thread.currentThread()};
        for (long at = NUMBER; at + 8 <= bytes; at += 8) {
            for (int by = 0; by <= MOST_BITS; by++) {
                if (fits(some, at, by)) {
                    place = at;
                    bits = by;
                    address = U.getLong(Object.class, at);
                    number = number(some[0]);
                    return true;
                }
            }
        }
        return false;
    }

    /** The number that objects of a class have. */
    public static long of(Class<?> one) {
        return (U.getLong(one, place) - address >> bits) + number;
    }

    private static boolean fits(Object[] some, long at, int by) {
        for (Object one : some) {
            long addresses = U.getLong(one.getClass(), at) - U.getLong(Object.class, at);
            if (addresses != number(one) - number(some[0]) << by) {
                return false;
            }
        }
        return true;
    }

    private static long number(Object object) {
        return U.getInt(object, NUMBER) & 0xffff_ffffL;
    }
}
