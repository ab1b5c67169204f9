/**
 * A method that calls the one that it is compared with: {@code whole(int)} calls {@code part(int)} once, through a helper, and has
 * 3,000 turns more done by {@code more(int)}; {@code part} does 1,000 turns. Nothing else calls {@code part}.
 */
public final class Nested {
    private static final int TURNS = 1_000;

    private Nested() {}

    public static void main(String[] args) throws InterruptedException {
        Life life = Life.start(args);
        while (life.wantsRound()) {
            long sum = 0;
            for (int i = 0; i < 50; i++) {
                sum += whole(i);
            }
            life.check(Long.toString(sum));
        }
        life.end();
    }

    static long whole(int seed) {
        return helper(seed) + more(seed);
    }

    private static long helper(int seed) {
        return part(seed) * 3;
    }

    static long part(int seed) {
        long sum = seed;
        for (int i = 0; i < TURNS; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    private static long more(int seed) {
        long sum = seed;
        for (int i = 0; i < 3 * TURNS; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }
}
