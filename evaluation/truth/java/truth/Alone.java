package truth;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Each method of {@link Pairs} as a benchmark by itself. */
@State(Scope.Thread)
public class Alone {
    protected long value = 1;

    @Benchmark
    public long steps100() {
        return value = Pairs.steps100(value);
    }

    @Benchmark
    public long steps105() {
        return value = Pairs.steps105(value);
    }

    @Benchmark
    public long steps120() {
        return value = Pairs.steps120(value);
    }

    @Benchmark
    public long steps200() {
        return value = Pairs.steps200(value);
    }

    @Benchmark
    public long arrayList() {
        return value = Pairs.arrayList(value);
    }

    @Benchmark
    public long linkedList() {
        return value = Pairs.linkedList(value);
    }

    @Benchmark
    public long hashMap() {
        return value = Pairs.hashMap(value);
    }

    @Benchmark
    public long treeMap() {
        return value = Pairs.treeMap(value);
    }

    @Benchmark
    public long concat() {
        return value = Pairs.concat(value);
    }

    @Benchmark
    public long builder() {
        return value = Pairs.builder(value);
    }

    @Benchmark
    public long arraysSort() {
        return value = Pairs.arraysSort(value);
    }

    @Benchmark
    public long collectionsSort() {
        return value = Pairs.collectionsSort(value);
    }
}
