import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * A program that another agent changes ({@code Transformer}). For each line "say" it calls {@code word()} a
 * hundred times and {@code length} of its other classes, and prints the last result. For "again" and for an
 * empty line the other agent changes it again before. With the argument "busy" a thread calls {@code word()}
 * all the time. With "often" the other agent changes the class before each such call.
 */
final class Transformed {
    private static final int CALLS = 100;

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Life.say("ready " + One.length("") + Two.length("") + Broken.length(""));
        if (args.length > 0) {
            Thread thread = new Thread(() -> call(args[0].equals("often")));
            thread.setDaemon(true);
            thread.start();
        }
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("again") || line.isEmpty()) {
                Transformer.again();
            }
            String word = "";
            for (int i = 0; i < CALLS; i++) {
                word = word();
            }
            Life.say(word + " " + One.length(word) + Two.length(word) + Broken.length(word));
        }
    }

    private static void call(boolean changes) {
        try {
            while (true) {
                if (changes) {
                    Transformer.again();
                }
                word();
                Thread.sleep(changes ? 20 : 1);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static String word() {
        return "before";
    }

    static final class One {
        static int length(String text) {
            return text.length() + 1;
        }
    }

    static final class Two {
        static int length(String text) {
            return text.length() + 2;
        }
    }

    static final class Broken {
        static int length(String text) {
            return text.length();
        }
    }
}
