/**
 * Methods that call each other as often as the argument says: from two lines, by an interface with two implementations, through a
 * method that a class below has of its own, and recursion.
 *
 * <p>Argument: how often each call is made.
 */
public final class Calls {

    private Calls() {}

    interface Shape {
        int area();
    }

    static final class Square implements Shape {
        @Override
        public int area() {
            return 4;
        }
    }

    static class Circle implements Shape {
        @Override
        public int area() {
            return leaf(edge());
        }

        int edge() {
            return 3;
        }
    }

    static final class Ring extends Circle {
        @Override
        int edge() {
            return 5;
        }
    }

    static int leaf(int x) {
        return x + 1;
    }

    static int twice(int x) {
        int sum = leaf(x);
        return sum + leaf(sum);
    }

    static int down(int depth) {
        return depth == 0 ? 0 : down(depth - 1);
    }

    /** Of four calls by the interface one is of a square, two of circles, one of a ring. */
    static int areas(Shape[] shapes) {
        int sum = 0;
        for (Shape shape : shapes) {
            sum += shape.area();
        }
        return sum;
    }

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        Shape[] shapes = {new Square(), new Circle(), new Circle(), new Ring()};
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += areas(shapes);
            sum += twice(1) + down(5);
        }
        System.out.println(sum);
    }
}
