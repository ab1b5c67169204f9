package depth;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A recursion of depth 10 with the same work on each level, as JMH measures it and as a program of its own runs it.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class Depth {
    private long value = 1;

    /** Runs the recursion for some seconds. */
    public static void main(String[] args) {
        Depth depth = new Depth();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(args[0]));
        while (System.nanoTime() < end) {
            for (int turn = 0; turn < 1000; turn++) {
                depth.down(10);
            }
        }
        System.out.println(depth.value);
    }

    /** The whole recursion. */
    @Benchmark
    public long whole() {
        down(10);
        return value;
    }

    void down(int depth) {
        work();
        if (depth > 0) {
            down(depth - 1);
        }
    }

    /** A chain of multiplications, each of which needs the one before. */
    private void work() {
        long next = value;
        for (int turn = 0; turn < 400; turn++) {
            next = next * 6364136223846793005L + 1442695040888963407L;
        }
        value = next;
    }
}
