package jbinstrace.weaver;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.VarInsnNode;

/** Puts the probes of JBInsTrace into classes: at the start and the end of each method and at each block (the paper's 3.2). */
public final class Weaver implements ClassFileTransformer {
    private static final String TRACER = "jbinstrace/Tracer";
    private static final int START = 0b01, END = 0b10, BLOCK = 0b11;
    /** Thread's own methods are called by the probe; without these there is no end of probes. */
    private static final Set<String> LEFT = Set.of("java/lang/Thread", "java/lang/Object", "java/lang/System");
    /** The most that 19 and 11 bits can have. */
    private static final int METHODS = 1 << 19, BLOCKS = 1 << 11;
    private int methods;
    private int classes;
    private int left;
    /** Methods whose start tells the class of their receiver. */
    private final BitSet typed = new BitSet();
    /** Class, name and descriptor of each method, by number. */
    private final List<String> names = new ArrayList<>();

    /** Numbers of classes and methods with probes. */
    public String summary() {
        return classes + " classes, " + methods + " methods, " + left + " left";
    }

    /** Methods whose start tells the class of their receiver, by number. */
    public synchronized BitSet typed() {
        return typed;
    }

    /** Class, name and descriptor of each method, by number. */
    public synchronized List<String> names() {
        return names;
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> again, ProtectionDomain domain, byte[] bytes) {
        boolean own = name == null || name.startsWith("jbinstrace/") || name.startsWith("org/objectweb/asm/") && loader == Weaver.class.getClassLoader();
        if (own || LEFT.contains(name)) {
            return null;
        }
        try {
            return woven(bytes);
        } catch (RuntimeException | LinkageError refused) {
            left++;
            return null;
        }
    }

    private synchronized byte[] woven(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassNode node = new ClassNode();
        reader.accept(node, 0);
        for (MethodNode method : node.methods) {
            if (method.instructions.size() > 0) {
                weave(node.name, method);
            }
        }
        classes++;
        // Frames stay where they are: no probe leaves anything on the stack.
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        node.accept(writer);
        return writer.toByteArray();
    }

    private void weave(String type, MethodNode method) {
        Set<AbstractInsnNode> leaders = leaders(method);
        Map<LabelNode, AbstractInsnNode> created = created(method);
        List<AbstractInsnNode> returns = new ArrayList<>();
        List<AbstractInsnNode> blocks = new ArrayList<>();
        for (AbstractInsnNode at = method.instructions.getFirst(); at != null; at = at.getNext()) {
            if (leaders.contains(at)) {
                blocks.add(at);
            }
            if (at.getOpcode() >= Opcodes.IRETURN && at.getOpcode() <= Opcodes.RETURN) {
                returns.add(at);
            }
        }
        int id = methods++ % METHODS;
        names.add(type + "." + method.name + method.desc);
        for (AbstractInsnNode end : returns) {
            method.instructions.insertBefore(end, probe(END << 30 | id << 11));
        }
        int block = 0;
        for (AbstractInsnNode at : blocks) {
            // Before the event of the method's end, where both stand at one place.
            AbstractInsnNode place = isProbe(at.getPrevious()) ? first(at.getPrevious()) : at;
            method.instructions.insertBefore(place, probe(BLOCK << 30 | id << 11 | block % BLOCKS));
            block++;
        }
        nameAgain(method, created);
        boolean hasReceiver = (method.access & Opcodes.ACC_STATIC) == 0 && !method.name.equals("<init>");
        typed.set(id, hasReceiver);
        method.instructions.insert(hasReceiver ? typedProbe(START << 30 | id << 11) : probe(START << 30 | id << 11));
    }

    /** Frames name objects without a constructor's call by the instruction that made them: the labels of these, with it. */
    private static Map<LabelNode, AbstractInsnNode> created(MethodNode method) {
        Map<LabelNode, AbstractInsnNode> created = new HashMap<>();
        for (AbstractInsnNode at = method.instructions.getFirst(); at != null; at = at.getNext()) {
            if (at instanceof FrameNode) {
                for (List<Object> types : types((FrameNode) at)) {
                    types.stream().filter(LabelNode.class::isInstance).forEach(label -> created.put((LabelNode) label, real((LabelNode) label)));
                }
            }
        }
        return created;
    }

