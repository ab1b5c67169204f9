package bench;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.eclipse.jdt.core.compiler.CharOperation;
import org.eclipse.jdt.internal.compiler.ClassFile;
import org.eclipse.jdt.internal.compiler.Compiler;
import org.eclipse.jdt.internal.compiler.DefaultErrorHandlingPolicies;
import org.eclipse.jdt.internal.compiler.batch.CompilationUnit;
import org.eclipse.jdt.internal.compiler.classfmt.ClassFileReader;
import org.eclipse.jdt.internal.compiler.classfmt.ClassFormatException;
import org.eclipse.jdt.internal.compiler.env.ICompilationUnit;
import org.eclipse.jdt.internal.compiler.env.INameEnvironment;
import org.eclipse.jdt.internal.compiler.env.NameEnvironmentAnswer;
import org.eclipse.jdt.internal.compiler.impl.CompilerOptions;
import org.eclipse.jdt.internal.compiler.problem.DefaultProblemFactory;

/** The compiler of Eclipse: all of commons-cli, from the JAR of sources that the property {@code sources} names. */
final class Ecj implements Workload, INameEnvironment {
    private final Map<String, char[]> sources = new TreeMap<>();
    /** Of the JDK's classes, empty where there is none of a name: read once, parsed in each turn. */
    private final Map<String, byte[]> classes = new HashMap<>();

    Ecj() throws IOException {
        try (ZipFile zip = new ZipFile(System.getProperty("sources"))) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                String name = entry.getName();
                if (name.endsWith(".java") && !name.endsWith("package-info.java")) {
                    sources.put(name, new String(zip.getInputStream(entry).readAllBytes(), "UTF-8").toCharArray());
                }
            }
        }
    }

    @Override
    public long turn() {
        CompilerOptions options = new CompilerOptions(Map.of(
                CompilerOptions.OPTION_Source, "1.8", CompilerOptions.OPTION_Compliance, "1.8", CompilerOptions.OPTION_TargetPlatform, "1.8"));
        long[] value = {0};
        Compiler compiler = new Compiler(this, DefaultErrorHandlingPolicies.proceedWithAllProblems(), options, result -> {
            if (result.hasErrors()) {
                throw new IllegalStateException(java.util.Arrays.toString(result.getErrors()));
            }
            for (ClassFile file : result.getClassFiles()) {
                // In any order.
                value[0] += java.util.Arrays.hashCode(file.getBytes());
            }
        }, new DefaultProblemFactory(Locale.ROOT));
        compiler.useSingleThread = true;
        ICompilationUnit[] units = sources.entrySet().stream()
                .map(source -> new CompilationUnit(source.getValue(), source.getKey(), "UTF-8")).toArray(ICompilationUnit[]::new);
        compiler.compile(units);
        return value[0];
    }

    @Override
    public NameEnvironmentAnswer findType(char[][] name) {
        return find(CharOperation.toString(name).replace('.', '/'));
    }

    @Override
    public NameEnvironmentAnswer findType(char[] type, char[][] packageName) {
        String folder = CharOperation.toString(packageName).replace('.', '/');
        return find(folder.isEmpty() ? new String(type) : folder + "/" + new String(type));
    }

    private NameEnvironmentAnswer find(String name) {
        char[] source = sources.get(name + ".java");
        if (source != null) {
            return new NameEnvironmentAnswer(new CompilationUnit(source, name + ".java", "UTF-8"), null);
        }
        byte[] bytes = classes.computeIfAbsent(name, Ecj::read);
        try {
            return bytes.length == 0 ? null : new NameEnvironmentAnswer(ClassFileReader.read(new ByteArrayInputStream(bytes), name), null);
        } catch (ClassFormatException | IOException problem) {
            throw new IllegalStateException(name, problem);
        }
    }

    private static byte[] read(String name) {
        try (InputStream in = name.startsWith("java/") ? ClassLoader.getSystemResourceAsStream(name + ".class") : null) {
            return in == null ? new byte[0] : in.readAllBytes();
        } catch (IOException problem) {
            throw new IllegalStateException(name, problem);
        }
    }

    @Override
    public boolean isPackage(char[][] parent, char[] name) {
        String folder = parent == null ? "" : CharOperation.toString(parent).replace('.', '/') + "/";
        String path = folder + new String(name);
        return !sources.containsKey(path + ".java") && classes.computeIfAbsent(path, Ecj::read).length == 0 && !Character.isUpperCase(name[0]);
    }

    @Override
    public void cleanup() {
        // The next turn needs the classes too.
    }
}
