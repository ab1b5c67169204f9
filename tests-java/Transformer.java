import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.IllegalClassFormatException;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;
import java.util.Arrays;

/**
 * Another agent: it changes the result of {@code Transformed.word()} whenever that class is loaded or
 * changed. With the argument "break" it also makes {@code Transformed$Broken} unusable whenever any agent
 * changes that class.
 */
public final class Transformer implements ClassFileTransformer {
    private static Instrumentation instrumentation;
    private final boolean breaks;

    private Transformer(boolean breaks) {
        this.breaks = breaks;
    }

    public static void premain(String argument, Instrumentation given) {
        instrumentation = given;
        given.addTransformer(new Transformer("break".equals(argument)), true);
    }

    /** Changes the class once more, like an agent that gets new rules. */
    static void again() throws UnmodifiableClassException {
        instrumentation.retransformClasses(Transformed.class);
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String name, Class<?> changed, ProtectionDomain domain, byte[] bytes)
            throws IllegalClassFormatException {
        if (name.equals("Transformed")) {
            // The text has the same length, so nothing else of the class file changes. Latin-1 keeps every
            // byte.
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            return text.replace("before", "after!").getBytes(StandardCharsets.ISO_8859_1);
        }
        if (breaks && changed != null && name.equals("Transformed$Broken")) {
            return Arrays.copyOf(bytes, bytes.length / 2);
        }
        return null;
    }
}
