import java.io.IOException;
import java.util.concurrent.Semaphore;

/** Keeps many idle threads until its input ends. Argument: their number. */
public final class Crowd {
    private static final long STACK_BYTES = 128 << 10;
    private static final Semaphore NEVER = new Semaphore(0);

    private Crowd() {}

    public static void main(String[] args) throws IOException {
        for (int left = Integer.parseInt(args[0]); left > 0; left--) {
            Thread thread = new Thread(null, NEVER::acquireUninterruptibly, "idle", STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {}
        System.out.println("ended");
    }
}
