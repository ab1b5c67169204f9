import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Runs {@link Sized} in a class loader that searches the class path before its parent, like those of
 * application servers. With the API JAR on the class path, the types of {@code spl.size} are its own too, not
 * the agent's.
 */
public final class OwnLoader extends URLClassLoader {

    private OwnLoader(URL[] path) {
        super(path, ClassLoader.getSystemClassLoader());
    }

    public static void main(String[] args) throws Exception {
        String[] path = System.getProperty("java.class.path").split(":");
        try (OwnLoader loader = new OwnLoader(Arrays.stream(path).map(OwnLoader::url).toArray(URL[]::new))) {
            loader.loadClass("Sized").getMethod("main", String[].class).invoke(null, (Object) args);
        }
    }

    private static URL url(String path) {
        try {
            return Path.of(path).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            try {
                return findClass(name);
            } catch (ClassNotFoundException e) {
                return super.loadClass(name, resolve);
            }
        }
    }
}
