import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * For each line "LOADERS" on standard input: loads and links copies of one small class, and tells the median nanoseconds of
 * processor time that one of them takes.
 */
final class Load {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int COPIES = 500;
    private static final String NAME = "Load$Copy____";

    /** The class that is copied under names of the same length. */
    static final class Copy____ {
        int value;

        int value() {
            return value;
        }
    }

    private static final class Loader extends ClassLoader {
        private final byte[][] copies;

        Loader(byte[][] copies) {
            super(Load.class.getClassLoader());
            this.copies = copies;
        }

        void load() throws ReflectiveOperationException {
            for (byte[] copy : copies) {
                // Links it, and so prepares it.
                Class.forName(defineClass(null, copy, 0, copy.length).getName(), true, this);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        byte[][] copies = copies();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            double[] each = new double[Integer.parseInt(line)];
            for (int i = 0; i < each.length; i++) {
                Loader loader = new Loader(copies);
                long start = THREADS.getCurrentThreadCpuTime();
                loader.load();
                each[i] = (double) (THREADS.getCurrentThreadCpuTime() - start) / COPIES;
            }
            Arrays.sort(each);
            System.out.println((each[(each.length - 1) / 2] + each[each.length / 2]) / 2);
        }
    }

    private static byte[][] copies() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = Load.class.getResourceAsStream("/" + NAME + ".class")) {
            in.transferTo(bytes);
        }
        // Latin-1 keeps every byte.
        String text = bytes.toString(StandardCharsets.ISO_8859_1);
        byte[][] copies = new byte[COPIES][];
        for (int i = 0; i < COPIES; i++) {
            copies[i] = text.replace("Copy____", String.format("Copy%04d", i)).getBytes(StandardCharsets.ISO_8859_1);
        }
        return copies;
    }
}