    /** A probe may stand between such a label, to which a jump leads too, and its instruction: a new label stands right before it. */
    private static void nameAgain(MethodNode method, Map<LabelNode, AbstractInsnNode> created) {
        Map<Object, LabelNode> labels = new HashMap<>();
        created.forEach((label, made) -> {
            LabelNode right = new LabelNode();
            method.instructions.insertBefore(made, right);
            labels.put(label, right);
        });
        for (AbstractInsnNode at = method.instructions.getFirst(); at != null; at = at.getNext()) {
            if (at instanceof FrameNode) {
                types((FrameNode) at).forEach(types -> types.replaceAll(type -> labels.containsKey(type) ? labels.get(type) : type));
            }
        }
    }

    private static List<List<Object>> types(FrameNode frame) {
        // ASM's own lists cannot always be changed.
        frame.local = frame.local == null ? new ArrayList<>() : new ArrayList<>(frame.local);
        frame.stack = frame.stack == null ? new ArrayList<>() : new ArrayList<>(frame.stack);
        return List.of(frame.local, frame.stack);
    }

    private static boolean isProbe(AbstractInsnNode at) {
        return at instanceof MethodInsnNode && ((MethodInsnNode) at).owner.equals(TRACER);
    }

    /** The first instruction of the probe of five that ends there. */
    private static AbstractInsnNode first(AbstractInsnNode end) {
        AbstractInsnNode at = end;
        for (int step = 0; step < 4; step++) {
            at = at.getPrevious();
        }
        return at;
    }

    /** Instructions at which a block begins: after jumps, where jumps lead, at handlers, and the first. */
    private static Set<AbstractInsnNode> leaders(MethodNode method) {
        Set<AbstractInsnNode> leaders = new HashSet<>();
        leaders.add(real(method.instructions.getFirst()));
        for (AbstractInsnNode at = method.instructions.getFirst(); at != null; at = at.getNext()) {
            int code = at.getOpcode();
            if (at instanceof JumpInsnNode) {
                leaders.add(real(((JumpInsnNode) at).label));
            } else if (at instanceof TableSwitchInsnNode) {
                TableSwitchInsnNode table = (TableSwitchInsnNode) at;
                targets(leaders, table.labels, table.dflt);
            } else if (at instanceof LookupSwitchInsnNode) {
                LookupSwitchInsnNode lookup = (LookupSwitchInsnNode) at;
                targets(leaders, lookup.labels, lookup.dflt);
            } else if (!(code >= Opcodes.IRETURN && code <= Opcodes.RETURN) && code != Opcodes.ATHROW) {
                continue;
            }
            leaders.add(real(at.getNext()));
        }
        for (TryCatchBlockNode range : method.tryCatchBlocks) {
            leaders.add(real(range.handler));
        }
        return leaders;
    }

    private static void targets(Set<AbstractInsnNode> leaders, List<LabelNode> labels, LabelNode otherwise) {
        labels.forEach(label -> leaders.add(real(label)));
        leaders.add(real(otherwise));
    }

    /** The instruction at a label. */
    private static AbstractInsnNode real(AbstractInsnNode from) {
        AbstractInsnNode at = from;
        while (at != null && at.getOpcode() < 0) {
            at = at.getNext();
        }
        return at;
    }

    /** {@code Tracer.eventNotify(event, (int) Thread.currentThread().getId())}: 12 bytes, 13 with a large constant pool. */
    private static InsnList probe(int event) {
        InsnList code = new InsnList();
        code.add(new LdcInsnNode(event));
        thread(code);
        code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, TRACER, "eventNotify", "(II)V"));
        return code;
    }

    private static InsnList typedProbe(int event) {
        InsnList code = new InsnList();
        code.add(new LdcInsnNode(event));
        thread(code);
        code.add(new VarInsnNode(Opcodes.ALOAD, 0));
        code.add(new MethodInsnNode(Opcodes.INVOKEVIRTUAL, "java/lang/Object", "getClass", "()Ljava/lang/Class;"));
        code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, TRACER, "eventNotifyWithInstanceType",
                Type.getMethodDescriptor(Type.VOID_TYPE, Type.INT_TYPE, Type.INT_TYPE, Type.getType(Class.class))));
        return code;
    }

    private static void thread(InsnList code) {
        code.add(new MethodInsnNode(Opcodes.INVOKESTATIC, "java/lang/Thread", "currentThread", "()Ljava/lang/Thread;"));
        code.add(new MethodInsnNode(Opcodes.INVOKEVIRTUAL, "java/lang/Thread", "getId", "()J"));
        code.add(new InsnNode(Opcodes.L2I));
    }
}
