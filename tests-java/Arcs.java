import java.lang.reflect.Method;
import java.security.AccessController;
import java.security.PrivilegedAction;

/**
 * Calls of every kind, each a known number of times in a round: receivers in turn, an inherited method, a null receiver, a lambda, a
 * native method, reflection, a privileged action, an initialiser of a class, exceptions that pass through frames.
 */
@SuppressWarnings("removal")
public final class Arcs {
    private static final int TURNS = 300;
    private static long steps;

    private interface Shape {
        int area();
    }

    private static class Square implements Shape {
        @Override
        public int area() {
            return 1;
        }
    }

    private static class Circle implements Shape {
        @Override
        public int area() {
            return 2;
        }
    }

    /** Inherits its area. */
    private static final class Disc extends Circle {}

    /** Initialised by a call, once in the life of the JVM. */
    private static final class Late {
        private static final int VALUE = value();

        private static int value() {
            return 7;
        }

        static int get() {
            return VALUE;
        }
    }

    private Arcs() {}

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        long sum = 0;
        Method step = Arcs.class.getDeclaredMethod("step");
        for (int i = 0; i < rounds; i++) {
            sum += inTurn(new Shape[] {new Square(), new Circle(), new Disc()});
            sum += withoutReceiver(new Square());
            lambda(Arcs::step, 50);
            sum += natives(new int[8]);
            for (int j = 0; j < 5; j++) {
                step.invoke(null);
            }
            privileged();
            sum += Late.get();
            sum += thrown(9);
        }
        System.out.println(sum + " " + steps);
    }

    private static int inTurn(Shape[] shapes) {
        int sum = 0;
        for (int i = 0; i < TURNS; i++) {
            sum += shapes[i % shapes.length].area();
        }
        return sum;
    }

    private static int withoutReceiver(Shape shape) {
        int caught = 0;
        for (int i = 0; i < 10; i++) {
            try {
                caught += (i == 3 ? null : shape).area();
            } catch (NullPointerException e) {
                caught += 100;
            }
        }
        return caught;
    }

    private static void lambda(Runnable action, int times) {
        for (int i = 0; i < times; i++) {
            action.run();
        }
    }

    private static int natives(int[] numbers) {
        int[] copy = new int[numbers.length];
        for (int i = 0; i < 20; i++) {
            System.arraycopy(numbers, 0, copy, 0, copy.length);
        }
        return copy.length;
    }

    private static void privileged() {
        AccessController.doPrivileged((PrivilegedAction<Void>) () -> {
            step();
            return null;
        });
    }

    /** Each third call leaves by an exception, which passes through one more frame. */
    private static int thrown(int times) {
        int caught = 0;
        for (int i = 0; i < times; i++) {
            try {
                through(i);
            } catch (IllegalStateException e) {
                caught++;
                step();
            }
        }
        return caught;
    }

    private static void through(int i) {
        fails(i);
        step();
    }

    private static void fails(int i) {
        if (i % 3 == 0) {
            throw new IllegalStateException();
        }
    }

    private static void step() {
        steps++;
    }
}
