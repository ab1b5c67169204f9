package retransformation;

/** Compares numbers, and says each second how long that took: more while the compared method has probes. */
public final class Main {

    private static final int DEFAULT_ROUNDS = 60;
    private static final int DEFAULT_PAUSE_MS = 1_000;
    private static final int CALLS = 5;

    private Main() {}

    /** Arguments: rounds (default 60), and milliseconds of rest after each (default 1000). */
    public static void main(String[] args) throws InterruptedException {
        int rounds = args.length < 1 ? DEFAULT_ROUNDS : Integer.parseInt(args[0]);
        int pauseMs = args.length < 2 ? DEFAULT_PAUSE_MS : Integer.parseInt(args[1]);
        Integer[] numbers = {3, 1, 4, 1, 5, 9};
        for (int round = 1; round <= rounds; round++) {
            long start = System.nanoTime();
            int sum = 0;
            for (int i = 0; i < CALLS; i++) {
                sum += numbers[i].compareTo(numbers[i + 1]);
            }
            long took = System.nanoTime() - start;
            // In one piece: the controller writes to the same terminal.
            System.out.println("program: round " + round + ", " + CALLS + " calls of compareTo (" + sum + ") took " + took + " ns");
            Thread.sleep(pauseMs);
        }
    }
}
