import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/**
 * Threads that call at the same time. For each line "KIND CALLS" each thread makes this number of calls of
 * {@code bare(I)I} or {@code sized([B)I}; then it prints "done". The threads' ids are equal modulo 512, so
 * that an agent that finds memory by thread id has to share it among them.
 */
final class Stress {
    private static final int THREADS = 12;
    private static final int APART = 512;
    private static final int SIZES = 64;

    private static volatile int sink;
    private static volatile String kind;
    private static volatile int calls;

    public static void main(String[] args) throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(THREADS + 1);
        for (Thread thread : threads(barrier)) {
            thread.setDaemon(true);
            thread.start();
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Life.say("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            kind = words[0];
            calls = Integer.parseInt(words[1]);
            barrier.await();
            barrier.await();
            Life.say("done");
        }
    }

    /** Ids are assigned in the order in which thread objects are made. */
    private static List<Thread> threads(CyclicBarrier barrier) {
        List<Thread> threads = new ArrayList<>();
        long first = -1;
        while (threads.size() < THREADS) {
            int number = threads.size();
            Thread thread = new Thread(() -> work(barrier, number));
            first = first < 0 ? thread.getId() : first;
            if ((thread.getId() - first) % APART == 0) {
                threads.add(thread);
            }
        }
        return threads;
    }

    private static void work(CyclicBarrier barrier, int number) {
        byte[][] arguments = new byte[SIZES][];
        for (int i = 0; i < SIZES; i++) {
            arguments[i] = new byte[Long.BYTES * (SIZES * number + i)];
        }
        try {
            while (true) {
                barrier.await();
                int count = calls;
                boolean isBare = kind.equals("bare");
                for (int i = 0; i < count; i++) {
                    sink = isBare ? bare(i) : sized(arguments[i % SIZES]);
                }
                barrier.await();
            }
        } catch (InterruptedException | BrokenBarrierException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    static int bare(int x) {
        return x + 1;
    }

    /** The argument's length gives the calling thread, and the number of its call. */
    static int sized(byte[] argument) {
        return argument.length;
    }
}
