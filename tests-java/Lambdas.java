import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.function.IntUnaryOperator;

/**
 * A class with a hundred lambdas, each of which the JVM links again after a change of the class. For a line
 * "run N" it calls all of them N times and prints their sum. For "weigh" it collects garbage and prints the
 * bytes that the JVM keeps of classes; for "used" it prints them without collecting. For "fill N" it loads
 * copies of a class until N percent of {@code MaxMetaspaceSize} are taken or it is full, and prints their
 * number.
 */
final class Lambdas {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        // Load everything that weighing and answering need before the first weight is printed, and before
        // memory is full.
        weigh();
        run(1);
        Copies.fill(0, metaspace());
        Life.say("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            Life.say(Long.toString(answer(words[0], words.length > 1 ? Integer.parseInt(words[1]) : 0)));
        }
    }

    private static long answer(String word, int number) throws Exception {
        switch (word) {
            case "weigh": return weigh();
            case "used": return metaspace().getUsage().getUsed();
            case "fill": return Copies.fill(number, metaspace());
            case "alike": return Alike.all().length;
            default: return run(number);
        }
    }

    private static long run(int times) {
        long sum = 0;
        for (int i = 0; i < times; i++) {
            for (IntUnaryOperator each : all(i)) {
                sum += each.applyAsInt(i);
            }
            sum += measured(i) + other(i);
        }
        return sum;
    }

    static int measured(int x) {
        return x * 3;
    }

    static int other(int x) {
        return x * 5;
    }

    /** Bytes that the JVM keeps of classes, without the bytes that a collection frees. */
    private static long weigh() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return metaspace().getUsage().getUsed();
    }

    private static MemoryPoolMXBean metaspace() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getName().equals("Metaspace")) {
                return pool;
            }
        }
        throw new IllegalStateException("no metaspace");
    }

    /** Lambdas that capture {@code k} are new objects each time. */
    private static IntUnaryOperator[] all(int k) {
        return new IntUnaryOperator[] {
            x -> x + 0 * k, x -> x + 1 * k, x -> x + 2 * k, x -> x + 3 * k, x -> x + 4 * k,
            x -> x + 5 * k, x -> x + 6 * k, x -> x + 7 * k, x -> x + 8 * k, x -> x + 9 * k,
            x -> x + 10 * k, x -> x + 11 * k, x -> x + 12 * k, x -> x + 13 * k, x -> x + 14 * k,
            x -> x + 15 * k, x -> x + 16 * k, x -> x + 17 * k, x -> x + 18 * k, x -> x + 19 * k,
            x -> x + 20 * k, x -> x + 21 * k, x -> x + 22 * k, x -> x + 23 * k, x -> x + 24 * k,
            x -> x + 25 * k, x -> x + 26 * k, x -> x + 27 * k, x -> x + 28 * k, x -> x + 29 * k,
            x -> x + 30 * k, x -> x + 31 * k, x -> x + 32 * k, x -> x + 33 * k, x -> x + 34 * k,
            x -> x + 35 * k, x -> x + 36 * k, x -> x + 37 * k, x -> x + 38 * k, x -> x + 39 * k,
            x -> x + 40 * k, x -> x + 41 * k, x -> x + 42 * k, x -> x + 43 * k, x -> x + 44 * k,
            x -> x + 45 * k, x -> x + 46 * k, x -> x + 47 * k, x -> x + 48 * k, x -> x + 49 * k,
            x -> x + 50 * k, x -> x + 51 * k, x -> x + 52 * k, x -> x + 53 * k, x -> x + 54 * k,
            x -> x + 55 * k, x -> x + 56 * k, x -> x + 57 * k, x -> x + 58 * k, x -> x + 59 * k,
            x -> x + 60 * k, x -> x + 61 * k, x -> x + 62 * k, x -> x + 63 * k, x -> x + 64 * k,
            x -> x + 65 * k, x -> x + 66 * k, x -> x + 67 * k, x -> x + 68 * k, x -> x + 69 * k,
            x -> x + 70 * k, x -> x + 71 * k, x -> x + 72 * k, x -> x + 73 * k, x -> x + 74 * k,
            x -> x + 75 * k, x -> x + 76 * k, x -> x + 77 * k, x -> x + 78 * k, x -> x + 79 * k,
            x -> x + 80 * k, x -> x + 81 * k, x -> x + 82 * k, x -> x + 83 * k, x -> x + 84 * k,
            x -> x + 85 * k, x -> x + 86 * k, x -> x + 87 * k, x -> x + 88 * k, x -> x + 89 * k,
            x -> x + 90 * k, x -> x + 91 * k, x -> x + 92 * k, x -> x + 93 * k, x -> x + 94 * k,
            x -> x + 95 * k, x -> x + 96 * k, x -> x + 97 * k, x -> x + 98 * k, x -> x + 99 * k,
        };
    }
}
