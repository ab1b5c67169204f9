package processor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedList;
import java.util.List;
import java.util.Random;

/** Looks for the greatest number of lists, and sorts them, by methods that are not ours to change. */
public final class Main {

    private static final long DEFAULT_SECONDS = 15;
    private static final long NS_PER_S = 1_000_000_000;
    private static final int[] LENGTHS = {200, 5_000};

    private Main() {}

    /** Argument: seconds to run (default 15); 0 runs until a line comes on standard input. */
    public static void main(String[] args) throws IOException {
        long seconds = args.length == 0 ? DEFAULT_SECONDS : Long.parseLong(args[0]);
        long start = System.nanoTime();
        Random random = new Random(1);
        int greatest = 0;
        for (int round = 1; !isOver(start, seconds); round++) {
            List<Integer> list = round % 2 == 0 ? new ArrayList<>() : new LinkedList<>();
            for (int i = 0; i < LENGTHS[round / 2 % LENGTHS.length]; i++) {
                list.add(random.nextInt());
            }
            greatest = Collections.max(list);
            Collections.sort(list);
            if (list.get(list.size() - 1) != greatest) {
                throw new IllegalStateException("the last of the sorted numbers is not the greatest");
            }
        }
        System.out.println("the greatest of the last round is " + greatest);
    }

    /** Whether the time is over, or, where it has no bound, a line has come. */
    private static boolean isOver(long start, long seconds) throws IOException {
        return seconds == 0 ? System.in.available() > 0 : System.nanoTime() - start > seconds * NS_PER_S;
    }
}
