/**
 * Two phases, one after the other: {@code plain} computes, then {@code mixed} makes objects of three classes and lets them choose methods.
 * Each takes the milliseconds of the argument, and the number of calls is printed.
 */
public final class Phases {
    abstract static class Shape {
        abstract int area();
    }

    static final class Square extends Shape {
        @Override
        int area() {
            return 4;
        }
    }

    static final class Circle extends Shape {
        @Override
        int area() {
            return 3;
        }
    }

    static final class Line extends Shape {
        @Override
        int area() {
            return 0;
        }
    }

    static int sum;

    static int plain(int n) {
        int s = 0;
        for (int i = 0; i < n; i++) s += i * n;
        return s;
    }

    static int mixed() {
        Shape[] shapes = {new Square(), new Circle(), new Line()};
        int s = 0;
        for (Shape shape : shapes) s += shape.area();
        return s;
    }

    private static boolean isOver(long began, long ms) {
        return System.nanoTime() - began > ms * 1_000_000;
    }

    public static void main(String[] args) {
        long ms = Long.parseLong(args[0]);
        long plain = 0;
        for (long began = System.nanoTime(); !isOver(began, ms); plain++) sum += plain(50);
        long mixed = 0;
        for (long began = System.nanoTime(); !isOver(began, ms); mixed++) sum += mixed();
        System.out.println("plain " + plain + " mixed " + mixed);
    }
}
