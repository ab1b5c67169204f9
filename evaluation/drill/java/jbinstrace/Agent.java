package jbinstrace;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.IllegalClassFormatException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * JBInsTrace as an agent: a Java agent whose class path is the boot class path, and which loads the weaver with its library in a class
 * loader of its own. Argument, with commas between: {@code weaver=PATHS} names the weaver's classes and libraries with ':' between them,
 * {@code jdk} means the JDK's classes too, and with {@code trace=FOLDER} all events are kept and written there at the end.
 */
public final class Agent {
    private Agent() {}

    /** A program may put its own in place of it. */
    private static final PrintStream SAID = System.err;

    /** Begins before the program. */
    public static void premain(String argument, Instrumentation instrumentation) throws Exception {
        boolean jdk = false;
        String folder = null;
        List<URL> paths = new ArrayList<>();
        for (String option : argument.split(",")) {
            String value = option.substring(option.indexOf('=') + 1);
            if (option.startsWith("weaver=")) {
                for (String path : value.split(":")) {
                    paths.add(new File(path).toURI().toURL());
                }
            } else if (option.startsWith("trace=")) {
                folder = value;
            } else if (option.equals("jdk")) {
                jdk = true;
            } else {
                throw new IllegalArgumentException("jbinstrace: unknown option " + option);
            }
        }
        ClassLoader loader = new URLClassLoader("jbinstrace", paths.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        Class<?> weaver = Class.forName("jbinstrace.weaver.Weaver", true, loader);
        ClassFileTransformer weaving = (ClassFileTransformer) weaver.getConstructor().newInstance();
        // The classes of the weaver have to be there before it is asked for any other.
        Method summary = weaver.getMethod("summary");
        summary.invoke(weaving);
        Method typed = weaver.getMethod("typed");
        Method names = weaver.getMethod("names");
        Tracer.authorize(true);
        Tracer.keepsAll = folder != null;
        File traces = folder == null ? null : new File(folder);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(traces, summary, typed, names, weaving)));
        if (jdk) {
            open(instrumentation);
        }
        instrumentation.addTransformer(untraced(weaving, jdk), true);
        if (jdk) {
            Class<?>[] loaded = Arrays.stream(instrumentation.getAllLoadedClasses())
                    .filter(type -> type.getClassLoader() == null && instrumentation.isModifiableClass(type)).toArray(Class<?>[]::new);
            instrumentation.retransformClasses(loaded);
        }
        Tracer.open = true;
    }

    /** The weaver, whose work is not traced. */
    private static ClassFileTransformer untraced(ClassFileTransformer weaving, boolean jdk) {
        return new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> again, ProtectionDomain domain, byte[] bytes)
                    throws IllegalClassFormatException {
                // The weaver may be at work already: it loads classes too.
                boolean before = Tracer.authorize(false);
                try {
                    if (!jdk && isOfJdk(loader, name)) {
                        return null;
                    }
                    byte[] woven = weaving.transform(loader, name, again, domain, bytes);
                    if (woven != null && again == null) {
                        Tracer.classLoaded();
                    }
                    return woven;
                } finally {
                    Tracer.authorize(before);
                }
            }
        };
    }

    /** Whether a class is the JDK's, as {@code spl drill} has it: the JDK's compiler, in the loader of programs, is not. */
    private static boolean isOfJdk(ClassLoader loader, String name) {
        boolean isOther = loader != null && loader != ClassLoader.getPlatformClassLoader();
        return !isOther || name != null && (name.startsWith("jdk/internal/") || name.startsWith("sun/"));
    }

    /** Every module may call the tracer, which is in none. */
    private static void open(Instrumentation instrumentation) {
        Module ours = Tracer.class.getModule();
        for (Module module : ModuleLayer.boot().modules()) {
            instrumentation.redefineModule(module, Set.of(ours), Map.of(), Map.of(), Set.of(), Map.of());
        }
    }

    /** Says what was recorded, after it was written to the folder, if there is one. */
    @SuppressWarnings("unchecked")
    private static void end(File folder, Method summary, Method typed, Method names, Object weaving) {
        try {
            SAID.println("jbinstrace: " + Tracer.total() + " events, " + summary.invoke(weaving));
            if (folder != null) {
                long bytes = Tracer.write(folder);
                Files.write(new File(folder, "methods.txt").toPath(), (List<String>) names.invoke(weaving));
                SAID.println("jbinstrace: written " + System.currentTimeMillis() + " " + bytes);
                long[] kinds = Tracer.kinds((BitSet) typed.invoke(weaving));
                SAID.println("jbinstrace: kinds " + kinds[0] + " " + kinds[1] + " " + kinds[2] + " " + kinds[3]);
            }
        } catch (ReflectiveOperationException | IOException problem) {
            problem.printStackTrace(SAID);
        }
    }
}
