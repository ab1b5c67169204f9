package peers;

/** Bursts of {@link #CALLS} calls, each with the last one's result, of the bodies of one class. */
abstract class Calls {
    /** Fewer than the agent's rings hold. */
    static final int CALLS = 1500;

    abstract long tiny(long x);

    abstract long busy(long x);

    abstract long nested(long x);

    static final class OfPlain extends Calls {
        @Override
        long tiny(long x) {
            for (int i = 0; i < CALLS; i++) {
                x = Plain.tiny(x);
            }
            return x;
        }

        @Override
        long busy(long x) {
            for (int i = 0; i < CALLS; i++) {
                x = Plain.busy(x);
            }
            return x;
        }

        @Override
        long nested(long x) {
            for (int i = 0; i < CALLS / Plain.DEPTH; i++) {
                x = Plain.nested(x, Plain.DEPTH);
            }
            return x;
        }
    }

    static final class OfFloor extends Calls {
        private final Floor floor = new Floor();

        @Override
        long tiny(long x) {
            for (int i = 0; i < CALLS; i++) {
                x = floor.tiny(x);
            }
            return x;
        }

        @Override
        long busy(long x) {
            for (int i = 0; i < CALLS; i++) {
                x = floor.busy(x);
            }
            return x;
        }

        @Override
        long nested(long x) {
            for (int i = 0; i < CALLS / Plain.DEPTH; i++) {
                x = floor.nested(x, Plain.DEPTH);
            }
            return x;
        }
    }

    static final class OfRecording extends Calls {
        private final Recording recording = new Recording();

        @Override
        long tiny(long x) {
            for (int i = 0; i < CALLS; i++) {
                x = recording.tiny(x);
            }
            return x;
        }

        @Override
        long busy(long x) {
            for (int i = 0; i < CALLS; i++) {
                x = recording.busy(x);
            }
            return x;
        }

        @Override
        long nested(long x) {
            for (int i = 0; i < CALLS / Plain.DEPTH; i++) {
                x = recording.nested(x, Plain.DEPTH);
            }
            return x;
        }
    }

    static final class OfProbed extends Calls {
        @Override
        long tiny(long x) {
            for (int i = 0; i < CALLS; i++) {
                x = Probed.tiny(x);
            }
            return x;
        }

        @Override
        long busy(long x) {
            for (int i = 0; i < CALLS; i++) {
                x = Probed.busy(x);
            }
            return x;
        }

        @Override
        long nested(long x) {
            for (int i = 0; i < CALLS / Plain.DEPTH; i++) {
                x = Probed.nested(x, Plain.DEPTH);
            }
            return x;
        }
    }
}
