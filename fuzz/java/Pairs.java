import java.io.DataInputStream;
import java.io.EOFException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads pairs of class files, the second of each made from the first, and links both: if the JVM accepts the
 * first it must accept the second. Prints the pairs that violate this, and finally the number of accepted
 * first files.
 */
public final class Pairs {
    private Pairs() {
    }

    /** Defines one class itself, and finds all others on the class path. */
    private static final class One extends ClassLoader {
        One() {
            super(Pairs.class.getClassLoader());
        }

        /** The reason why the class cannot be linked; null if it can. */
        String fault(byte[] bytes) {
            try {
                // HotSpot links a class before it lists its members (jvm.cpp,
                // get_class_declared_methods_helper).
                defineClass(null, bytes, 0, bytes.length).getDeclaredConstructors();
                return null;
            } catch (LinkageError | SecurityException | TypeNotPresentException error) {
                return String.valueOf(error);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        int accepted = 0;
        try (DataInputStream in = new DataInputStream(Files.newInputStream(Path.of(arguments[0])))) {
            for (int pair = 0;; pair++) {
                byte[] before = next(in);
                byte[] after = next(in);
                if (new One().fault(before) == null) {
                    accepted++;
                    String fault = new One().fault(after);
                    if (fault != null) {
                        System.out.println("pair " + pair + ": " + fault.replace('\n', ' '));
                    }
                }
            }
        } catch (EOFException end) {
            System.out.println("accepted " + accepted);
        }
    }

    private static byte[] next(DataInputStream in) throws Exception {
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return bytes;
    }
}
