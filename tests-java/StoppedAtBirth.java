/** Threads that are stopped when they have just begun. Each of them has to end. Argument: their number. */
public final class StoppedAtBirth {
    private static volatile long sink;

    private StoppedAtBirth() {}

    @SuppressWarnings({"deprecation", "removal"})
    public static void main(String[] args) throws InterruptedException {
        for (int number = Integer.parseInt(args[0]); number > 0; number--) {
            Thread thread = new Thread(StoppedAtBirth::run);
            thread.setDaemon(true);
            thread.start();
            try {
                thread.stop();
            } catch (UnsupportedOperationException since20) {
                System.out.println("cannot stop threads");
                return;
            }
            thread.join(20_000);
            if (thread.isAlive()) {
                System.out.println("a thread goes on, " + number + " before the last");
                return;
            }
        }
        System.out.println("all ended");
    }

    private static void run() {
        while (true) {
            sink++;
        }
    }
}
