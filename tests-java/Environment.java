import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Shows the environment variables that could reveal an agent, {@code JAVA_TOOL_OPTIONS} and names that begin
 * with {@code SPL}: the program's own and those of a child process ({@code env}).
 *
 * <p>Arguments: [rounds]. To measure: {@code work(I)I}.
 */
public final class Environment {

    private static final int INPUT = 1_000;
    private static final String OPTIONS = "JAVA_TOOL_OPTIONS";
    private static final String OURS = "SPL";

    private Environment() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Life life = Life.start(args);
        String own = System.getenv(OPTIONS);
        Life.say("own: " + OPTIONS + (own == null ? " not set" : " set to " + own));
        System.getenv().keySet().stream().filter(name -> name.startsWith(OURS)).sorted()
                .forEach(name -> Life.say("own: " + name));
        for (String line : ofChild()) {
            Life.say("child: " + line);
        }
        while (life.wantsRound()) {
            life.check("work " + work(INPUT));
        }
        life.end();
    }

    static int work(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    private static List<String> ofChild() throws IOException, InterruptedException {
        Process child = new ProcessBuilder("env").start();
        List<String> found = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(OPTIONS) || line.startsWith(OURS)) {
                    found.add(line);
                }
            }
        }
        child.waitFor();
        Collections.sort(found);
        return found;
    }
}
