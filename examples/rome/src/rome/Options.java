package rome;

/** The options of the command line. Parsed once; every value is in range. */
final class Options {

    static final String USAGE =
            "usage: rome.Main [--cycles N] [--network-ms N] [--pause-ms N] [--quiet-times]\n"
                    + "  --cycles N     feeds to read; 0 reads until the program is killed (default 2000)\n"
                    + "  --network-ms N time a feed's body is on the way, in milliseconds (default 20)\n"
                    + "  --pause-ms N   pause between two feeds in milliseconds (default 0)\n"
                    + "  --quiet-times  print no times, so that two runs print the same bytes";

    private static final int DEFAULT_CYCLES = 2000;
    /** The thesis (4.2.3) read feeds from the web, where the transfer was most of the time; a near server takes this long. */
    private static final int DEFAULT_NETWORK_MS = 20;
    private static final int DEFAULT_PAUSE_MS = 0;

    private final int cycles;
    private final int networkMs;
    private final int pauseMs;
    private final boolean quietTimes;

    private Options(int cycles, int networkMs, int pauseMs, boolean quietTimes) {
        this.cycles = cycles;
        this.networkMs = networkMs;
        this.pauseMs = pauseMs;
        this.quietTimes = quietTimes;
    }

    /**
     * Reads the arguments of {@code main}.
     *
     * @throws IllegalArgumentException with a sentence for the user
     */
    static Options parse(String[] args) {
        int cycles = DEFAULT_CYCLES;
        int networkMs = DEFAULT_NETWORK_MS;
        int pauseMs = DEFAULT_PAUSE_MS;
        boolean quietTimes = false;
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--cycles":
                    cycles = count(args, ++i);
                    break;
                case "--network-ms":
                    networkMs = count(args, ++i);
                    break;
                case "--pause-ms":
                    pauseMs = count(args, ++i);
                    break;
                case "--quiet-times":
                    quietTimes = true;
                    break;
                default:
                    throw new IllegalArgumentException("unknown option " + args[i]);
            }
        }
        return new Options(cycles, networkMs, pauseMs, quietTimes);
    }

    /** True while a cycle of this number (the first is 1) is to be run. */
    boolean wantsCycle(long number) {
        return cycles == 0 || number <= cycles;
    }

    int networkMs() {
        return networkMs;
    }

    int pauseMs() {
        return pauseMs;
    }

    boolean quietTimes() {
        return quietTimes;
    }

    private static int count(String[] args, int at) {
        String option = args[at - 1];
        if (at == args.length) {
            throw new IllegalArgumentException(option + " needs a number");
        }
        try {
            int value = Integer.parseInt(args[at]);
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException notANumber) {
            // Falls through to the one message that both mistakes share.
        }
        throw new IllegalArgumentException(option + " needs a whole number from 0, not " + args[at]);
    }
}
