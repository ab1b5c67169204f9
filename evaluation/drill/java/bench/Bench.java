package bench;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a workload turn after turn for some seconds and prints when each turn ended, so that its start, its warm-up and its steady
 * state can be told apart afterwards. Arguments: class of the workload, number of threads, seconds, turns that a thread does at least.
 *
 * <p>Lines: {@code origin MILLIS} is the time of day at which the main method began, {@code turns THREAD MICROS...} the ends of the
 * thread's turns since then, {@code used THREAD MICROS...} the processor time that the thread had then, {@code cpu TICKS} the
 * processor time of this process until the last of them, of 10 ms each, {@code value NUMBER} what every turn gave.
 */
public final class Bench {
    private Bench() {}

    private static final class Runner extends Thread {
        private final Workload workload;
        private final long origin;
        private final long end;
        private final int least;
        private final List<long[]> turns = new ArrayList<>();
        private Throwable problem;

        Runner(Workload workload, long origin, long end, int least) {
            super("turns");
            this.workload = workload;
            this.origin = origin;
            this.end = end;
            this.least = least;
        }

        @Override
        public void run() {
            try {
                while (System.nanoTime() < end || turns.size() < least) {
                    long value = workload.turn();
                    turns.add(new long[] {(System.nanoTime() - origin) / 1000, value, used()});
                }
            } catch (Throwable thrown) {
                problem = thrown;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        long origin = System.nanoTime();
        long day = System.currentTimeMillis();
        int threads = Integer.parseInt(arguments[1]);
        long end = origin + (long) (Double.parseDouble(arguments[2]) * 1e9);
        int least = Integer.parseInt(arguments[3]);
        List<Runner> runners = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            Class<?> type = Class.forName("bench." + arguments[0]);
            runners.add(new Runner((Workload) type.getDeclaredConstructor().newInstance(), origin, end, least));
        }
        for (Runner runner : runners) {
            runner.start();
        }
        for (Runner runner : runners) {
            runner.join();
        }
        System.exit(report(day, runners, ticks()));
    }

    /** Microseconds of processor time of this thread. */
    private static long used() throws java.io.IOException {
        return Long.parseLong(Files.readString(Path.of("/proc/thread-self/schedstat")).split(" ")[0]) / 1000;
    }

    /** The ticks of user and system time. */
    private static long ticks() throws java.io.IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    private static int report(long day, List<Runner> runners, long ticks) {
        PrintStream out = System.out;
        out.println("origin " + day);
        out.println("cpu " + ticks);
        long value = runners.get(0).turns.isEmpty() ? 0 : runners.get(0).turns.get(0)[1];
        for (Runner runner : runners) {
            if (runner.problem != null) {
                runner.problem.printStackTrace();
                return 3;
            }
            StringBuilder line = new StringBuilder("turns " + runners.indexOf(runner));
            StringBuilder used = new StringBuilder("used " + runners.indexOf(runner));
            for (long[] turn : runner.turns) {
                if (turn[1] != value) {
                    System.err.println("a turn gave " + turn[1] + " in place of " + value);
                    return 4;
                }
                line.append(' ').append(turn[0]);
                used.append(' ').append(turn[2]);
            }
            out.println(line);
            out.println(used);
        }
        out.println("value " + value);
        return 0;
    }
}
