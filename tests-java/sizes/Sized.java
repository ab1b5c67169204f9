import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import spl.size.Computable;
import spl.size.MethodSize;
import spl.size.ScaleBase;
import spl.size.SizeAggregator;
import spl.size.SizeProcessor;

/**
 * Calls methods with arguments of many kinds. Its size processors are correct, or wrong in every way.
 *
 * <p>Argument: [rounds]. Standard output is the same however long the program runs.
 */
public final class Sized {
    /** More than half of the largest size. */
    private static final long HALF = 1L << 60;

    private final String name;

    private Sized(String name) {
        this.name = name;
    }

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        Map<String, Integer> map = new HashMap<>(Map.of("a", 1, "b", 2));
        List<Object> list = new ArrayList<>(Collections.nCopies(7, "x"));
        Object[] empty = new Object[1000];
        Sized sized = new Sized("seven");
        // No error of a processor may reach the program.
        Thread.setDefaultUncaughtExceptionHandler((thread, e) -> System.out.println("uncaught in " + thread.getName()));
        long sum = 0;
        // Runs until the end of the input.
        do {
            for (int i = 0; i < 20; i++) {
                sum += counted(5, -9L, 2.9f, 1e300 > sum ? 4.5 : 0, true, (byte) 1, '\1', (short) 2);
                sum += lengths("12345678", new int[3], list, map, new Object(), 10);
                sum += job(new Job(i % 2 == 0 ? 10 : 20)) + badJob(new BadJob(i % 2));
                sum += sized.good(i % 4, "text") + wide(1L, 'c', 2.5) + thrower("a") + none("b") + bucketless("c");
                sum += many("d" + i) + slow("e") + unloadable("f") + recursive("g") + missing("h") + hidden("i") + abstracted("j");
                sum += wrong("k") + failing("l") + large(list) + sparse(empty);
                sum += speechless("m") + jealous("n");
                sum += demanding("o") + vast(new Vast()) + two(new Job(HALF), new Job(HALF));
            }
        } while (System.in.available() == 0);
        System.out.println(sum == 0 ? "nothing" : "ended");
    }

    static long counted(int a, long b, float c, double d, boolean e, byte f, char g, short h) {
        return a + b;
    }

    static long lengths(CharSequence a, int[] b, List<Object> c, Map<String, Integer> d, Object e, Integer f) {
        return a.length() + b.length + c.size() + d.size() + f;
    }

    static long job(Job job) {
        return job.size;
    }

    static long badJob(BadJob job) {
        return job.how;
    }

    long good(int a, String b) {
        return a + b.length() + name.length();
    }

    static long wide(long a, char b, double c) {
        return a + b;
    }

    static long thrower(String a) {
        return a.length();
    }

    static long none(String a) {
        return a.length();
    }

    static long bucketless(String a) {
        return a.length();
    }

    static long many(String a) {
        return a.length();
    }

    static long slow(String a) {
        return a.length();
    }

    static long unloadable(String a) {
        return a.length();
    }

    static long recursive(String a) {
        return a.length();
    }

    static long missing(String a) {
        return a.length();
    }

    static long hidden(String a) {
        return a.length();
    }

    static long abstracted(String a) {
        return a.length();
    }

    static long wrong(String a) {
        return a.length();
    }

    static long failing(String a) {
        return a.length();
    }

    static long large(List<Object> a) {
        return a.size();
    }

    static long sparse(Object[] a) {
        return a.length;
    }

    static long speechless(String a) {
        return a.length();
    }

    static long jealous(String a) {
        return a.length();
    }

    static long demanding(String a) {
        return a.length();
    }

    static long vast(Vast a) {
        return 1;
    }

    static long two(Job a, Job b) {
        return 1;
    }

    static final class Job implements Computable {
        final long size;

        Job(long size) {
            this.size = size;
        }

        @Override
        public long computeSize() {
            return size;
        }
    }

    static final class BadJob implements Computable {
        final int how;

        BadJob(int how) {
            this.how = how;
        }

        @Override
        public long computeSize() {
            if (how == 0) {
                throw new IllegalStateException("not now");
            }
            return -5;
        }
    }

    /** Its size exceeds the limit. */
    static final class Vast implements Computable {
        @Override
        public long computeSize() {
            return Long.MAX_VALUE;
        }
    }

    /** A base for the sizes of {@link Good}. */
    static final class Modulus implements ScaleBase {
        final int modulus = 2;
    }

    /** Two values, grouped by the remainder of the first. */
    static final class Two implements MethodSize {
        private final int first;
        private final String second;

        Two(int first, String second) {
            this.first = first;
            this.second = second;
        }

        @Override
        public SizeAggregator aggregate(ScaleBase base) {
            return new Remainder(first % ((Modulus) base).modulus, second);
        }
    }

    static final class Remainder implements SizeAggregator {
        private final int remainder;
        private final String text;

        Remainder(int remainder, String text) {
            this.remainder = remainder;
            this.text = text;
        }

        @Override
        public String toString() {
            return "remainder " + remainder + " of \"" + text + "\"";
        }
    }

    /** A correct processor. */
    public static class Good implements SizeProcessor {
        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            return new Two((Integer) arguments[0], arguments[1] + " " + ((Sized) self).name);
        }

        @Override
        public ScaleBase getBase() {
            return new Modulus();
        }
    }

    /** Base of most of the other processors. */
    public abstract static class Plain implements SizeProcessor {
        static MethodSize named(String name) {
            return base -> new Named(name);
        }

        @Override
        public ScaleBase getBase() {
            return null;
        }
    }

    /** Needs a megabyte, so a leak would be seen: only a few may be kept. */
    static final class Named implements SizeAggregator {
        private final String name;
        private final byte[] ballast = new byte[1 << 20];

        Named(String name) {
            this.name = name;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    public static final class Types extends Plain {
        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            StringBuilder types = new StringBuilder(self == null ? "static" : "object");
            for (Object argument : arguments) {
                types.append(' ').append(argument.getClass().getSimpleName()).append(' ').append(argument);
            }
            return named(types.toString());
        }
    }

    public static final class Thrower extends Plain {
        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            throw new IllegalArgumentException("no");
        }
    }

    public static final class None extends Plain {
        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            return null;
        }
    }

    public static final class Bucketless extends Plain {
        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            return base -> null;
        }
    }

    /** Makes a bucket for each call, each with a name that is too long. */
    public static final class Many extends Plain {
        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            return named(arguments[0] + "x".repeat(300));
        }
    }

    public static final class Slow extends Plain {
        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            long until = System.nanoTime() + 3_000_000;
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            return named("slow");
        }
    }

    /** Calls the measured method itself. */
    public static final class Recursive extends Plain {
        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            return named("recursive " + recursive((String) arguments[0]));
        }
    }

    public static final class Hidden extends Plain {
        private Hidden() {
        }

        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            return null;
        }
    }

    /** Cannot be constructed without a name. */
    public static final class Demanding extends Plain {
        private final String name;

        public Demanding(String name) {
            this.name = name;
        }

        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            return named(name);
        }
    }

    /** Does not implement the interface. */
    public static final class Wrong {
        public Wrong() {
        }
    }

    public static final class Failing extends Plain {
        public Failing() {
            throw new IllegalStateException("not made");
        }

        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            return null;
        }
    }

    /** Its exception has no usable message. */
    public static final class Speechless extends Plain {
        public Speechless() {
            throw new IllegalStateException() {
                @Override
                public String toString() {
                    throw new UnsupportedOperationException("toString");
                }
            };
        }

        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            return null;
        }
    }

    /** Its constructor never ends, in a thread that cannot be joined. */
    public static final class Jealous extends Plain {
        public Jealous() throws InterruptedException {
            synchronized (Thread.currentThread()) {
                new java.util.concurrent.CountDownLatch(1).await();
            }
        }

        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            return null;
        }
    }
}
