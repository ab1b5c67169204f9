import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Exchanger;

/**
 * Methods of which it is known how often each of their blocks runs: loops, recursion, exceptions that are caught
 * where they are thrown, above, or by an older call of the same method; the initialiser of a class; four threads;
 * virtual threads, if the JVM has them, that change their carrier in the middle of a call.
 *
 * <p>Arguments: 1 [halt|exit|kill], which is how the program ends.
 */
public final class Blocks {

    private static final int PAIRS = 20;
    private static final int EXCHANGES = 50;

    private int touched;

    private Blocks() {}

    public static void main(String[] args) throws Exception {
        Life life = Life.start(new String[] {args[0]});
        while (life.wantsRound()) {
            life.check(round());
        }
        String end = args.length > 1 ? args[1] : "";
        if (end.equals("halt")) {
            Runtime.getRuntime().halt(3);
        } else if (end.equals("exit")) {
            System.exit(4);
        } else if (end.equals("kill")) {
            new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start();
            Thread.currentThread().join();
        }
        life.end();
    }

    private static String round() throws Exception {
        Blocks one = new Blocks();
        one.turns();
        int caught = fib(20) + sevenths(1000);
        try {
            straddle(9);
        } catch (IllegalStateException e) {
            caught++;
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> crowd(5000));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        carriers();
        return one.touched + " " + caught + " " + Late.filled;
    }

    /** Blocks 1, 101, 100, 50, 100, 1: figure 3 of the paper on JBInsTrace. */
    private void turns() {
        int i = 0;
        while (i < 100) {
            if (i < 50) {
                touched++;
            }
            touched++;
            i++;
        }
    }

    /** 21,891 calls for 20. */
    private static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    /** 142 of 1,000 turns throw, and are caught here. */
    private static int sevenths(int turns) {
        int caught = 0;
        for (int i = 1; i <= turns; i++) {
            try {
                thrower(i);
            } catch (IllegalArgumentException e) {
                caught++;
            }
        }
        return caught;
    }

    private static void thrower(int i) {
        if (i % 7 == 0) {
            throw new IllegalArgumentException();
        }
    }

    /** Of 10 calls for 9, two are left by the exception and one catches it, although a block of another call lists the handler. */
    private static void straddle(int depth) {
        if (depth == 0) {
            throw new IllegalStateException();
        }
        descend(depth & 1, depth);
        try {
            descend(1 - (depth & 1), depth);
        } catch (IllegalStateException e) {
            return;
        }
    }

    private static void descend(int does, int depth) {
        if (does == 1) {
            straddle(depth - 1);
        }
    }

    /** Each of four threads: one call, 5,000 turns. */
    private static long crowd(int turns) {
        long sum = 0;
        for (int i = 0; i < turns; i++) {
            sum += i % 3 == 0 ? 2 : 1;
        }
        return sum;
    }

    private static void carriers() throws Exception {
        Method starter;
        try {
            starter = Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            starter = null;
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < PAIRS; i++) {
            Exchanger<Object> exchanger = new Exchanger<>();
            for (int side = 0; side < 2; side++) {
                Runnable body = () -> meet(exchanger, EXCHANGES);
                if (starter == null) {
                    Thread thread = new Thread(body);
                    thread.start();
                    threads.add(thread);
                } else {
                    threads.add((Thread) starter.invoke(null, body));
                }
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** 40 calls of 50 turns each; each turn waits for another thread, and twenty inner turns follow. */
    private static int meet(Exchanger<Object> exchanger, int turns) {
        int inner = 0;
        for (int i = 0; i < turns; i++) {
            try {
                exchanger.exchange(exchanger);
            } catch (InterruptedException e) {
                return -1;
            }
            for (int j = 0; j < 20; j++) {
                inner += j & 1;
            }
        }
        return inner;
    }

    /** Its initialiser has a loop of five turns. */
    private static final class Late {
        static int filled;

        static {
            for (int i = 0; i < 5; i++) {
                filled += i;
            }
        }

        private Late() {}
    }
}
