import java.util.ArrayList;
import java.util.List;

/** Threads whose outermost traced calls call nothing, constructors that fail before they call another, and threads that call all the time. */
public final class Leaves {
    static final class Told {
        static int leaf(int number) {
            return number + 1;
        }

        static int several(int number) {
            return leaf(number) + leaf(number);
        }

        static int outer(int failures) {
            int failed = fail(failures);
            return inner(failed);
        }

        static int inner(int number) {
            return leaf(number);
        }
    }

    static class Base {
        Base(int number) {}
    }

    static final class Failing extends Base {
        Failing(int number) {
            super(refused(number));
        }
    }

    private Leaves() {}

    static int refused(int number) {
        throw new IllegalArgumentException("number " + number);
    }

    static int fail(int times) {
        int failed = 0;
        for (int at = 0; at < times; at++) {
            try {
                new Failing(at);
            } catch (IllegalArgumentException expected) {
                failed++;
            }
        }
        return failed;
    }

    static int loop(int times, boolean isLeaf) {
        int sum = 0;
        for (int at = 0; at < times; at++) {
            sum += isLeaf ? Told.leaf(at) : Told.several(at);
        }
        return sum;
    }

    /** A call that is under way for long, this deep. */
    static void deep(int depth) {
        if (depth > 0) {
            deep(depth - 1);
        } else {
            below();
        }
    }

    private static void below() {
        isDeep = true;
        while (isOn) {
            loop(10, false);
            Thread.yield();
        }
    }

    static volatile boolean isOn = true;

    static volatile boolean isDeep;

    /** Without a number threads call until the input ends. With two numbers one calls, below 200 other calls. With one each thread makes that many calls, and others take their rings over. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 2) {
            Thread thread = new Thread(() -> deep(200));
            thread.start();
            while (!isDeep) {
                Thread.yield();
            }
            System.out.println("ready");
            while (System.in.read() >= 0) {}
            isOn = false;
            thread.join();
            System.out.println("ended");
            return;
        }
        if (arguments.length == 0) {
            List<Thread> threads = new ArrayList<>();
            for (int number = 0; number < 6; number++) {
                Thread thread = new Thread(() -> {
                    while (true) {
                        loop(1000, false);
                    }
                });
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
            System.out.println("ready");
            while (System.in.read() >= 0) {}
            System.out.println("ended with " + threads.size() + " threads");
            return;
        }
        int times = Integer.parseInt(arguments[0]);
        for (int number = 0; number < 4; number++) {
            boolean isLeaf = number % 2 == 1;
            Thread thread = new Thread(() -> loop(times, isLeaf));
            thread.start();
            thread.join();
        }
        System.out.println(Told.outer(300));
    }
}
