import java.io.InputStream;
import java.lang.management.MemoryPoolMXBean;
import java.util.ArrayList;
import java.util.List;

/** A loader of one class. The number of loaders is limited only by metaspace. */
final class Copies extends ClassLoader {
    private static final List<Class<?>> ALL = new ArrayList<>();

    /** Loads copies until this percentage of all metaspace is taken, or it is full; gives their number. */
    static long fill(int hundredths, MemoryPoolMXBean metaspace) throws Exception {
        byte[] bytes;
        try (InputStream file = Copies.class.getResourceAsStream("Lambdas.class")) {
            bytes = file.readAllBytes();
        }
        long most = metaspace.getUsage().getMax() / 100 * hundredths;
        try {
            while (metaspace.getUsage().getCommitted() < most) {
                Copies loader = new Copies();
                Class<?> copy = loader.defineClass("Lambdas", bytes, 0, bytes.length);
                loader.resolveClass(copy);
                ALL.add(copy);
            }
        } catch (OutOfMemoryError full) {
            // Metaspace is full.
        }
        return ALL.size();
    }
}
