/**
 * Methods whose dynamic metrics are computed by hand: each {@code go} is called once. {@code G1} chooses methods by receivers, {@code G2}
 * locks, {@code G3} leaves a loop by an exception, {@code G4} makes objects and has floating point, {@code G5} throws through three frames,
 * {@code G6} switches and has a wide instruction, {@code G7} makes arrays of arrays, {@code G8} has a place that two threads call, one
 * after the other, {@code G9} recurs and calls a default method of an interface, {@code G10} has a lambda, and a method that never runs.
 *
 * <p>The metrics of {@code go} and of what it calls are in {@code controller/tests/e2e/metrics.rs}.
 */
public final class Metrics {
    static class P {
        int f() {
            return 1;
        }
    }

    static class Q extends P {
        @Override
        int f() {
            return 2;
        }
    }

    static class R extends P {}

    static class G1 {
        static int go(P[] ps) {
            int s = 0;
            for (int i = 0; i < ps.length; i++) s += ps[i].f();
            return s;
        }
    }

    static class G2 {
        static synchronized void m() {}

        static void go(Object o, int n) {
            for (int i = 0; i < n; i++)
                synchronized (o) {
                    m();
                }
        }
    }

    static class G3 {
        static int go(int[] a) {
            int s = 0;
            try {
                for (int i = 0; ; i++) s += a[i];
            } catch (ArrayIndexOutOfBoundsException e) {
            }
            return s;
        }
    }

    static class G4 {
        double d;
        Object r;

        static Object[] go(G4 g, int n) {
            Object[] x = new Object[n];
            for (int i = 0; i < n; i++) {
                g.d += i;
                g.r = x[i] = new byte[i];
            }
            return x;
        }
    }

    static class Told extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    static class G5 {
        static void c() {
            throw new Told();
        }

        static void b() {
            c();
        }

        static void a() {
            b();
        }

        static int go() {
            try {
                a();
                return 0;
            } catch (Told told) {
                return 1;
            }
        }
    }

    static class G6 {
        static int go(int n) {
            int s = 0;
            for (int i = 0; i < n; i++) {
                switch (i) {
                    case 0:
                    case 1:
                        s += 1;
                        break;
                    case 2:
                        s += 1000;
                        break;
                    default:
                        s += 2;
                }
            }
            return s;
        }
    }

    static class G7 {
        static int go() {
            return new int[2][3].length;
        }
    }

    static class Ten extends P {
        @Override
        int f() {
            return 10;
        }
    }

    static class Six extends P {
        @Override
        int f() {
            return 6;
        }
    }

    static class G8 {
        static int go(P p, int n) {
            int s = 0;
            for (int i = 0; i < n; i++) s += p.f();
            return s;
        }
    }

    interface Shape {
        int own(int n);

        default int twice(int n) {
            return 2 * own(n);
        }
    }

    static class G9 implements Shape {
        @Override
        public int own(int n) {
            return n == 0 ? 0 : own(n - 1);
        }

        static int go(Shape shape) {
            return shape.twice(3);
        }
    }

    static class G10 {
        static void go(int n) {
            Runnable runnable = () -> {};
            for (int i = 0; i < n; i++) runnable.run();
        }

        static void never() {
            go(1);
        }
    }

    private Metrics() {}

    public static void main(String[] arguments) throws InterruptedException {
        System.out.println("ready");
        P p = new P();
        Q q = new Q();
        R r = new R();
        int sum = G1.go(new P[] {p, q, r, r, p});
        G2.go(new Object(), 3);
        sum += G3.go(new int[3]) + G4.go(new G4(), 3).length + G5.go() + G6.go(5) + G7.go();
        for (P one : new P[] {new Ten(), new Six()}) {
            Thread thread = new Thread(() -> G8.go(one, 10));
            thread.start();
            thread.join();
        }
        sum += G9.go(new G9());
        G10.go(4);
        System.out.println(sum == 1018 ? "ended" : "the sum is " + sum);
    }
}
