import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;

/**
 * Bodies of known kinds. For a line "BODY BURSTS CALLS" it calls the body CALLS times in a row, sleeps so
 * that an agent can take its samples, and prints the median nanoseconds of a call.
 */
final class Bodies {
    private static final int[] NEXT = new int[1024];
    private static volatile long sink;

    static {
        // A cycle through all elements.
        for (int i = 0; i < NEXT.length; i++) {
            NEXT[i] = i * 5 + 7 & NEXT.length - 1;
        }
    }

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            System.out.println(run(words[0], Integer.parseInt(words[1]), Integer.parseInt(words[2])));
        }
    }

    private static double run(String name, int bursts, int calls) throws Exception {
        double[] each = new double[bursts];
        for (int i = 0; i < bursts; i++) {
            long start = System.nanoTime();
            sink = burst(name, calls);
            each[i] = (double) (System.nanoTime() - start) / calls;
            if (calls < 100_000) {
                Thread.sleep(3);
            }
        }
        Arrays.sort(each);
        return each[bursts / 2];
    }

    /** Each body has a loop of its own, so that the body can be inlined there. */
    private static long burst(String name, int calls) {
        switch (name) {
            case "empty":
                return empties(calls);
            case "loads":
                return loads(calls);
            case "straightLoads":
                return straightLoads(calls);
            case "loop":
                return loops(calls);
            case "calls":
                return calls(calls);
            case "arithmetic":
                return arithmetics(calls);
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private static long empties(int calls) {
        long x = calls;
        for (int i = 0; i < calls; i++) {
            x = empty(x);
        }
        return x;
    }

    private static long loads(int calls) {
        long x = calls;
        for (int i = 0; i < calls; i++) {
            x = loads(x);
        }
        return x;
    }

    private static long straightLoads(int calls) {
        long x = calls;
        for (int i = 0; i < calls; i++) {
            x = straightLoads(x);
        }
        return x;
    }

    private static long loops(int calls) {
        long x = calls;
        for (int i = 0; i < calls; i++) {
            x = loop(x);
        }
        return x;
    }

    private static long calls(int calls) {
        long x = calls;
        for (int i = 0; i < calls; i++) {
            x = calls(x);
        }
        return x;
    }

    private static long arithmetics(int calls) {
        long x = calls;
        for (int i = 0; i < calls; i++) {
            x = arithmetic(x);
        }
        return x;
    }

    static long empty(long x) {
        return x;
    }

    /** Each load depends on the one before. */
    static long loads(long x) {
        int at = (int) x & NEXT.length - 1;
        for (int i = 0; i < 600; i++) {
            at = NEXT[at];
        }
        return at;
    }

    /** Like {@link #loads}, but without a loop that would keep it in place. */
    static long straightLoads(long x) {
        int[] n = NEXT;
        int at = (int) x & 1023;
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        at = eight(n, eight(n, eight(n, eight(n, at))));
        return eight(n, eight(n, eight(n, eight(n, at))));
    }

    private static int eight(int[] n, int at) {
        return n[n[n[n[n[n[n[n[at]]]]]]]];
    }

    static long loop(long x) {
        for (int i = 0; i < 600; i++) {
            x = (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
        }
        return x;
    }

    static long calls(long x) {
        return call(call(call(call(x))));
    }

    private static long call(long x) {
        for (int i = 0; i < 100; i++) {
            x = mix(x);
        }
        return x;
    }

    /** Pure arithmetic in registers: nothing keeps it between two clock reads. */
    static long arithmetic(long x) {
        x = mix(mix(mix(mix(mix(mix(mix(mix(x))))))));
        x = mix(mix(mix(mix(mix(mix(mix(mix(x))))))));
        x = mix(mix(mix(mix(mix(mix(mix(mix(x))))))));
        return mix(mix(mix(mix(mix(mix(mix(mix(x))))))));
    }

    private static long mix(long x) {
        return (x ^ x >>> 7) * 0x9e3779b97f4a7c15L;
    }
}
