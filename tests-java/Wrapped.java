import java.util.Collections;
import java.util.Comparator;

/** Objects of the JDK between a call and the method that it enters: these receivers are of three classes. */
final class Wrapped {
    private Wrapped() {}

    public static void main(String[] args) {
        Comparator<Integer> own = new Own();
        int sum = 0;
        for (int i = 0; i < 30; i++) {
            sum += compare(i % 3 == 0 ? own : i % 3 == 1 ? Collections.reverseOrder(own) : Comparator.nullsFirst(own), i, i);
        }
        System.out.println("sum " + sum);
    }

    static int compare(Comparator<Integer> comparator, Integer one, Integer other) {
        return comparator.compare(one, other);
    }

    /** The only one that counts. */
    static final class Own implements Comparator<Integer> {
        @Override
        public int compare(Integer one, Integer other) {
            return Integer.compare(one, other);
        }
    }
}
