import java.util.AbstractList;
import java.util.List;

/**
 * Methods whose work grows with the size of their arguments, called with lengths of 50 and 400 in turn: that of {@code square(int[])}
 * with its square, that of {@code line(int[])} with the length itself; {@code thrice(String, Object)} and {@code once(String, Object)}
 * grow alike, and {@code busy} and {@code idle} have arguments without a size: null, negative, empty, a list whose {@code size()}
 * throws. Nobody calls that.
 */
public final class Grows {
    private static final int SMALL = 50;
    private static final int LARGE = 400;
    private static final Stubborn STUBBORN = new Stubborn();

    private Grows() {}

    /** A list that does not say its size, and counts who asks. */
    private static final class Stubborn extends AbstractList<String> {
        private int asked;

        @Override
        public String get(int index) {
            throw new IndexOutOfBoundsException();
        }

        @Override
        public int size() {
            asked++;
            throw new IllegalStateException("not known");
        }
    }

    public static void main(String[] args) {
        int[][] arrays = {new int[SMALL], new int[LARGE]};
        for (int[] array : arrays) {
            java.util.Arrays.fill(array, 1);
        }
        String[] texts = {"x".repeat(SMALL), "x".repeat(LARGE)};
        Life life = Life.start(args);
        while (life.wantsRound()) {
            long sum = 0;
            for (int turn = 0; turn < 2; turn++) {
                sum += square(arrays[turn]) + line(arrays[turn]);
                sum += thrice(texts[turn], null) + once(texts[turn], null);
                sum += busy(STUBBORN, -turn, "", null) + idle();
            }
            life.check(sum + " " + STUBBORN.asked);
        }
        life.end();
    }

    static long square(int[] numbers) {
        long sum = 0;
        for (int one : numbers) {
            for (int other : numbers) {
                sum += one * other;
            }
        }
        return sum;
    }

    static long line(int[] numbers) {
        long sum = 0;
        for (int one : numbers) {
            sum += one;
        }
        return sum;
    }

    static long thrice(String text, Object nothing) {
        return counted(text) + counted(text) + counted(text);
    }

    static long once(String text, Object nothing) {
        return counted(text);
    }

    private static long counted(String text) {
        long sum = 0;
        for (int at = 0; at < text.length(); at++) {
            sum += text.charAt(at);
        }
        return sum;
    }

    static long busy(List<String> list, int negative, String empty, Object nothing) {
        long sum = negative == 0 ? 0 : 1;
        for (int i = 0; i < 2000; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    static long idle() {
        return 1;
    }
}
