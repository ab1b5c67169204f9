import java.lang.instrument.Instrumentation;
import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Passes objects of many kinds to methods whose workload sizes are measured, and prints their sizes by {@code
 * java.lang.instrument} and by its own walk with reflection. Must also be a {@code -javaagent}.
 *
 * <p>After a line on standard input it makes all calls, then prints a line "NAME SHALLOW DEEP TWICE" for each
 * object, and "end", and stays until the input ends.
 */
public final class SizeOracle {
    private static final int PASSES = 3;
    private static Instrumentation instrumentation;
    private static long calls;

    private SizeOracle() {}

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
    }

    public static void main(String[] args) throws Exception {
        Map<String, Object> objects = objects();
        System.out.println("ready");
        System.in.read();
        for (int pass = 0; pass < PASSES; pass++) {
            for (Object object : objects.values()) {
                shallow(object);
                deep(object);
                twice(object, pass, object);
            }
        }
        for (Map.Entry<String, Object> one : objects.entrySet()) {
            long deep = reachable(one.getValue());
            // Each argument counts all reachable objects, and the number its width.
            System.out.println(one.getKey() + " " + bytes(one.getValue()) + " " + deep + " " + (deep + 4 + deep));
        }
        System.out.println("end");
        // The last samples are still on their way, so wait for the end of the input.
        while (System.in.read() >= 0) {}
    }

    static void shallow(Object argument) {
        calls++;
    }

    static void deep(Object argument) {
        calls++;
    }

    static void twice(Object argument, int number, Object same) {
        calls++;
    }

    private static long bytes(Object object) {
        return object == null ? 0 : instrumentation.getObjectSize(object);
    }

    /**
     * Bytes of all reachable objects, each once, but not through classes, loaders, threads and references.
     */
    private static long reachable(Object root) throws IllegalAccessException {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> open = new ArrayDeque<>();
        reach(root, seen, open);
        long sum = 0;
        while (!open.isEmpty()) {
            Object object = open.pop();
            sum += bytes(object);
            if (object instanceof Object[]) {
                for (Object element : (Object[]) object) {
                    reach(element, seen, open);
                }
            } else if (!(object instanceof Reference)) {
                for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
                    for (Field field : type.getDeclaredFields()) {
                        if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                            field.setAccessible(true);
                            reach(field.get(object), seen, open);
                        }
                    }
                }
            }
        }
        return sum;
    }

    private static void reach(Object object, Set<Object> seen, Deque<Object> open) {
        boolean isLeftOut = object instanceof Class || object instanceof ClassLoader || object instanceof Thread;
        if (object != null && !isLeftOut && seen.add(object)) {
            open.push(object);
        }
    }

    private static Map<String, Object> objects() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("null", null);
        all.put("Object", new Object());
        all.put("Integer", 1_000_000);
        all.put("Long", 1L << 40);
        all.put("String", "text");
        all.put("String-UTF-16", "\u4f60\u597d");
        all.put("BigInteger", BigInteger.TEN.pow(50));
        all.put("StringBuilder", new StringBuilder("some text that grows"));
        all.put("enum", TimeUnit.SECONDS);
        for (int length = 0; length < 20; length++) {
            all.put("byte[" + length + "]", new byte[length]);
            all.put("long[" + length + "]", new long[length]);
            all.put("Object[" + length + "]", new Object[length]);
        }
        all.put("boolean[3]", new boolean[3]);
        all.put("char[5]", new char[5]);
        all.put("short[7]", new short[7]);
        all.put("float[9]", new float[9]);
        all.put("double[11]", new double[11]);
        all.put("int[3][4]", new int[3][4]);
        String shared = new String("shared");
        all.put("shared", new Object[] {shared, shared, null, List.of(shared)});
        Object[] cycle = new Object[2];
        cycle[0] = cycle;
        cycle[1] = new Object[] {cycle};
        all.put("cycle", cycle);
        all.put("gaps", new Gaps());
        all.put("gaps-below", new GapsBelow());
        all.put("off-limits", new OffLimits());
        all.put("WeakReference", new WeakReference<>(new byte[1000]));
        all.put("SoftReference[]", new Object[] {new SoftReference<>(new byte[1000]), "x"});
        all.put("Optional", Optional.of("o"));
        Supplier<String> lambda = () -> shared;
        all.put("lambda", lambda);
        List<String> strings = new ArrayList<>();
        Map<String, Object> hashed = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            strings.add("s" + i);
            hashed.put("k" + i, (long) i);
        }
        all.put("ArrayList", strings);
        all.put("LinkedList", new LinkedList<>(strings));
        all.put("ArrayDeque", new ArrayDeque<>(strings));
        all.put("HashSet", new HashSet<>(strings));
        all.put("HashMap", hashed);
        all.put("TreeMap", new TreeMap<>(hashed));
        all.put("ConcurrentHashMap", new ConcurrentHashMap<>(hashed));
        return all;
    }

    /** Fields of every width, so that there are gaps between them. */
    private static class Gaps {
        byte a = 1;
        long b = 2;
        Object c = "c";
        boolean d;
        double e;
        char f;
    }

    /** More fields after those of the superclass. */
    private static final class GapsBelow extends Gaps {
        short g;
        Object h = new int[] {1};
        byte i;
    }

    /** Objects that {@code deep} must not enter. */
    private static final class OffLimits {
        final Object type = String.class;
        final Object loader = ClassLoader.getSystemClassLoader();
        final Object thread = Thread.currentThread();
        final Object own = new byte[10];
    }
}
