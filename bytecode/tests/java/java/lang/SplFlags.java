package java.lang;

/** Flags, for tests of the code that sets them. Tests that only link classes use any number. */
public final class SplFlags {
    public static final byte[] SET = new byte[1 << 22];

    private SplFlags() {}
}
