package sample;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/** Constructs of Java 17 class files that Java 11 lacks, and unusual shapes that compilers make. */
class Newest {
    sealed interface Shape permits Circle, Square, Nothing {
        default double area() {
            return this instanceof Circle c ? Math.PI * c.radius() * c.radius() : this instanceof Square s ? s.side * s.side : 0;
        }

        private String name() {
            return getClass().getSimpleName();
        }

        static List<Shape> some() {
            return List.of(new Circle(2), new Square(3), Nothing.AT_ALL);
        }
    }

    record Circle(double radius) implements Shape {
        Circle {
            if (radius < 0) {
                throw new IllegalArgumentException("negative radius " + radius);
            }
        }

        Circle(int diameter, String unit) {
            this(unit.isEmpty() ? diameter : diameter / 2.0);
        }
    }

    static final class Square implements Shape, Comparable<Square> {
        private final long side;

        Square(long side) {
            this.side = side;
        }

        // The compiler adds a bridge method compareTo(Object).
        @Override
        public int compareTo(Square other) {
            return Long.compare(side, other.side);
        }
    }

    enum Nothing implements Shape {
        AT_ALL {
            @Override
            String words() {
                return "nothing at all";
            }
        };

        abstract String words();
    }

    private int secret = 1;

    class Inner {
        final int seen;

        Inner(int add) {
            // Nest mates read private fields directly.
            secret += add;
            seen = secret;
        }
    }

    record Pair<A, B>(A left, B... right) {
    }

    static String switched(Object key) {
        return switch (String.valueOf(key)) {
            case "one", "two" -> "small";
            case "many" -> {
                try {
                    yield Integer.toString(Integer.parseInt("no"));
                } catch (NumberFormatException e) {
                    yield "caught";
                }
            }
            default -> """
                    something "else",
                    on two lines""";
        };
    }

    static String closed(List<String> log) throws Exception {
        try (AutoCloseable first = () -> log.add("first"); AutoCloseable second = () -> {
            log.add("second");
            throw new IllegalStateException("closing");
        }) {
            return "body";
        }
    }

    /** Objects under construction stay on the stack during a condition and a caught exception. */
    static String nested(boolean left) {
        return new StringBuilder(new String(left ? new char[] {'a', 'b'} : new char[Integer.parseInt("1")]) + (left ? 'x' : 1L)).toString();
    }

    static synchronized int locked(Object lock, int value) {
        synchronized (lock) {
            if (value > 5) {
                return value;
            }
            synchronized (Newest.class) {
                return -value;
            }
        }
    }

    static Iterable<Object> all() throws Exception {
        List<Object> all = new ArrayList<>();
        for (Shape shape : Shape.some()) {
            all.add(shape.name() + " " + shape.area());
        }
        all.add(new Circle(5, "cm"));
        all.add(new Circle(2).equals(new Circle(4, "cm")) + " " + new Circle(2).hashCode());
        try {
            all.add(new Circle(-1));
        } catch (IllegalArgumentException e) {
            all.add(e);
        }
        all.add(List.of(new Square(3), new Square(1)).stream().min(Comparator.naturalOrder()).get().side);
        all.add(Nothing.AT_ALL.words());
        Newest outer = new Newest();
        all.add(outer.new Inner(4).seen + outer.new Inner(1).seen);
        all.add(new Pair<>("a", 1, 2).right().length);
        all.add(switched("one") + switched("many") + switched(null));
        List<String> log = new ArrayList<>();
        try {
            all.add(closed(log));
        } catch (IllegalStateException e) {
            all.add(e + " " + log);
        }
        all.add(nested(true) + nested(false));
        all.add(locked(log, 7) + locked(log, 3));
        Supplier<Supplier<String>> deep = () -> () -> "deep" + outer.secret;
        all.add(deep.get().get());
        int size = 3;
        record Local(int of) {
            static String describe(Local local) {
                return local + "!";
            }
        }
        all.add(Local.describe(new Local(size)));
        return all;
    }
}
