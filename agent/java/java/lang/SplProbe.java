package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;

/**
 * The methods that the probes in a measured method call. The agent defines this class in the boot loader, so
 * that every class of every loader resolves it.
 *
 * <p>This class holds only the code for a closed gate. It exists from the program's start, because a class
 * that was rewritten beforehand calls it, and a dormant agent should cost nothing. All code for an open gate
 * is in {@link SplRecorder}, which is defined when the first controller connects, before any gate is opened.
 *
 * <p>The gates lie in native memory that the agent maps at start and never unmaps; their layout is in the
 * agent's {@code layout.rs}, and both must agree.
 */
public final class SplProbe {
    private static final Unsafe U = Unsafe.getUnsafe();

    // A placeholder that the agent replaces in the constant pool before it defines the class, so that the
    // compilers see the real address as a constant. Its value must differ from any other constant of this
    // class.
    private static final long GATES = 0x5350_4c00_0000_0001L;

    private static final int GATE_SHIFT = 4;

    /**
     * Exits that could not be recorded, for example after a stack overflow. The handlers of the measured
     * methods count them without a call and without an atomic operation. Any change means that depths may be
     * too large.
     */
    public static int lost;

    private SplProbe() {}

    /**
     * The gate: 0 when this call is not sampled, else a token to be handed to {@link #begin} and {@link
     * #leave}.
     */
    @ForceInline
    public static int enter(int id) {
        long at = ((long) id << GATE_SHIFT) + GATES;
        // One read of both halves: the sampling interval is the lower one, the epoch the upper one.
        long gate = U.getLong(null, at);
        return (int) gate == 0 ? 0 : SplRecorder.opened(id);
    }

    /** The start clock, read last before the body. */
    @ForceInline
    public static long begin(int token) {
        if (token == 0) {
            return 0;
        }
        long now = System.nanoTime();
        // Keeps the body's loads behind the clock.
        U.loadFence();
        return now;
    }

    /** The body has returned. */
    @ForceInline
    public static void leave(long start, int token) {
        if (token != 0) {
            SplRecorder.returned(start, token);
        }
    }

    /** The body has returned, in a method whose workload size is taken. */
    @ForceInline
    public static void leave(long start, int token, long size) {
        if (token != 0) {
            SplRecorder.returned(start, token, size);
        }
    }

    /** The body has thrown. */
    @DontInline
    public static void thrown(long start, int token) {
        if (token != 0) {
            SplRecorder.thrown(start, token, -1L);
        }
    }

    /** The body has thrown, in a method whose workload size is taken. */
    @DontInline
    public static void thrown(long start, int token, long size) {
        if (token != 0) {
            SplRecorder.thrown(start, token, size);
        }
    }

    /** {@code sum} and the shallow size of {@code argument} in bytes. */
    @ForceInline
    public static long sizeof(int token, long sum, Object argument) {
        return token == 0 || argument == null ? sum : SplRecorder.sizeof(token, sum, argument);
    }

    /** {@code sum} and the bytes of all objects reachable from {@code argument}, each counted once. */
    @ForceInline
    public static long deep(int token, long sum, Object argument) {
        return token == 0 || argument == null ? sum : SplRecorder.deep(token, sum, argument);
    }

    /** {@code sum} and the number of elements of {@code argument}. */
    @ForceInline
    public static long length(int token, long sum, Object argument) {
        return token == 0 || argument == null ? sum : SplRecorder.length(token, sum, argument);
    }

    /** {@code sum} and {@code number}. */
    @ForceInline
    public static long length(int token, long sum, long number) {
        return token == 0 || number <= 0 ? sum : SplRecorder.length(sum, number);
    }

    /** Room for the arguments of a call. Null when the call is not sampled or memory is short. */
    @ForceInline
    public static Object[] arguments(int token, int count) {
        return token == 0 ? null : SplRecorder.room(count);
    }

    /** Stores a reference argument in {@code arguments}. */
    @ForceInline
    public static void argument(Object[] arguments, int index, Object value) {
        if (arguments != null) {
            arguments[index] = value;
        }
    }

    /** Stores an argument in {@code arguments}, boxed. */
    @ForceInline
    public static void argument(Object[] arguments, int index, byte value) {
        if (arguments != null) {
            SplRecorder.argument(arguments, index, value);
        }
    }

    /** Stores an argument in {@code arguments}, boxed. */
    @ForceInline
    public static void argument(Object[] arguments, int index, char value) {
        if (arguments != null) {
            SplRecorder.argument(arguments, index, value);
        }
    }

    /** Stores an argument in {@code arguments}, boxed. */
    @ForceInline
    public static void argument(Object[] arguments, int index, double value) {
        if (arguments != null) {
            SplRecorder.argument(arguments, index, value);
        }
    }

    /** Stores an argument in {@code arguments}, boxed. */
    @ForceInline
    public static void argument(Object[] arguments, int index, float value) {
        if (arguments != null) {
            SplRecorder.argument(arguments, index, value);
        }
    }

    /** Stores an argument in {@code arguments}, boxed. */
    @ForceInline
    public static void argument(Object[] arguments, int index, int value) {
        if (arguments != null) {
            SplRecorder.argument(arguments, index, value);
        }
    }

    /** Stores an argument in {@code arguments}, boxed. */
    @ForceInline
    public static void argument(Object[] arguments, int index, long value) {
        if (arguments != null) {
            SplRecorder.argument(arguments, index, value);
        }
    }

    /** Stores an argument in {@code arguments}, boxed. */
    @ForceInline
    public static void argument(Object[] arguments, int index, short value) {
        if (arguments != null) {
            SplRecorder.argument(arguments, index, value);
        }
    }

    /** Stores an argument in {@code arguments}, boxed. */
    @ForceInline
    public static void argument(Object[] arguments, int index, boolean value) {
        if (arguments != null) {
            SplRecorder.argument(arguments, index, value);
        }
    }

    /** The size that the method's processor computes: the marked number of a label, else the default size. */
    @ForceInline
    public static long computed(int token, Class<?> owner, Object self, Object[] arguments) {
        return token == 0 ? 0 : SplRecorder.computed(token, owner, self, arguments);
    }
}
