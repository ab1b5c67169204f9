import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.tree.AbstractInsnNode;
import jdk.internal.org.objectweb.asm.tree.ClassNode;
import jdk.internal.org.objectweb.asm.tree.MethodNode;
import jdk.internal.org.objectweb.asm.tree.TryCatchBlockNode;
import jdk.internal.org.objectweb.asm.tree.analysis.Analyzer;
import jdk.internal.org.objectweb.asm.tree.analysis.AnalyzerException;
import jdk.internal.org.objectweb.asm.tree.analysis.BasicInterpreter;
import jdk.internal.org.objectweb.asm.tree.analysis.BasicValue;

/**
 * Control flow as the ASM library of the JDK has it. Reads class files, each behind its length, and prints a line for each method: its
 * name, how many pairs of instructions there are of which the second may follow the first, and a hash of them.
 */
class Edges {
    public static void main(String[] arguments) throws IOException, AnalyzerException {
        PrintStream out = new PrintStream(Files.newOutputStream(Path.of(arguments[1])), false, StandardCharsets.UTF_8);
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(Path.of(arguments[0]))))) {
            for (int classes = in.readInt(); classes > 0; classes--) {
                ClassNode type = new ClassNode();
                new ClassReader(in.readNBytes(in.readInt())).accept(type, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
                for (MethodNode method : type.methods) {
                    if (method.instructions.size() > 0) {
                        TreeSet<Long> edges = edges(type.name, method);
                        out.println(type.name + "." + method.name + method.desc + " " + edges.size() + " " + hash(edges));
                    }
                }
            }
        }
        out.close();
    }

    static TreeSet<Long> edges(String owner, MethodNode method) throws AnalyzerException {
        AbstractInsnNode[] nodes = method.instructions.toArray();
        // Labels are nodes too; each stands for the instruction that follows.
        int[] places = new int[nodes.length + 1];
        int count = 0;
        for (int i = 0; i < nodes.length; i++) {
            places[i] = count;
            count += nodes[i].getOpcode() >= 0 ? 1 : 0;
        }
        TreeSet<Long> edges = new TreeSet<>();
        new Analyzer<BasicValue>(new BasicInterpreter()) {
            private void add(int from, int to) {
                if (nodes[from].getOpcode() >= 0) {
                    edges.add((long) places[from] << 32 | places[to]);
                }
            }

            @Override
            protected void newControlFlowEdge(int from, int to) {
                add(from, to);
            }

            @Override
            protected boolean newControlFlowExceptionEdge(int from, TryCatchBlockNode block) {
                for (TryCatchBlockNode before : method.tryCatchBlocks) {
                    if (before == block) {
                        add(from, method.instructions.indexOf(block.handler));
                        break;
                    }
                    // Nothing comes to what stands behind an entry that catches everything; ASM does not look at that.
                    if (before.type == null && method.instructions.indexOf(before.start) <= from
                            && from < method.instructions.indexOf(before.end)) {
                        return false;
                    }
                }
                return true;
            }
        }.analyze(owner, method);
        return edges;
    }

    /** FNV-1a of all bytes, in 64 bits. */
    static String hash(TreeSet<Long> edges) {
        long hash = 0xcbf29ce484222325L;
        for (long edge : edges) {
            for (int shift = 56; shift >= 0; shift -= 8) {
                hash = (hash ^ (edge >> shift & 0xff)) * 0x100000001b3L;
            }
        }
        return Long.toHexString(hash);
    }
}
