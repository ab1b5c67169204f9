package peers;

/** The bodies, never measured: what the program is without any of this. */
final class Plain {
    /** Steps of a body of some hundred nanoseconds. */
    static final int STEPS = 67;
    /** Activations of {@link #nested} on top of one another, as in MooBench's recursive method. */
    static final int DEPTH = 10;

    private Plain() {}

    /** A chain of five cycles that no compiler can shorten: about two nanoseconds. */
    static long tiny(long x) {
        return (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
    }

    /** A hundred nanoseconds of such steps, each of which needs the result of the one before. */
    static long busy(long x) {
        for (int i = 0; i < STEPS; i++) {
            x = (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
        }
        return x;
    }

    /** Calls itself until nothing is left of the depth. */
    static long nested(long x, int depth) {
        return depth == 1 ? (x ^ x >>> 7) * 0x9e3779b97f4a7c15L : nested(x, depth - 1);
    }
}
