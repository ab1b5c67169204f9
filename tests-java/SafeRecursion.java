import java.util.regex.Pattern;

/**
 * Shows recursion that stays well within the stack, in any compiler tier: in a line, through a parser of
 * nested expressions, and through the JDK's regular expressions. Each round runs in a new thread with a stack
 * of 512 KB. It uses three fifths of the interpreter's depth there, and two fifths in the parser, whose
 * methods may run in different tiers. A stack overflow ends the program with status 1.
 *
 * <p>Arguments: [rounds]. To measure: {@code sum(Ljava/lang/Object;IJ)I}, the methods of {@code
 * SafeRecursion$Parser}, and {@code match} of the classes in {@code java.util.regex.Pattern}.
 */
public final class SafeRecursion {

    private static final long STACK_BYTES = 512 << 10;
    private static final int LINE = 1900;
    private static final int NESTING = 600;
    private static final int LETTERS = 320;
    private static final Pattern PATTERN = Pattern.compile("(?:a|b)*c");
    private static final String TEXT = "ab".repeat(LETTERS / 2) + "c";
    private static final char[] EXPRESSION = ("(1+".repeat(NESTING) + "1" + ")".repeat(NESTING)).toCharArray();

    private SafeRecursion() {}

    public static void main(String[] args) throws InterruptedException {
        Life life = Life.start(args);
        String[] report = {""};
        while (life.wantsRound()) {
            Thread thread = new Thread(null, () -> report[0] = round(), "deep", STACK_BYTES);
            thread.start();
            thread.join();
            life.check(report[0]);
        }
        Life.say(report[0]);
        life.end();
    }

    private static String round() {
        String shape = "line";
        try {
            int line = sum("x", LINE, 1L);
            shape = "expression";
            int expression = new Parser().expression();
            shape = "pattern";
            boolean matches = PATTERN.matcher(TEXT).matches();
            return "line " + line + ", expression " + expression + ", pattern " + matches;
        } catch (StackOverflowError overflow) {
            Life.say("the stack has overflowed: " + shape);
            System.exit(1);
            return "";
        }
    }

    static int sum(Object node, int n, long l) {
        return n == 0 ? 0 : 1 + sum(node, n - 1, l);
    }

    /** Sums in parentheses, by recursive descent. */
    static final class Parser {
        private int at;

        private char next() {
            return at < EXPRESSION.length ? EXPRESSION[at] : '.';
        }

        int expression() {
            int value = term();
            while (next() == '+') {
                at++;
                value += term();
            }
            return value;
        }

        int term() {
            return factor();
        }

        int factor() {
            if (next() != '(') {
                at++;
                return 1;
            }
            at++;
            int value = expression();
            at++;
            return value;
        }
    }
}
