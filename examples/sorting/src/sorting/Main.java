package sorting;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Fills a list with random integers and sorts it, again and again, and prints how long each cycle took: the measured
 * program of the thesis's first evaluation (4.1), whose time is the processor's alone.
 */
public final class Main {

    private static final String USAGE =
            "usage: sorting.Main [--cycles N] [--numbers N] [--quiet-times]\n"
                    + "  --cycles N     cycles to run; 0 runs until the program is killed (default 1000)\n"
                    + "  --numbers N    integers to sort in a cycle (default 30000)\n"
                    + "  --quiet-times  print no times, so that two runs print the same bytes";
    private static final int EXIT_USAGE = 2;
    private static final int DEFAULT_CYCLES = 1_000;
    /** Gives cycles of about 15 ms on a two-core virtual machine of 2026; the thesis's took 25 (4.1.2). */
    private static final int DEFAULT_NUMBERS = 30_000;
    private static final double NS_PER_MS = 1e6;

    private Main() {}

    /** Runs the loop; see the usage. */
    public static void main(String[] args) {
        int cycles = DEFAULT_CYCLES;
        int numbers = DEFAULT_NUMBERS;
        boolean quietTimes = false;
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--cycles")) {
                cycles = count(args, ++i);
            } else if (args[i].equals("--numbers")) {
                numbers = count(args, ++i);
            } else if (args[i].equals("--quiet-times")) {
                quietTimes = true;
            } else {
                refuse("unknown option " + args[i]);
            }
        }
        run(cycles, numbers, quietTimes);
    }

    private static void run(int cycles, int numbers, boolean quietTimes) {
        for (long cycle = 1; cycles == 0 || cycle <= cycles; cycle++) {
            long start = System.nanoTime();
            long check = sortOnce(cycle, numbers);
            double tookMs = (System.nanoTime() - start) / NS_PER_MS;
            String time = quietTimes ? "" : String.format(Locale.ROOT, ", %.3f ms", tookMs);
            System.out.println("cycle " + cycle + ": check " + check + time);
        }
    }

    /**
     * One cycle: numbers from a seeded generator are sorted, both ways and after a shuffle, so that the sort meets random
     * and reversed input alike.
     *
     * @return a number that depends on the order of the result, so that no compiler may leave the work out
     */
    private static long sortOnce(long seed, int numbers) {
        Random random = new Random(seed);
        List<Integer> list = new ArrayList<>();
        for (int i = 0; i < numbers; i++) {
            list.add(random.nextInt());
        }
        Collections.sort(list);
        Collections.reverse(list);
        Collections.sort(list);
        Collections.shuffle(list, random);
        Integer[] array = list.toArray(new Integer[0]);
        Arrays.sort(array);
        long check = 0;
        for (int i = 0; i < array.length; i++) {
            check = check * 31 + array[i] + list.get(i);
        }
        return check;
    }

    private static int count(String[] args, int at) {
        if (at < args.length) {
            try {
                int value = Integer.parseInt(args[at]);
                if (value >= 0) {
                    return value;
                }
            } catch (NumberFormatException notANumber) {
                // Falls through to the one message that both mistakes share.
            }
        }
        refuse(args[at - 1] + " needs a whole number from 0");
        return 0;
    }

    private static void refuse(String why) {
        System.err.println("sorting: " + why + "\n" + USAGE);
        System.exit(EXIT_USAGE);
    }
}
