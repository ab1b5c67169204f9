import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * A program that another agent changes ({@code Transformer}): for each line "say" it calls {@code word()} a hundred times
 * and {@code length} of its other classes, and says what the last one said; for "again" the other agent changes it anew.
 */
final class Transformed {
    private static final int CALLS = 100;

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Life.say("ready " + One.length("") + Two.length("") + Broken.length(""));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("again")) {
                Transformer.again();
            }
            String word = "";
            for (int i = 0; i < CALLS; i++) {
                word = word();
            }
            Life.say(word + " " + One.length(word) + Two.length(word) + Broken.length(word));
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
