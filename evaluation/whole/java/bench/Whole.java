package bench;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Runs a whole program once, from the start of its JVM to its end. Arguments: class of the program, and the program's own.
 *
 * <p>Lines: {@code ended MILLIS TICKS} is the time of day at which the program was done, and the processor time of this process until then,
 * in ticks of 10 ms; {@code value NUMBER} what the program computed.
 */
public final class Whole {
    private Whole() {}

    /** A program. */
    interface Program {
        /** Runs to the program's end; gives what has to be the same each time. */
        long run(String[] arguments) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        // A program may put its own in place of it.
        PrintStream out = System.out;
        Program program = (Program) Class.forName("bench." + arguments[0]).getDeclaredConstructor().newInstance();
        long value = program.run(Arrays.copyOfRange(arguments, 1, arguments.length));
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        out.println("ended " + System.currentTimeMillis() + " " + (Long.parseLong(fields[11]) + Long.parseLong(fields[12])));
        out.println("value " + value);
        System.exit(0);
    }
}
