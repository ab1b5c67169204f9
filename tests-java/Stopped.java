import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A thread, named "victim", that gets exceptions from outside at any moment. It calls {@code level([B)I}
 * repeatedly, each time four calls deep; the argument's length is the depth of a call. For each line it
 * prints the number of exceptions that came, after some more rounds.
 */
final class Stopped {
    private static final byte[][] LEVELS = {new byte[0], new byte[8], new byte[16], new byte[24]};
    private static final int WORK = 200;
    private static final int ROUNDS = 50;
    private static final AtomicLong STOPS = new AtomicLong();
    private static volatile long rounds;
    private static volatile int sink;

    public static void main(String[] args) throws Exception {
        Thread victim = new Thread(Stopped::live, "victim");
        victim.setDaemon(true);
        victim.start();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Life.say("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            long until = rounds + ROUNDS;
            while (rounds < until) {
                Thread.yield();
            }
            Life.say("" + STOPS);
        }
    }

    /** Keeps this thread alive: an exception that comes in a catch block is caught further out. */
    private static void live() {
        while (true) {
            try {
                while (true) {
                    try {
                        run();
                    } catch (Error stopped) {
                        STOPS.incrementAndGet();
                    }
                }
            } catch (Error stopped) {
                STOPS.incrementAndGet();
            }
        }
    }

    private static void run() {
        while (true) {
            sink = level(LEVELS[0]);
            rounds++;
        }
    }

    static int level(byte[] level) {
        int number = level.length / Long.BYTES;
        int sum = work(number);
        if (number + 1 < LEVELS.length) {
            sum += level(LEVELS[number + 1]);
        }
        return sum + work(sum);
    }

    private static int work(int x) {
        for (int i = 0; i < WORK; i++) {
            x = x * 31 + i;
        }
        return x;
    }
}
