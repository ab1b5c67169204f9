import java.nio.file.Files;
import java.nio.file.Path;

/** Links each class that a file names, which verifies it but does not initialise it. */
public final class Link {
    private Link() {
    }

    public static void main(String[] arguments) throws Exception {
        int linked = 0;
        for (String name : Files.readAllLines(Path.of(arguments[0]))) {
            try {
                // HotSpot links a class before it lists its members (jvm.cpp,
                // get_class_declared_methods_helper).
                Class.forName(name.replace('/', '.'), false, ClassLoader.getSystemClassLoader()).getDeclaredConstructors();
                linked++;
            } catch (LinkageError | ClassNotFoundException error) {
                System.out.println(name + ": " + error);
            }
        }
        System.out.println("linked " + linked);
    }
}
