package peers;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Times bursts of calls of a body: plain, with two clock reads, with a record written by hand, and measured, in turn, so that all of
 * them see the same machine.
 *
 * <p>Reads lines and answers each with one. "warm": every burst so often that the last compiler has had it, then a second in
 * which others can write away what they recorded; "warm". "BODY THREADS ROUNDS PAUSE": the median nanoseconds of a call of
 * the four kinds, and how often the measured methods have been called since the start. PAUSE, in microseconds before each
 * round, is for the same.
 */
final class Bench {
    /** Bursts after which the last compiler has seen every loop, back edges included. */
    private static final int WARM_UP = 1000;
    private static final int KINDS = 4;
    private static final AtomicLong MEASURED_CALLS = new AtomicLong();

    private static volatile long sink;

    private final String body;
    private final int threads;
    private final AtomicInteger arrived = new AtomicInteger();

    private Bench(String body, int threads) {
        this.body = body;
        this.threads = threads;
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        say("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("warm")) {
                for (String body : new String[] {"tiny", "busy", "nested"}) {
                    new Bench(body, 1).run(WARM_UP, 0);
                }
                Thread.sleep(1000);
                say("warm");
                continue;
            }
            String[] words = line.split(" ");
            Bench bench = new Bench(words[0], Integer.parseInt(words[1]));
            long[][][] took = bench.run(Integer.parseInt(words[2]), Long.parseLong(words[3]) * 1000);
            StringBuilder answer = new StringBuilder();
            for (long[][] kind : took) {
                answer.append(median(kind)).append(' ');
            }
            say(answer.append(MEASURED_CALLS).toString());
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static double median(long[][] took) {
        long[] all = Arrays.stream(took).flatMapToLong(Arrays::stream).sorted().toArray();
        return (all[(all.length - 1) / 2] + all[all.length / 2]) / 2.0 / Calls.CALLS;
    }

    /** Gives the nanoseconds of each burst by kind, thread and round. */
    private long[][][] run(int rounds, long pauseNanos) throws InterruptedException {
        long[][][] took = new long[KINDS][threads][rounds];
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int number = i;
            workers[i] = new Thread(() -> work(number, took, pauseNanos), "calls-" + i);
            workers[i].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        MEASURED_CALLS.addAndGet((long) Calls.CALLS * rounds * threads);
        return took;
    }

    private void work(int number, long[][][] took, long pauseNanos) {
        Calls[] kinds = {new Calls.OfPlain(), new Calls.OfFloor(), new Calls.OfRecording(), new Calls.OfProbed()};
        for (int round = 0; round < took[0][number].length; round++) {
            if (pauseNanos > 0) {
                LockSupport.parkNanos(pauseNanos);
            }
            for (int i = 0; i < KINDS; i++) {
                // No kind always comes first, after the pause.
                int kind = (round + i) % KINDS;
                meet();
                took[kind][number][round] = time(kinds[kind]);
            }
        }
    }

    private long time(Calls calls) {
        long start = System.nanoTime();
        long x = body.equals("tiny") ? calls.tiny(start) : body.equals("busy") ? calls.busy(start) : calls.nested(start);
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
