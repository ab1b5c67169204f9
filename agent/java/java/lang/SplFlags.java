package java.lang;

/**
 * The flags of a drill that finds out which blocks run. The agent defines this class in the boot loader when the first
 * such drill begins.
 *
 * <p>The code of the program writes into the array by itself: a call could overflow the stack where the program would
 * not. The agent copies the array to where the controller reads it.
 */
public final class SplFlags {
    /** One flag each. The agent's {@code arenas.rs} has the same number. */
    public static final byte[] SET = new byte[1 << 21];

    private SplFlags() {}
}
