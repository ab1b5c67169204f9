import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntUnaryOperator;

/**
 * Shows one class in two loaders: {@code TwoLoaders$Twin} is loaded by a first {@code URLClassLoader} in
 * stage 1 and by a second one in stage 2. They are two classes to the JVM and one method to an operator. A
 * round calls the first twin twice and the second once, the latter in a thread of its own, so that samples
 * distinguish them.
 *
 * <p>Arguments: [rounds of each stage]; without them the first line on standard input loads the second twin
 * and the second line ends the program. To measure: {@code TwoLoaders$Twin.applyAsInt(I)I}.
 */
public final class TwoLoaders {

    private static final int INPUT = 1_000;

    private TwoLoaders() {}

    public static void main(String[] args)
            throws IOException, ReflectiveOperationException, InterruptedException, ExecutionException {
        URL[] here = {TwoLoaders.class.getProtectionDomain().getCodeSource().getLocation()};
        // The parent is not the application's loader, which would give both loaders the same class.
        ClassLoader parent = ClassLoader.getPlatformClassLoader();
        try (URLClassLoader one = new URLClassLoader("one", here, parent);
                URLClassLoader two = new URLClassLoader("two", here, parent)) {
            ExecutorService thread = Executors.newSingleThreadExecutor();
            run(args, one, two, thread);
            thread.shutdown();
        }
    }

    private static void run(String[] args, ClassLoader one, ClassLoader two, ExecutorService thread)
            throws ReflectiveOperationException, InterruptedException, ExecutionException {
        IntUnaryOperator first = twin(one);
        Life life = Life.start(args);
        while (life.wantsRound()) {
            life.check(first.applyAsInt(INPUT) + ", " + first.applyAsInt(INPUT));
        }
        IntUnaryOperator second = twin(two);
        Life.say("two classes: " + (first.getClass() != second.getClass()));
        while (life.wantsRound()) {
            int other = thread.submit(() -> second.applyAsInt(INPUT)).get();
            life.check(first.applyAsInt(INPUT) + ", " + first.applyAsInt(INPUT) + ", " + other);
        }
        Life.say("first " + first.applyAsInt(INPUT) + ", second " + second.applyAsInt(INPUT));
        System.err.println("calls: first " + calls(first) + ", second " + calls(second));
        life.end();
    }

    private static IntUnaryOperator twin(ClassLoader loader) throws ReflectiveOperationException {
        Class<?> type = loader.loadClass("TwoLoaders$Twin");
        return (IntUnaryOperator) type.getDeclaredConstructor().newInstance();
    }

    private static long calls(IntUnaryOperator twin) throws ReflectiveOperationException {
        Field calls = twin.getClass().getField("calls");
        return calls.getLong(null);
    }

    /**
     * The class that both loaders define; public, because each twin is called from outside its run-time
     * package.
     */
    public static final class Twin implements IntUnaryOperator {
        /** Calls of this loader's twin alone. */
        public static long calls;

        /** For reflection. */
        public Twin() {}

        @Override
        public int applyAsInt(int n) {
            calls++;
            int sum = 0;
            for (int i = 0; i < n; i++) {
                sum = sum * 31 + i;
            }
            return sum;
        }
    }
}
