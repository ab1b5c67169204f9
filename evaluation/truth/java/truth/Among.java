package truth;

import java.util.List;
import java.util.function.LongUnaryOperator;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.BenchmarkParams;

/** The same benchmarks, but before each call, outside its time, the others are called as {@link Mix} calls them. */
@State(Scope.Thread)
public class Among extends Alone {
    private List<LongUnaryOperator> others;

    @Setup(Level.Trial)
    public void find(BenchmarkParams benchmark) {
        String name = benchmark.getBenchmark();
        others = Mix.between(name.substring(name.lastIndexOf('.') + 1));
    }

    /** JMH's own time when it times each call. */
    @Benchmark
    public long nothing() {
        return value;
    }

    @Setup(Level.Invocation)
    public void others() {
        value = Mix.call(others, value);
    }
}
