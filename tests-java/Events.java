import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * Triggers all events of a JVM that an agent can receive: for each line it loads a class, ends a thread,
 * collects garbage, calls {@code hot(I)I} until it is compiled and {@code sized(String)I}, and prints the
 * result.
 */
final class Events {
    private static final int CALLS = 100_000;

    /** Loaded by the first line. */
    private static final class Late {
        static int answer(int x) {
            return x + 1;
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Life.say("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Thread thread = new Thread(() -> sized("12345678"));
            thread.start();
            thread.join();
            System.gc();
            int sum = Late.answer(0) + sized("1234567890123456");
            for (int i = 0; i < CALLS; i++) {
                sum = hot(sum);
            }
            Life.say("" + sum);
        }
    }

    static int hot(int x) {
        return x * 31 + 7;
    }

    static int sized(String argument) {
        return argument.length();
    }
}
