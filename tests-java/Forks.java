import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Does its work in a JVM of its own, like build tools that run tests. The child has this program's input and
 * output.
 *
 * <p>Arguments: the child's class and its arguments.
 */
public final class Forks {

    private Forks() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        String java = System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
        List<String> command = new ArrayList<>(List.of(java, "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(args));
        System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
    }
}
