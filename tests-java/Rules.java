import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;

/**
 * One small method for each rule of counting, with the arithmetic of its counts; {@code Metrics} has others. {@code RulesWritten} makes the
 * class file that javac does not write. Each nested class is a space of {@code controller/tests/e2e/metric_rules.rs}; constructors do not count.
 *
 * <p>Arguments: [library], a library that has the native method; without it that method is not called.
 */
public final class Rules {
    /**
     * An exception leaves {@code c} in the middle, runs the {@code finally} of {@code b}, passes {@code a} and is caught. c: 3 of 4
     * instructions, b: 2 and 4 of 10, a: 2 of 3, go: 2 and 3 of 6; 16 of 23.
     */
    static class Frames {
        static int c(int n) {
            return 1 / n;
        }

        static int b(int n) {
            try {
                return c(n);
            } finally {
                n++;
            }
        }

        static int a(int n) {
            return b(n);
        }

        static int go() {
            try {
                return a(0);
            } catch (ArithmeticException e) {
                return -1;
            }
        }
    }

    /** {@code of(6)} has 25 calls: 13 leaves of 6 instructions, 12 others of 13; 78 + 156 = 234. All 15 instructions run. */
    static class Fibonacci {
        static int of(int n) {
            return n < 2 ? n : of(n - 1) + of(n - 2);
        }
    }

    /** {@code lookupswitch}: 4 instructions in each of 3 calls; 8 of 10 run, one of which is the switch, and it goes three ways. */
    static class Choice {
        static int of(int n) {
            switch (n) {
                case 1:
                    return 1;
                case 100:
                    return 2;
                case 10_000:
                    return 3;
                default:
                    return 4;
            }
        }
    }

    /** A native method that locks its class. 4 + 4 * 3 + 3 * 6 + 2 = 36 instructions, 3 calls. */
    static class Locked {
        static synchronized native int answer();

        static int go(int n) {
            int s = 0;
            for (int i = 0; i < n; i++) s += answer();
            return s;
        }
    }

    interface Maker<T> {
        T make(T from);
    }

    /** {@code go} 4, the bridge of {@code make} 5, {@code make} 2: 11 instructions, 3 entries, 2 places that call. */
    static class Bridge implements Maker<Integer> {
        @Override
        public Integer make(Integer from) {
            return from;
        }

        static <T> T go(Maker<T> maker, T from) {
            return maker.make(from);
        }
    }

    /** A private method of a nestmate, by {@code invokevirtual}: 8 instructions and 2 * 2. */
    static class Nest {
        private int own(int n) {
            return n;
        }

        static class Mate {
            static int go(Nest nest) {
                return nest.own(1) + nest.own(2);
            }
        }
    }

    /** One place with a class and two lambdas as receivers: 3 calls of 3 instructions, and 2 instructions of {@code Four}. */
    static class Sites {
        static int go(IntSupplier supplier) {
            return supplier.getAsInt();
        }
    }

    static class Four implements IntSupplier {
        @Override
        public int getAsInt() {
            return 4;
        }
    }

    /**
     * Loaded by the application's loader, and by another one, of which the class may count late. A call has 9 + 9n instructions, so
     * 36 with 3 by the first, and 27 with 2 by the other; all 15 run.
     */
    public static class Twin implements IntUnaryOperator {
        @Override
        public int applyAsInt(int n) {
            int s = 0;
            for (int i = 0; i < n; i++) s += i;
            return s;
        }

        public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
            URL[] here = {Rules.class.getProtectionDomain().getCodeSource().getLocation()};
            int sum = new Twin().applyAsInt(3);
            // The parent is not the application's loader, which would give both the same class.
            try (URLClassLoader loader = new URLClassLoader(here, ClassLoader.getPlatformClassLoader())) {
                Object other = loader.loadClass("Rules$Twin").getDeclaredConstructor().newInstance();
                sum += ((IntUnaryOperator) other).applyAsInt(2);
            }
            System.out.println(sum == 4 ? "ended" : "the sum is " + sum);
        }
    }

    /**
     * {@value #THREADS} threads, virtual ones from JDK 21 on, that wait for each other in each round of a loop: 9 + 12n instructions each,
     * so 20 * (9 + 12 * 50) = 12,180.
     */
    static class Parks {
        static final int THREADS = 20;
        static final int ROUNDS = 50;

        static int go(Phaser phaser, int n) {
            int s = 0;
            for (int i = 0; i < n; i++) {
                phaser.arriveAndAwaitAdvance();
                s += i;
            }
            return s;
        }
    }

    /** A stack overflow after {@code depth} calls of 5 instructions; {@code return} never runs. The program prints the depth. */
    static class Down {
        static int depth;

        static void go() {
            depth++;
            go();
        }

        public static void main(String[] arguments) {
            try {
                go();
            } catch (StackOverflowError deep) {
                System.out.println("depth " + depth);
            }
        }
    }

    /** A program without anything: one instruction, {@code return}. {@code never} has each kind of instruction that a density is about. */
    static class Empty {
        public static void main(String[] arguments) {}

        synchronized double never(double[] values, IntSupplier supplier) {
            return values[supplier.getAsInt()] + Down.depth;
        }
    }

    /** A loop without an end, until a line comes: 7 instructions a round. The program prints the rounds. */
    static class Endless {
        static volatile boolean stop;

        static long go() {
            long i = 0;
            while (!stop) i++;
            return i;
        }

        public static void main(String[] arguments) throws IOException, InterruptedException {
            long[] rounds = new long[1];
            Thread thread = new Thread(() -> rounds[0] = go());
            thread.start();
            System.out.println("ready");
            System.in.read();
            stop = true;
            thread.join();
            System.out.println("rounds " + rounds[0]);
        }
    }

    private Rules() {}

    private static int parks() throws InterruptedException {
        Phaser phaser = new Phaser(Parks.THREADS);
        int[] sums = new int[Parks.THREADS];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < sums.length; i++) {
            int own = i;
            threads.add(start(() -> sums[own] = Parks.go(phaser, Parks.ROUNDS)));
        }
        int sum = 0;
        for (int i = 0; i < sums.length; i++) {
            threads.get(i).join();
            sum += sums[i];
        }
        return sum;
    }

    /** A virtual thread where the JVM has them. */
    private static Thread start(Runnable work) {
        try {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        } catch (ReflectiveOperationException missing) {
            Thread thread = new Thread(work);
            thread.start();
            return thread;
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        int sum = Frames.go() + Fibonacci.of(6) + Choice.of(1) + Choice.of(100) + Choice.of(7);
        if (arguments.length > 0) {
            System.load(arguments[0]);
            sum += Locked.go(3) - 126;
        }
        sum += Bridge.go(new Bridge(), 7) + Nest.Mate.go(new Nest());
        sum += Sites.go(new Four()) + Sites.go(() -> 5) + Sites.go(() -> 6);
        sum += parks() + RulesWritten.all();
        System.out.println(sum == 30_597 ? "ended" : "the sum is " + sum);
    }
}
