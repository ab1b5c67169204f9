import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that give up their carriers between calls and within them. Virtual threads, where the JVM has them (21 and later), may continue
 * on others. {@code go} calls a method of an interface with two receivers in turn, and a static method, as often each.
 */
final class MovedArcs {
    private static final int THREADS = 64;
    private static final int ROUNDS = 100;

    private MovedArcs() {}

    public static void main(String[] args) throws Exception {
        Method starter = Virtual.virtualStarter();
        Runnable work = () -> go(new Step[] {new Odd(), new Even()});
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Virtual.start(starter, work));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(starter == null ? "platform" : "virtual");
    }

    static int go(Step[] steps) {
        int sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            sum += steps[i & 1].step(i);
            LockSupport.parkNanos(1000);
            sum += moved(sum);
            Thread.yield();
        }
        return sum;
    }

    static int moved(int sum) {
        Thread.yield();
        return leaf(sum);
    }

    static int leaf(int sum) {
        return sum & 7;
    }

    /** A method whose receiver chooses. */
    interface Step {
        int step(int round);
    }

    static final class Odd implements Step {
        @Override
        public int step(int round) {
            Thread.yield();
            return leaf(round);
        }
    }

    static final class Even implements Step {
        @Override
        public int step(int round) {
            return leaf(round) + 1;
        }
    }
}
