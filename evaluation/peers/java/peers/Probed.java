package peers;

/** The bodies of {@link Plain}, to be measured: this class has nothing else, so that a filter by class takes them alone. */
final class Probed {
    private Probed() {}

    static long tiny(long x) {
        return (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
    }

    static long busy(long x) {
        for (int i = 0; i < Plain.STEPS; i++) {
            x = (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
        }
        return x;
    }

    static long nested(long x, int depth) {
        return depth == 1 ? (x ^ x >>> 7) * 0x9e3779b97f4a7c15L : nested(x, depth - 1);
    }
}
