package recreated;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import javassist.ClassPool;
import javassist.CtBehavior;
import javassist.CtClass;
import javassist.CtConstructor;

/**
 * Measures all methods of a task file at once with the recorder of the thesis's design, each until it has enough
 * measurements. Weaving and counting happen in this JVM, where the thesis has a process of their own: what the program
 * pays for them is less than the thesis's transfer of classes and messages would cost it.
 *
 * <p>Agent argument: task file, milliseconds before the measurement, milliseconds of a communication cycle, measurements
 * that finish a method; separated by commas. A line on standard error says when it starts and when it is over.
 */
public final class Agent implements ClassFileTransformer {

    /** Names a file into which the number of all measurements goes in the end. */
    private static final String RECEIVED = "peers.received";

    private final Instrumentation instrumentation;
    /** The methods whose probes are in, by the class's name with slashes. */
    private final Map<String, Set<String>> measured = new HashMap<>();
    private final Map<String, Integer> counts = new HashMap<>();

    private Agent(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
    }

    /** The way in. */
    public static void premain(String argument, Instrumentation instrumentation) throws Exception {
        String[] parts = argument.split(",");
        Agent agent = new Agent(instrumentation);
        for (String line : Files.readAllLines(Path.of(parts[0]))) {
            if (!line.isBlank() && !line.startsWith("#")) {
                agent.measured.computeIfAbsent(classOf(line), key -> new LinkedHashSet<>()).add(line);
            }
        }
        long wait = Long.parseLong(parts[1]);
        long cycle = Long.parseLong(parts[2]);
        int enough = Integer.parseInt(parts[3]);
        instrumentation.addTransformer(agent, true);
        Thread thread = new Thread(() -> agent.communicate(wait, cycle, enough), "communication");
        thread.setDaemon(true);
        Recorder.setCommunication(thread);
        if (wait == 0) {
            // An operator who waits for nothing wants each call measured, the first one too.
            agent.begin();
        }
        if (System.getProperty(RECEIVED) != null) {
            Runtime.getRuntime().addShutdownHook(new Thread(agent::tellReceived));
        }
        thread.start();
    }

    private static String classOf(String method) {
        return method.substring(0, method.indexOf('.'));
    }

    private void communicate(long wait, long cycle, int enough) {
        try {
            if (wait > 0) {
                Thread.sleep(wait);
                begin();
            }
            while (!measured.isEmpty()) {
                Thread.sleep(cycle);
                retransform(receive(enough));
            }
            System.err.println("recreated: every method is finished");
        } catch (ReflectiveOperationException | InterruptedException | java.lang.instrument.UnmodifiableClassException e) {
            System.err.println("recreated: failed: " + e);
        }
    }

    private void begin() throws ReflectiveOperationException, java.lang.instrument.UnmodifiableClassException {
        System.err.println("recreated: the measurement starts");
        retransform(new HashSet<>(measured.keySet()));
    }

    /** Counts the messages that wait; gives the classes that have lost a method by it. */
    private synchronized Set<String> receive(int enough) {
        Set<String> changed = new HashSet<>();
        for (String message : Recorder.take()) {
            String name = message.split(",")[4];
            if (counts.merge(name, 1, Integer::sum) == enough) {
                finish(name, changed);
            }
        }
        return changed;
    }

    private synchronized void tellReceived() {
        try {
            receive(Integer.MAX_VALUE);
            long calls = counts.values().stream().mapToLong(Integer::longValue).sum();
            Files.writeString(Path.of(System.getProperty(RECEIVED)), Long.toString(calls));
        } catch (IOException e) {
            System.err.println("recreated: failed: " + e);
        }
    }

    private void finish(String method, Set<String> changed) {
        Set<String> others = measured.get(classOf(method));
        others.remove(method);
        if (others.isEmpty()) {
            measured.remove(classOf(method));
        }
        changed.add(classOf(method));
    }

    private void retransform(Set<String> names)
            throws ReflectiveOperationException, java.lang.instrument.UnmodifiableClassException {
        for (String name : names) {
            instrumentation.retransformClasses(Class.forName(name.replace('/', '.')));
        }
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> old, ProtectionDomain domain, byte[] bytes) {
        // First loads, of any class in any thread, are left alone.
        if (old == null || !measured.containsKey(name)) {
            return null;
        }
        try {
            return weave(name, bytes);
        } catch (Exception e) {
            System.err.println("recreated: failed: " + name + ": " + e);
            return null;
        }
    }

    private byte[] weave(String name, byte[] bytes) throws Exception {
        CtClass type = new ClassPool(true).makeClass(new ByteArrayInputStream(bytes));
        for (CtBehavior behavior : type.getDeclaredBehaviors()) {
            String plain = behavior instanceof CtConstructor ? "<init>" : behavior.getName();
            String method = name + "." + plain + behavior.getSignature();
            if (!measured.get(name).contains(method)) {
                continue;
            }
            String call = "recreated.Recorder.%s(\"" + method + "\");";
            if (behavior instanceof CtConstructor) {
                ((CtConstructor) behavior).insertBeforeBody(String.format(call, "start"));
            } else {
                behavior.insertBefore(String.format(call, "start"));
            }
            behavior.insertAfter(String.format(call, "stop"), true);
        }
        return type.toBytecode();
    }
}
