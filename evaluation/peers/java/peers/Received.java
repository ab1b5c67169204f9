package peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tells the evaluation how many calls a peer has recorded: a number in the file that the property peers.received names. */
public final class Received {
    private Received() {}

    /** Writes the number. */
    public static void write(long calls) {
        try {
            Files.writeString(Path.of(System.getProperty("peers.received")), Long.toString(calls));
        } catch (IOException e) {
            System.err.println("peers: the number of recorded calls cannot be written: " + e);
        }
    }
}
