import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Arrays that live as long as is known: of each ten five are gone at the next collection, three live for four collections, and two to the end. A heap
 * with room for all of a round has no other collections than the program's own calls of {@code System.gc}.
 */
public final class Lifetimes {
    private static final int ARRAYS = 30_000;
    private static final int LIFE = 4;

    private static final List<Object> FOREVER = new ArrayList<>(1 << 20);
    private static Object last;

    private Lifetimes() {}

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0]);
        ArrayDeque<Object> lives = new ArrayDeque<>();
        for (int round = 0; round < rounds; round++) {
            lives.add(allocated());
            if (lives.size() == LIFE) {
                lives.poll();
            }
            System.gc();
        }
        System.out.println("kept " + FOREVER.size());
    }

    static Object allocated() {
        Object[] some = new Object[ARRAYS];
        for (int i = 0; i < ARRAYS; i++) {
            byte[] array = new byte[1000];
            int kind = i % 10;
            if (kind < 5) {
                last = array;
            } else if (kind < 8) {
                some[i] = array;
            } else {
                FOREVER.add(array);
            }
        }
        last = null;
        return some;
    }
}
