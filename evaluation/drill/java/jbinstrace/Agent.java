package jbinstrace;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.IllegalClassFormatException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * JBInsTrace as an agent: a Java agent whose class path is the boot class path, and which loads the weaver with its library in a class
 * loader of its own. Argument: paths of the weaver's classes and libraries with ':' between them, after {@code jdk=} for the JDK's
 * classes too.
 */
public final class Agent {
    private static final String JDK = "jdk=";

    private Agent() {}

    /** Begins before the program. */
    public static void premain(String argument, Instrumentation instrumentation) throws Exception {
        boolean jdk = argument.startsWith(JDK);
        List<URL> paths = new ArrayList<>();
        for (String path : argument.substring(jdk ? JDK.length() : 0).split(":")) {
            paths.add(new java.io.File(path).toURI().toURL());
        }
        ClassLoader loader = new URLClassLoader("jbinstrace", paths.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        Class<?> weaver = Class.forName("jbinstrace.weaver.Weaver", true, loader);
        ClassFileTransformer weaving = (ClassFileTransformer) weaver.getConstructor(boolean.class).newInstance(jdk);
        // The classes of the weaver have to be there before it is asked for any other.
        Method summary = weaver.getMethod("summary");
        summary.invoke(weaving);
        Tracer.authorize(true);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> say(summary, weaving)));
        if (jdk) {
            open(instrumentation);
        }
        instrumentation.addTransformer(untraced(weaving), true);
        if (jdk) {
            Class<?>[] loaded = Arrays.stream(instrumentation.getAllLoadedClasses())
                    .filter(type -> type.getClassLoader() == null && instrumentation.isModifiableClass(type)).toArray(Class<?>[]::new);
            instrumentation.retransformClasses(loaded);
        }
        Tracer.open = true;
    }

    /** The weaver, whose work is not traced. */
    private static ClassFileTransformer untraced(ClassFileTransformer weaving) {
        return new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> again, ProtectionDomain domain, byte[] bytes)
                    throws IllegalClassFormatException {
                Tracer.authorize(false);
                try {
                    return weaving.transform(loader, name, again, domain, bytes);
                } finally {
                    Tracer.authorize(true);
                }
            }
        };
    }

    /** Every module may call the tracer, which is in none. */
    private static void open(Instrumentation instrumentation) {
        Module ours = Tracer.class.getModule();
        for (Module module : ModuleLayer.boot().modules()) {
            instrumentation.redefineModule(module, Set.of(ours), Map.of(), Map.of(), Set.of(), Map.of());
        }
    }

    private static void say(Method summary, Object transformer) {
        try {
            System.err.println("jbinstrace: " + Tracer.total() + " events, " + summary.invoke(transformer));
        } catch (ReflectiveOperationException problem) {
            problem.printStackTrace();
        }
    }
}
