import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Links every class of the given JARs, which verifies it, and prints the outcome of each. Arguments after
 * {@code --} only help to find needed classes: JARs refer to others in their folder.
 */
public final class LinkAll {
    private LinkAll() {
    }

    public static void main(String[] jars) throws Exception {
        List<URL> urls = new ArrayList<>();
        List<String> names = new ArrayList<>();
        boolean isLinked = true;
        for (String jar : jars) {
            if (jar.equals("--")) {
                isLinked = false;
                continue;
            }
            urls.add(new File(jar).toURI().toURL());
            if (!isLinked) {
                continue;
            }
            try (JarFile file = new JarFile(jar)) {
                for (JarEntry entry : Collections.list(file.entries())) {
                    String name = entry.getName();
                    if (name.endsWith(".class") && !name.startsWith("META-INF/") && !name.equals("module-info.class")) {
                        names.add(name.substring(0, name.length() - ".class".length()).replace('/', '.'));
                    }
                }
            }
        }
        ClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getSystemClassLoader());
        for (String name : names) {
            String outcome = "linked";
            try {
                // HotSpot links a class before it lists its members (jvm.cpp,
                // get_class_declared_methods_helper).
                Class.forName(name, false, loader).getDeclaredConstructors();
            } catch (LinkageError | ClassNotFoundException error) {
                outcome = error.getClass().getName();
            }
            System.out.println(name + " " + outcome);
        }
    }
}
