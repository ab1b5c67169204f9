/**
 * Shows a class that loads long after the start: {@code LateClass$Late} loads when the second stage begins.
 *
 * <p>Arguments: [rounds of each stage]; without them the first line on standard input loads the class and the
 * second ends the program. To measure: {@code LateClass.early(I)I} and {@code LateClass$Late.work(I)I}.
 */
public final class LateClass {

    private static final int INPUT = 1_000;

    private LateClass() {}

    public static void main(String[] args) {
        Life life = Life.start(args);
        while (life.wantsRound()) {
            life.check("early " + early(INPUT));
        }
        Life.say("loading");
        while (life.wantsRound()) {
            life.check("early " + early(INPUT) + ", late " + Late.work(INPUT));
        }
        Life.say("early " + early(INPUT) + ", late " + Late.work(INPUT));
        life.end();
    }

    static int early(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    /** Loads at its first use, which is in the second stage. */
    static final class Late {
        static {
            Life.say("loaded");
        }

        private Late() {}

        static int work(int n) {
            int sum = 1;
            for (int i = 0; i < n; i++) {
                sum = sum * 33 + i;
            }
            return sum;
        }
    }
}
