import java.util.Arrays;
import java.util.concurrent.CyclicBarrier;

/** Threads that call in bursts, each of which a ring has room for, and say what a call takes. */
public final class Bursts {
    private static final int CALLS = 20_000;

    private abstract static class Shape {
        abstract int area(int side);
    }

    private static final class Square extends Shape {
        @Override
        int area(int side) {
            return leaf(side) + 1;
        }
    }

    private static final class Circle extends Shape {
        @Override
        int area(int side) {
            return leaf(side) + 2;
        }
    }

    private Bursts() {}

    /** Threads, bursts, and whether receivers come in turn. */
    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[0]);
        int bursts = Integer.parseInt(arguments[1]);
        boolean inTurn = arguments.length > 2;
        long[] nanoseconds = new long[bursts];
        CyclicBarrier barrier = new CyclicBarrier(threads);
        Thread[] all = new Thread[threads];
        for (int number = 0; number < threads; number++) {
            boolean isFirst = number == 0;
            all[number] = new Thread(() -> {
                Shape[] shapes = {new Square(), inTurn ? new Circle() : new Square()};
                try {
                    for (int burst = 0; burst < bursts; burst++) {
                        barrier.await();
                        long began = System.nanoTime();
                        burst(shapes);
                        if (isFirst) {
                            nanoseconds[burst] = System.nanoTime() - began;
                        }
                        // The rings are read meanwhile.
                        Thread.sleep(200);
                    }
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            all[number].start();
        }
        for (Thread thread : all) {
            thread.join();
        }
        long[] late = Arrays.copyOfRange(nanoseconds, bursts / 2, bursts);
        Arrays.sort(late);
        System.out.printf("%.1f ns a call%n", (double) late[late.length / 2] / CALLS);
    }

    private static int burst(Shape[] shapes) {
        int sum = 0;
        for (int call = 0; call < CALLS; call++) {
            sum += shapes[call & 1].area(call);
        }
        return sum;
    }

    private static int leaf(int side) {
        return side * 31;
    }
}
