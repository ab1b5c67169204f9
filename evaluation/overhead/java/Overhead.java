import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Times bursts of calls, the ways of calling in turn, so that all of them see the same machine.
 *
 * <p>Argument: the number of threads. For each line "ROUNDS PAUSE LENGTH" on standard input it warms up, says "warm", waits for
 * an empty line, and answers with the median nanoseconds of a call without probe, with two clock reads, and of the measured
 * method. PAUSE, in microseconds, lets the agent empty its rings before a burst, which is shorter than a ring. Where nothing
 * is recorded a burst may be LENGTH times as long.
 */
final class Overhead {
    private static final int CALLS = 1500;
    /** Invocations after which the last compiler has seen every loop, back edges included. */
    private static final int WARM_UP = 3000;
    private static final int KINDS = 3;

    private final int threads;
    private final CyclicBarrier phase;
    private final AtomicInteger arrived = new AtomicInteger();
    private volatile int rounds;
    private volatile long pauseNanos;
    private volatile int length;
    private volatile long sink;
    /** Nanoseconds of each burst, by kind, thread and round. */
    private volatile long[][][] took;

    private Overhead(int threads) {
        this.threads = threads;
        phase = new CyclicBarrier(threads + 1);
    }

    public static void main(String[] args) throws Exception {
        new Overhead(Integer.parseInt(args[0])).serve();
    }

    private void serve() throws Exception {
        for (int i = 0; i < threads; i++) {
            int number = i;
            Thread thread = new Thread(() -> work(number), "burst-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        say("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            rounds = Integer.parseInt(words[0]);
            pauseNanos = Long.parseLong(words[1]) * 1000;
            length = Integer.parseInt(words[2]);
            took = new long[KINDS][threads][rounds];
            phase.await();
            phase.await();
            say("warm");
            in.readLine();
            phase.await();
            phase.await();
            say(median(0) + " " + median(1) + " " + median(2));
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private double median(int kind) {
        long[] all = Arrays.stream(took[kind]).flatMapToLong(Arrays::stream).sorted().toArray();
        return (all[(all.length - 1) / 2] + all[all.length / 2]) / 2.0 / CALLS / length;
    }

    private void work(int number) {
        Burst[] bursts = {new Burst.Never(), new Burst.Floor(), new Burst.Probed()};
        try {
            while (true) {
                phase.await();
                for (int i = 0; i < WARM_UP; i++) {
                    for (Burst burst : bursts) {
                        time(burst, 1);
                    }
                }
                phase.await();
                phase.await();
                for (int round = 0; round < rounds; round++) {
                    LockSupport.parkNanos(pauseNanos);
                    for (int kind = 0; kind < KINDS; kind++) {
                        meet();
                        took[kind][number][round] = time(bursts[kind], length);
                    }
                }
                phase.await();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private long time(Burst burst, int times) {
        long start = System.nanoTime();
        long x = start;
        for (int i = 0; i < times; i++) {
            x = burst.calls(x, CALLS);
        }
        long end = System.nanoTime();
        sink = x;
        return end - start;
    }

    /** Waits for the other threads, running, so that the bursts of all of them run at the same time. */
    private void meet() {
        int mine = arrived.getAndIncrement();
        int all = (mine / threads + 1) * threads;
        while (arrived.get() < all) {
            Thread.onSpinWait();
        }
    }
}
