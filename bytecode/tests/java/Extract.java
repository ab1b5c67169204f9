import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes the class files of the running JDK into a folder, one folder a module. */
public final class Extract {
    private Extract() {
    }

    public static void main(String[] arguments) throws Exception {
        FileSystem image = FileSystems.getFileSystem(URI.create("jrt:/"));
        Path root = image.getPath("/modules");
        List<Path> files;
        try (Stream<Path> all = Files.walk(root)) {
            files = all.filter(path -> path.toString().endsWith(".class")).collect(Collectors.toList());
        }
        for (Path file : files) {
            Path target = Path.of(arguments[0], root.relativize(file).toString());
            Files.createDirectories(target.getParent());
            Files.write(target, Files.readAllBytes(file));
        }
    }
}
