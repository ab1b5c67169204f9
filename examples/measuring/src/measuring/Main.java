package measuring;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Parcels go through a depot, day after day: user classes with methods of many kinds to measure (thesis 3.4.3). */
public final class Main {

    private static final long DEFAULT_SECONDS = 15;
    private static final long NS_PER_S = 1_000_000_000;
    private static final int PARCELS = 20;
    private static final int[] ZONES = {1, 2, 5};

    private Main() {}

    /** Argument: seconds to run (default 15); 0 runs until a line comes on standard input. */
    public static void main(String[] args) throws IOException, InterruptedException {
        long seconds = args.length == 0 ? DEFAULT_SECONDS : Long.parseLong(args[0]);
        long start = System.nanoTime();
        double postage = 0;
        String shelves = "";
        while (!isOver(start, seconds)) {
            Depot depot = new Depot(PARCELS);
            for (int i = 0; i < PARCELS; i++) {
                Parcel parcel = new Parcel("street " + i, 100 + i * 37 % 900, 0.5 + i);
                depot.receive(parcel);
                postage = parcel.postage(i % 2 == 0, 'A', 1.5f, ZONES);
            }
            shelves = describe(depot.weights(), Map.of("parcels", PARCELS));
            Thread.sleep(1);
        }
        System.out.println("the last parcel costs " + postage + "; weights " + shelves);
    }

    /** Whether the time is over, or, where it has no bound, a line has come. */
    private static boolean isOver(long start, long seconds) throws IOException {
        return seconds == 0 ? System.in.available() > 0 : System.nanoTime() - start > seconds * NS_PER_S;
    }

    /** The weights in ascending order, which {@code Integer.compareTo} decides. */
    static String describe(List<Integer> weights, Map<String, Integer> counts) {
        List<Integer> sorted = new ArrayList<>(weights);
        Collections.sort(sorted);
        return sorted.get(0) + " to " + sorted.get(sorted.size() - 1) + " g, " + new TreeMap<>(counts);
    }
}
