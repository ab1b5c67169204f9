package acme;

import java.util.List;

/** The methods that the task files of this folder mean, and misspell. Nothing runs them. */
public class Known {
    public static long one(long s) {
        return 3 * s;
    }

    public static long oneB(long s) {
        return 3 * s;
    }

    public static long two(long s) {
        return 5 * s;
    }

    public static long never(long s) {
        return s;
    }

    static void over(int a) {}

    static void over(long a) {}

    static void over(String a) {}

    static void over(Object... a) {}

    interface Shape {
        double area();
    }

    static class Circle implements Shape {
        public double area() {
            return 3;
        }
    }

    static class Square implements Shape {
        public double area() {
            return 1;
        }
    }

    abstract static class Base<T extends Comparable<T>> {
        abstract T pick(T a, T b);

        T pickAll(List<T> all) {
            return pick(all.get(0), all.get(1));
        }
    }

    static class Max<T extends Comparable<T>> extends Base<T> {
        @Override
        T pick(T a, T b) {
            return a.compareTo(b) >= 0 ? a : b;
        }
    }

    static class MaxInt extends Base<Integer> {
        @Override
        Integer pick(Integer a, Integer b) {
            return a >= b ? a : b;
        }
    }

    class Inner {
        final long v;

        Inner(long v) {
            this.v = v;
        }
    }
}
