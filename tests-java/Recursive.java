/**
 * Shows recursion: in a line, as a tree and through a second method. Prints each result with its number of
 * calls, so that samples and their recursion depths can be counted.
 *
 * <p>Arguments: [rounds]. To measure: {@code line(I)I}, {@code tree(I)I}, {@code even(I)Z} and {@code
 * odd(I)Z}.
 */
public final class Recursive {

    private static final int LINE = 20;
    private static final int TREE = 10;
    private static final int PAIR = 15;

    private int calls;

    private Recursive() {}

    public static void main(String[] args) {
        Life life = Life.start(args);
        String report = "";
        while (life.wantsRound()) {
            report = new Recursive().round();
            life.check(report);
        }
        Life.say(report);
        life.end();
    }

    private String round() {
        return "line(" + LINE + ") = " + line(LINE) + ", calls " + taken()
                + "\ntree(" + TREE + ") = " + tree(TREE) + ", calls " + taken()
                + "\neven(" + PAIR + ") = " + even(PAIR) + ", calls " + taken();
    }

    /** Depths 0 to n, one call each. */
    int line(int n) {
        calls++;
        return n == 0 ? 0 : n + line(n - 1);
    }

    /** Fibonacci's numbers the long way: many calls at each depth up to n. */
    int tree(int n) {
        calls++;
        return n < 2 ? n : tree(n - 1) + tree(n - 2);
    }

    /** With {@link #odd}: each method's own depth grows by one for two calls. */
    boolean even(int n) {
        calls++;
        return n == 0 || odd(n - 1);
    }

    boolean odd(int n) {
        calls++;
        return n != 0 && even(n - 1);
    }

    private int taken() {
        int taken = calls;
        calls = 0;
        return taken;
    }
}
