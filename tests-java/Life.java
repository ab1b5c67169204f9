import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * The lifetime of a test program. A program works in rounds, in one or more stages. With a number as its
 * first argument it runs this number of rounds in each stage. With 0 or without arguments a stage lasts until
 * a line arrives on standard input; the end of the input ends all stages, so that a program never outlives
 * the test that feeds it.
 *
 * <p>Every round must give the first round's result: an agent may change times, and nothing else.
 */
final class Life {

    private static final int EXIT_CHANGED = 1;

    private final long roundsPerStage;
    private volatile long linesRead;
    private int stage = 1;
    private long roundsOfStage;
    private long roundsOfAll;
    private String firstResult;

    private Life(long roundsPerStage) {
        this.roundsPerStage = roundsPerStage;
    }

    /** Prints "ready" on standard output and begins stage 1. */
    static Life start(String[] args) {
        Life life = new Life(args.length == 0 ? 0 : Long.parseLong(args[0]));
        if (life.roundsPerStage == 0) {
            Thread reader = new Thread(life::readLines, "stdin");
            reader.setDaemon(true);
            reader.start();
        }
        say("ready");
        return life;
    }

    /** True if this stage wants another round; false once, when it is over and the next one begins. */
    boolean wantsRound() {
        // A stage has at least one round, in any case.
        boolean over = roundsPerStage == 0 ? linesRead >= stage && roundsOfStage > 0 : roundsOfStage == roundsPerStage;
        if (over) {
            stage++;
            roundsOfStage = 0;
            firstResult = null;
            return false;
        }
        roundsOfStage++;
        roundsOfAll++;
        return true;
    }

    /** Compares a round's result with the stage's first one; a difference ends the program with status 1. */
    void check(String result) {
        if (firstResult == null) {
            firstResult = result;
        } else if (!firstResult.equals(result)) {
            say("round " + roundsOfStage + " of stage " + stage + " differs: " + result + " instead of " + firstResult);
            System.exit(EXIT_CHANGED);
        }
    }

    /** Prints "ended" on standard output, and the number of rounds, which varies, on standard error. */
    void end() {
        say("ended");
        System.err.println(roundsOfAll + " rounds");
    }

    /** Prints a line and flushes, because standard output may be a pipe. */
    static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private void readLines() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            while (in.readLine() != null) {
                linesRead = linesRead + 1;
            }
        } catch (IOException closed) {
            System.err.println("standard input: " + closed.getMessage());
        }
        linesRead = Long.MAX_VALUE;
    }
}
