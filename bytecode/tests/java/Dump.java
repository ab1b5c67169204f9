import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.stream.Stream;

/** Writes all class files of the running JDK into one file: path with module, length, bytes. */
public final class Dump {
    private Dump() {
    }

    public static void main(String[] arguments) throws Exception {
        FileSystem image = FileSystems.getFileSystem(URI.create("jrt:/"));
        Path root = image.getPath("/modules");
        try (Stream<Path> all = Files.walk(root);
             DataOutputStream out = new DataOutputStream(
                 new BufferedOutputStream(Files.newOutputStream(Path.of(arguments[0])), 1 << 20))) {
            Iterator<Path> files = all.filter(path -> path.toString().endsWith(".class")).iterator();
            while (files.hasNext()) {
                Path file = files.next();
                byte[] bytes = Files.readAllBytes(file);
                out.writeUTF(root.relativize(file).toString());
                out.writeInt(bytes.length);
                out.write(bytes);
            }
        }
    }
}
