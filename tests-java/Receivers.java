import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * Calls whose receivers lie below arguments of every kind and number, each a known number of times: objects of the program, of the JDK, arrays, a
 * lambda, and none; an inherited and a default method; in two threads, and in 60 one after the other; of a class that is
 * unloaded; of three classes of one name.
 */
public final class Receivers {
    private static final int TURNS = 3000;
    private static final int THREADS = 60;

    interface Shape {
        int area();

        default String name() {
            return "shape";
        }
    }

    static class Square implements Shape {
        @Override
        public int area() {
            return 1;
        }
    }

    static class Circle implements Shape {
        @Override
        public int area() {
            return 2;
        }

        @Override
        public String name() {
            return "circle";
        }
    }

    static final class Disc extends Circle {}

    /** Methods with many arguments. */
    static class Wide {
        long one(long first) {
            return first;
        }

        double three(double first, Object second) {
            return second == null ? 0 : first;
        }

        long many(byte a, long b, float c, double d, Object e, int[] f, boolean g, char h) {
            return a + b + (long) c + (long) d + (e == null ? 0 : 1) + f.length + (g ? 1 : 0) + h;
        }
    }

    static final class Wider extends Wide {
        @Override
        long many(byte a, long b, float c, double d, Object e, int[] f, boolean g, char h) {
            return -super.many(a, b, c, d, e, f, g, h);
        }
    }

    private Receivers() {}

    public static void main(String[] arguments) throws Exception {
        Shape[] shapes = {new Square(), new Circle(), new Disc()};
        long sum = shapes(shapes, TURNS);
        sum += wide(new Wide(), new Wider(), TURNS);
        sum += jdk(TURNS);
        sum += arrays(TURNS);
        sum += nobody(null);
        Thread other = new Thread(() -> shapes(new Shape[] {new Square()}, TURNS));
        other.start();
        other.join();
        Last last = new Last();
        for (int i = 0; i < 12; i++) known(i % 4 == 0 ? null : "text", last);
        Thread third = new Thread(() -> known("text", last));
        third.start();
        third.join();
        for (int i = 0; i < THREADS; i++) {
            Thread one = new Thread(() -> inOneOfMany(shapes[0]));
            one.start();
            one.join();
        }
        unloaded();
        String namesake = "Receivers$Namesake";
        namesakes(new Namesake(), ofAnotherLoader(namesake), ofAnotherLoader(namesake));
        System.out.println("sum " + sum);
    }

    /** A class that the code itself says is final, as the JDK's documentation says it of String. */
    static final class Last {
        int twice(String text) {
            return once(text) + once(text);
        }

        int once(String text) {
            return text.length();
        }
    }

    static int known(String text, Last last) {
        try {
            return last.twice(text);
        } catch (NullPointerException none) {
            return 0;
        }
    }

    static long shapes(Shape[] shapes, int turns) {
        long sum = 0;
        for (int i = 0; i < turns; i++) {
            Shape shape = shapes[i % shapes.length];
            sum += shape.area() + shape.name().length();
        }
        return sum;
    }

    static long wide(Wide wide, Wide wider, int turns) {
        long sum = 0;
        int[] array = new int[2];
        for (int i = 0; i < turns; i++) {
            Wide one = i % 5 == 0 ? wider : wide;
            sum += one.one(1L << 40) - (1L << 40);
            sum += (long) one.three(2.5, array);
            sum += one.many((byte) 1, 2L, 3f, 4d, "5", array, true, '\7');
        }
        return sum;
    }

    static int jdk(int turns) {
        int sum = 0;
        Comparator<Integer> lambda = (one, two) -> two - one;
        for (int i = 0; i < turns; i++) sum += compare(i % 2 == 0 ? lambda : Collections.reverseOrder(), i, 7);
        return sum;
    }

    static int inOneOfMany(Shape shape) {
        return shape.area();
    }

    static int compare(Comparator<Integer> comparator, Integer one, Integer two) {
        return Integer.signum(comparator.compare(one, two));
    }

    static int arrays(int turns) {
        int sum = 0;
        Object[] all = {new int[1], new String[2], "three"};
        for (int i = 0; i < turns; i++) sum += all[i % 3].getClass().getName().length();
        return sum;
    }

    static int nobody(Shape shape) {
        int caught = 0;
        for (int i = 0; i < 5; i++) {
            try {
                caught += shape.area();
            } catch (NullPointerException e) {
                caught++;
            }
        }
        return caught;
    }

    /** A class of a loader that nobody keeps: its objects are received while new classes come and go. */
    static void unloaded() throws Exception {
        for (int i = 0; i < 8; i++) {
            gone(ofAnotherLoader("Receivers$Gone"));
            System.gc();
        }
    }

    /** An object of a class that a new loader has. */
    static Runnable ofAnotherLoader(String name) throws Exception {
        byte[] bytes;
        try (java.io.InputStream in = Receivers.class.getResourceAsStream(name + ".class")) {
            bytes = in.readAllBytes();
        }
        ClassLoader loader =
                new ClassLoader(Receivers.class.getClassLoader()) {
                    @Override
                    protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
                        return wanted.equals(name) ? defineClass(name, bytes, 0, bytes.length) : super.loadClass(wanted, resolve);
                    }
                };
        return (Runnable) loader.loadClass(name).getDeclaredConstructor().newInstance();
    }

    static void gone(Runnable gone) {
        for (int i = 0; i < 10; i++) gone.run();
    }

    static void namesakes(Runnable... all) {
        for (int i = 0; i < 30; i++) all[i % all.length].run();
    }

    /** Public, so that its constructor can be called. */
    public static final class Namesake implements Runnable {
        @Override
        public void run() {}
    }

    /** Public, so that its constructor can be called. */
    public static final class Gone implements Runnable {
        @Override
        public void run() {
            List<Object> some = new ArrayList<>();
            some.add(this);
        }
    }
}
