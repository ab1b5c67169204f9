package shapes;

/** Something with an area. */
public abstract class Shape implements Comparable<Shape> {
    static int made;

    Shape() {
        made++;
    }

    public abstract double area();

    public int compareTo(Shape other) {
        return Double.compare(area(), other.area());
    }

    public Shape scaled(double factor) {
        return this;
    }

    public Shape scaled(double width, double height) {
        return this;
    }

    static native int corners(Shape shape);

    static class Circle extends Shape {
        public double area() {
            return 3;
        }

        public Circle scaled(double factor) {
            return this;
        }
    }

    static class Square extends Shape {
        public double area() {
            return 1;
        }
    }
}

interface Unit {
}

class Loop implements Runnable {
    public void run() {
        while (step()) {
            Thread.onSpinWait();
        }
    }

    boolean step() {
        return Thread.currentThread().isInterrupted();
    }
}
