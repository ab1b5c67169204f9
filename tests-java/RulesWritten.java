import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;

/**
 * A class file that javac does not write, for {@code Rules}: of version 49, which has no stack maps and may have subroutines. Each method
 * is static and takes an int.
 *
 * <p>{@code RulesMade.wide(5)}: 2 instructions, 5 rounds of 9, a last look of 2, and 2; 51, of which each under {@code wide} is one.
 * {@code large}: 3,002 instructions in 9,002 bytes, more than the compilers of the JVM take. {@code twice}: a
 * {@code finally} by {@code jsr}, of 5 + 2 * 3 + 2 = 13 instructions.
 */
final class RulesWritten {
    private static final int LARGE = 3_000;

    private RulesWritten() {}

    static int all() throws IOException, ReflectiveOperationException {
        Class<?> made = define(
                "RulesMade", new Written("wide", wide()), new Written("large", large()), new Written("twice", twice()));
        return call(made, "wide", 5) + call(made, "large", 0) + call(made, "large", 1) + call(made, "twice", 40);
    }

    private static int call(Class<?> type, String method, int n) throws ReflectiveOperationException {
        return (int) type.getMethod(method, int.class).invoke(null, n);
    }

    /** The sum of 1 to n, in a local variable whose number has two bytes. */
    private static byte[] wide() throws IOException {
        Code code = new Code();
        code.op(0x03).op(0xc4, 0x36, 0x01, 0x2c); // iconst_0; wide istore 300
        code.op(0x1a).op(0x9e, 0, 23); // iload_0; ifle to the end
        code.op(0xc4, 0x15, 0x01, 0x2c).op(0x1a).op(0x60).op(0xc4, 0x36, 0x01, 0x2c); // wide iload 300; iload_0; iadd; wide istore 300
        code.op(0xc4, 0x84, 0, 0, 0xff, 0xff).op(0x00).op(0xa7, 0xff, 0xeb); // wide iinc 0 -1; nop; goto the look
        return code.op(0xc4, 0x15, 0x01, 0x2c).op(0xac).bytes(); // wide iload 300; ireturn
    }

    private static byte[] large() throws IOException {
        Code code = new Code();
        for (int i = 0; i < LARGE; i++) code.op(0x84, 0, 1); // iinc 0 1
        return code.op(0x1a).op(0xac).bytes(); // iload_0; ireturn
    }

    private static byte[] twice() throws IOException {
        Code code = new Code();
        code.op(0x1a).op(0x3c); // iload_0; istore_1
        code.op(0xa8, 0, 8).op(0xa8, 0, 5); // jsr; jsr
        code.op(0x1b).op(0xac); // iload_1; ireturn
        return code.op(0x4d).op(0x84, 1, 1).op(0xa9, 2).bytes(); // astore_2; iinc 1 1; ret 2
    }

    /** Code, instruction by instruction. */
    private static final class Code {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Code op(int... instruction) {
            for (int one : instruction) bytes.write(one);
            return this;
        }

        byte[] bytes() {
            return bytes.toByteArray();
        }
    }

    /** A method. */
    private static final class Written {
        final String name;
        final byte[] code;

        Written(String name, byte[] code) {
            this.name = name;
            this.code = code;
        }
    }

    private static Class<?> define(String name, Written... methods) throws IOException, ReflectiveOperationException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xcafebabe);
        out.writeInt(49);
        // Constants: 1 and 2 the class, 3 and 4 its superclass, 5 "Code", 6 the descriptor, 7 and on the names of methods.
        out.writeShort(7 + methods.length);
        constant(out, 2);
        text(out, name);
        constant(out, 4);
        text(out, "java/lang/Object");
        text(out, "Code");
        text(out, "(I)I");
        for (Written method : methods) text(out, method.name);
        out.writeShort(0x21);
        out.writeShort(1);
        out.writeShort(3);
        out.writeShort(0);
        out.writeShort(0);
        out.writeShort(methods.length);
        for (int i = 0; i < methods.length; i++) {
            byte[] code = methods[i].code;
            // public static
            out.writeShort(0x9);
            out.writeShort(7 + i);
            out.writeShort(6);
            out.writeShort(1);
            out.writeShort(5);
            out.writeInt(12 + code.length);
            out.writeShort(4);
            out.writeShort(400);
            out.writeInt(code.length);
            out.write(code);
            out.writeInt(0);
        }
        out.writeShort(0);
        // By the loader of this class: those of other loaders count late.
        return MethodHandles.lookup().defineClass(bytes.toByteArray());
    }

    private static void constant(DataOutputStream out, int of) throws IOException {
        out.writeByte(7);
        out.writeShort(of);
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        out.writeByte(1);
        out.writeUTF(text);
    }
}
