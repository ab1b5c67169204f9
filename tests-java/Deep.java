import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.function.IntUnaryOperator;

/**
 * Shows the depth that recursion reaches. For each line {@code SHAPE KILOBYTES REPETITIONS} on standard input
 * it recurses in a thread with this stack until the stack overflows, and prints the least depth of all
 * repetitions.
 *
 * <p>To measure: the methods of a shape, which {@link #shape} calls.
 */
public final class Deep {

    /** Depth reached by the recursion in progress. */
    private static int reached;

    private final Object[] held = {"a", "b"};

    private Deep() {}

    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null && !line.isEmpty(); line = lines.readLine()) {
            String[] words = line.split(" ");
            IntUnaryOperator shape = shape(words[0]);
            int repetitions = Integer.parseInt(words[2]);
            int[] least = {Integer.MAX_VALUE};
            Thread thread = new Thread(null, () -> {
                for (int i = 0; i < repetitions; i++) {
                    least[0] = Math.min(least[0], depth(shape));
                }
            }, "deep", Long.parseLong(words[1]) << 10);
            thread.start();
            thread.join();
            System.out.println(least[0]);
        }
        System.out.println("ended");
    }

    private static IntUnaryOperator shape(String name) {
        Deep deep = new Deep();
        switch (name) {
            case "sum":
                return n -> sum("x", n, 1L);
            case "plain":
                return Deep::plain;
            case "wide":
                return n -> (int) deep.wide("a", n, 2L, 3.0, "b", "c", 4);
            case "caught":
                return deep::caught;
            case "locked":
                return n -> (int) deep.locked(n, 1L);
            case "pair":
                return n -> even(n, 1) ? 1 : 0;
            case "parse":
                return n -> new Parser().expression();
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private static int depth(IntUnaryOperator shape) {
        reached = 0;
        try {
            shape.applyAsInt(1);
            throw new AssertionError("it has an end");
        } catch (StackOverflowError expected) {
            return reached;
        }
    }

    static int sum(Object node, int n, long l) {
        reached = n;
        return 1 + sum(node, n + 1, l);
    }

    static int plain(int n) {
        reached = n;
        return n ^ plain(n + 1);
    }

    double wide(Object a, int n, long l, double d, Object b, Object c, int k) {
        reached = n;
        double below = wide(b, n + 1, l + k, d, c, a, k);
        return below + d * l + k + (a == b ? 1 : held.length);
    }

    int caught(int n) {
        reached = n;
        try {
            return 1 + caught(n + 1);
        } catch (IllegalStateException e) {
            return held.length;
        } finally {
            held[0] = held[1];
        }
    }

    synchronized long locked(int n, long l) {
        reached = n;
        return l + locked(n + 1, l);
    }

    static boolean even(int n, long l) {
        reached = n;
        return n == 0 || odd(n + 1, l);
    }

    static boolean odd(int n, long l) {
        reached = n;
        return n != 0 && even(n + 1, l + 1);
    }

    /** Recursive descent through an endless {@code 1 + (1 + (1 + ...}. */
    private static final class Parser {
        private static final char[] TEXT = "1+(".toCharArray();

        private int at = -1;

        private char next() {
            at = at == 2 ? 0 : at + 1;
            return TEXT[at];
        }

        int expression() {
            int value = term();
            while (next() == '+') {
                value += term();
            }
            return value;
        }

        int term() {
            return factor() * 3;
        }

        int factor() {
            if (next() == '1') {
                return 1;
            }
            reached++;
            return expression();
        }
    }
}
