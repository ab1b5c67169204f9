package sizes;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Notes how large each class of the program is when it comes to the JVM, after the agents before this one on the command line have
 * changed it. Argument: the file for a line {@code NAME BYTES CODE} for each class, the last sizes it had.
 */
public final class Sizes implements ClassFileTransformer {
    private final Map<String, String> sizes = new ConcurrentHashMap<>();

    /** Begins before the program. */
    public static void premain(String file, Instrumentation instrumentation) {
        Sizes sizes = new Sizes();
        // Transformers that can change classes again come after the others.
        instrumentation.addTransformer(sizes, true);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> sizes.write(file)));
    }

    private void write(String file) {
        try (PrintStream out = new PrintStream(file, "UTF-8")) {
            sizes.forEach((name, size) -> out.println(name + " " + size));
        } catch (IOException problem) {
            problem.printStackTrace();
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> again, ProtectionDomain domain, byte[] bytes) {
        if (name != null && loader != null && loader != ClassLoader.getPlatformClassLoader()) {
            try {
                // At the end of a drill each class is as it was: the larger one counts.
                sizes.merge(name, bytes.length + " " + code(bytes), Sizes::larger);
            } catch (IOException problem) {
                sizes.put(name, bytes.length + " -1");
            }
        }
        return null;
    }

    private static String larger(String one, String other) {
        return Integer.parseInt(one.split(" ")[0]) >= Integer.parseInt(other.split(" ")[0]) ? one : other;
    }

    /** The length of all methods' code (JVMS 4.7.3). */
    private static long code(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        in.skipBytes(8);
        int codeName = pool(in);
        in.skipBytes(6);
        in.skipBytes(2 * in.readUnsignedShort());
        members(in, codeName);
        return members(in, codeName);
    }

    /** Passes the constant pool; gives the index of the name Code. */
    private static int pool(DataInputStream in) throws IOException {
        int found = 0;
        int count = in.readUnsignedShort();
        for (int at = 1; at < count; at++) {
            int tag = in.readUnsignedByte();
            if (tag == 1) {
                byte[] text = in.readNBytes(in.readUnsignedShort());
                if (new String(text, "ISO-8859-1").equals("Code")) {
                    found = at;
                }
            } else if (tag == 5 || tag == 6) {
                in.skipBytes(8);
                at++;
            } else {
                in.skipBytes(tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20 ? 2 : tag == 15 ? 3 : 4);
            }
        }
        return found;
    }

    private static long members(DataInputStream in, int codeName) throws IOException {
        long sum = 0;
        for (int members = in.readUnsignedShort(); members > 0; members--) {
            in.skipBytes(6);
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                int name = in.readUnsignedShort();
                int length = in.readInt();
                if (name == codeName) {
                    in.skipBytes(4);
                    int code = in.readInt();
                    sum += code;
                    in.skipBytes(length - 8);
                } else {
                    in.skipBytes(length);
                }
            }
        }
        return sum;
    }
}
