import java.io.IOException;

/**
 * Pairs of methods whose times have a known ratio: each runs a chain of steps of which every one needs the result of the one
 * before, so that its time is the number of steps. Runs until its input ends.
 *
 * <p>A method named {@code plain120} does 1.2 times the steps of {@code base120}; {@code outer120} calls {@code inner120} and
 * does the steps that are missing to 1.2 times those of {@code inner120} itself.
 */
public final class Ratios {

    /** Some ten microseconds. */
    private static final int STEPS = 3_000;

    private static volatile boolean ended;
    private static volatile long result;

    private Ratios() {}

    public static void main(String[] args) {
        Thread input = new Thread(Ratios::awaitEnd, "input");
        input.setDaemon(true);
        input.start();
        long value = 1;
        while (!ended) {
            value = round(value);
            result = value;
        }
    }

    private static void awaitEnd() {
        try {
            while (System.in.read() >= 0) {}
        } catch (IOException gone) {
            // As good as the end.
        }
        ended = true;
    }

    private static long round(long start) {
        long value = start;
        value = plain100(base100(value));
        value = plain105(base105(value));
        value = plain120(base120(value));
        value = plain200(base200(value));
        value = outer100(inner100(value));
        value = outer105(inner105(value));
        value = outer120(inner120(value));
        return outer200(inner200(value));
    }

    private static long steps(long start, int count) {
        long value = start;
        for (int i = 0; i < count; i++) {
            value = value * 6364136223846793005L + 1442695040888963407L;
            value ^= value >>> 33;
        }
        return value;
    }

    static long base100(long value) {
        return steps(value, STEPS);
    }

    static long plain100(long value) {
        return steps(value, STEPS);
    }

    static long base105(long value) {
        return steps(value, STEPS);
    }

    static long plain105(long value) {
        return steps(value, STEPS + STEPS / 20);
    }

    static long base120(long value) {
        return steps(value, STEPS);
    }

    static long plain120(long value) {
        return steps(value, STEPS + STEPS / 5);
    }

    static long base200(long value) {
        return steps(value, STEPS);
    }

    static long plain200(long value) {
        return steps(value, STEPS + STEPS);
    }

    static long inner100(long value) {
        return steps(value, STEPS);
    }

    static long outer100(long value) {
        return inner100(value);
    }

    static long inner105(long value) {
        return steps(value, STEPS);
    }

    static long outer105(long value) {
        return steps(inner105(value), STEPS / 20);
    }

    static long inner120(long value) {
        return steps(value, STEPS);
    }

    static long outer120(long value) {
        return steps(inner120(value), STEPS / 5);
    }

    static long inner200(long value) {
        return steps(value, STEPS);
    }

    static long outer200(long value) {
        return steps(inner200(value), STEPS);
    }
}
