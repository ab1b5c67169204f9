import java.io.IOException;
import java.io.PrintWriter;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.Handle;
import jdk.internal.org.objectweb.asm.Label;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;

/**
 * A naive counter: a call in front of each instruction of the classes that the application's loader has, by the library that the JDK
 * itself writes classes with. An agent whose argument is a file; at the JVM's end each line of it has a method, an opcode and a count.
 */
public final class Naive implements ClassFileTransformer {
    private static final int MOST = 1 << 20;
    private static final AtomicLongArray COUNTS = new AtomicLongArray(MOST);
    /** Method and opcode of each place. */
    private static final List<String> PLACES = new ArrayList<>();

    private Naive() {}

    public static void premain(String file, Instrumentation instrumentation) {
        instrumentation.addTransformer(new Naive());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> write(Path.of(file))));
    }

    /** Called by each instruction. */
    public static void step(int place) {
        COUNTS.incrementAndGet(place);
    }

    private static void write(Path file) {
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8))) {
            synchronized (PLACES) {
                for (int place = 0; place < PLACES.size(); place++) out.println(PLACES.get(place) + " " + COUNTS.get(place));
            }
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    private static int place(String method, int opcode) {
        synchronized (PLACES) {
            PLACES.add(method + " " + opcode);
            return PLACES.size() - 1;
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> before, ProtectionDomain domain, byte[] bytes) {
        if (loader != ClassLoader.getSystemClassLoader() || name.startsWith("Naive")) return null;
        try {
            ClassReader reader = new ClassReader(bytes);
            ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
            reader.accept(new ClassVisitor(Opcodes.ASM7, writer) {
                @Override
                public MethodVisitor visitMethod(int access, String method, String descriptor, String signature, String[] thrown) {
                    MethodVisitor next = super.visitMethod(access, method, descriptor, signature, thrown);
                    return next == null ? null : new Counting(name.replace('/', '.') + "." + method + descriptor, next);
                }
            }, 0);
            return writer.toByteArray();
        } catch (RuntimeException error) {
            // Versions that the library does not know, and subroutines.
            System.err.println("Naive leaves " + name + ": " + error);
            return null;
        }
    }

    /** Puts a call in front of each instruction; behind {@code new}, which frames refer to by its place. */
    private static final class Counting extends MethodVisitor {
        private final String method;

        Counting(String method, MethodVisitor next) {
            super(Opcodes.ASM7, next);
            this.method = method;
        }

        private void count(int opcode) {
            super.visitLdcInsn(place(method, opcode));
            super.visitMethodInsn(Opcodes.INVOKESTATIC, "Naive", "step", "(I)V", false);
        }

        @Override
        public void visitInsn(int opcode) {
            count(opcode);
            super.visitInsn(opcode);
        }

        @Override
        public void visitIntInsn(int opcode, int operand) {
            count(opcode);
            super.visitIntInsn(opcode, operand);
        }

        @Override
        public void visitVarInsn(int opcode, int local) {
            count(opcode);
            super.visitVarInsn(opcode, local);
        }

        @Override
        public void visitTypeInsn(int opcode, String type) {
            if (opcode != Opcodes.NEW) count(opcode);
            super.visitTypeInsn(opcode, type);
            if (opcode == Opcodes.NEW) count(opcode);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            count(opcode);
            super.visitFieldInsn(opcode, owner, name, descriptor);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean ofInterface) {
            count(opcode);
            super.visitMethodInsn(opcode, owner, name, descriptor, ofInterface);
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            count(Opcodes.INVOKEDYNAMIC);
            super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
        }

        @Override
        public void visitJumpInsn(int opcode, Label label) {
            count(opcode);
            super.visitJumpInsn(opcode, label);
        }

        @Override
        public void visitLdcInsn(Object constant) {
            count(Opcodes.LDC);
            super.visitLdcInsn(constant);
        }

        @Override
        public void visitIincInsn(int local, int by) {
            count(Opcodes.IINC);
            super.visitIincInsn(local, by);
        }

        @Override
        public void visitTableSwitchInsn(int least, int most, Label otherwise, Label... labels) {
            count(Opcodes.TABLESWITCH);
            super.visitTableSwitchInsn(least, most, otherwise, labels);
        }

        @Override
        public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
            count(Opcodes.LOOKUPSWITCH);
            super.visitLookupSwitchInsn(otherwise, keys, labels);
        }

        @Override
        public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
            count(Opcodes.MULTIANEWARRAY);
            super.visitMultiANewArrayInsn(descriptor, dimensions);
        }
    }
}
