import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Verifies class files with the verifiers in the JDK's libraries: {@code java.lang.classfile} (JDK 24),
 * before that the copy of ASM in {@code java.base}. They also check classes that the JVM never verifies.
 */
public final class Judge {
    private static final String ASM = "jdk.internal.org.objectweb.asm.";

    private Judge() {
    }

    public static void main(String[] arguments) throws Exception {
        for (String file : arguments) {
            byte[] bytes = Files.readAllBytes(Path.of(file));
            String errors;
            try {
                errors = byLibrary(Class.forName("java.lang.classfile.ClassFile"), bytes);
            } catch (ClassNotFoundException older) {
                errors = byAsm(bytes);
            }
            System.out.println(Path.of(file).getFileName() + ": " + (errors.isEmpty() ? "right" : errors));
        }
    }

    private static String byLibrary(Class<?> library, byte[] bytes) throws Exception {
        Object classFile = library.getMethod("of").invoke(null);
        List<?> errors = (List<?>) library.getMethod("verify", byte[].class).invoke(classFile, (Object) bytes);
        return errors.isEmpty() ? "" : errors.toString();
    }

    private static String byAsm(byte[] bytes) throws Exception {
        Class<?> reader = Class.forName(ASM + "ClassReader");
        Method verify = Class.forName(ASM + "util.CheckClassAdapter")
            .getMethod("verify", reader, ClassLoader.class, boolean.class, PrintWriter.class);
        StringWriter errors = new StringWriter();
        Object read = reader.getConstructor(byte[].class).newInstance((Object) bytes);
        verify.invoke(null, read, null, false, new PrintWriter(errors, true));
        return errors.toString();
    }
}
