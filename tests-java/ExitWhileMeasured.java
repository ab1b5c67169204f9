import java.util.concurrent.CountDownLatch;

/**
 * Shows a program that ends within a measured method, while another thread is in one too: by {@code
 * System.exit}, by {@code Runtime.halt} or by an uncaught exception. The waiting process must get the status,
 * and the hook of an orderly end must run.
 *
 * <p>Arguments: [rounds [exit|halt|throw [status]]], by default exit with status 7; an uncaught exception's
 * status is 1. To measure: {@code leave(Ljava/lang/String;I)V}, {@code work(I)I} and {@code
 * waitForever(Ljava/util/concurrent/CountDownLatch;)V}.
 */
public final class ExitWhileMeasured {

    private static final int DEFAULT_STATUS = 7;
    private static final int INPUT = 1_000;

    private ExitWhileMeasured() {}

    public static void main(String[] args) throws InterruptedException {
        String how = args.length > 1 ? args[1] : "exit";
        int status = args.length > 2 ? Integer.parseInt(args[2]) : DEFAULT_STATUS;
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Life.say("hook ran")));
        startWaiter();
        Life life = Life.start(args);
        while (life.wantsRound()) {
            life.check("work " + work(INPUT));
        }
        Life.say("leaving by " + how);
        leave(how, status);
    }

    /** Never returns. */
    static void leave(String how, int status) {
        switch (how) {
            case "exit":
                System.exit(status);
                break;
            case "halt":
                Runtime.getRuntime().halt(status);
                break;
            case "throw":
                throw new IllegalStateException("nobody catches this");
            default:
                throw new IllegalArgumentException("exit, halt or throw, not " + how);
        }
    }

    static int work(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    /** A call in progress when the JVM ends. */
    static void waitForever(CountDownLatch entered) {
        entered.countDown();
        CountDownLatch never = new CountDownLatch(1);
        try {
            never.await();
        } catch (InterruptedException unexpected) {
            Thread.currentThread().interrupt();
        }
    }

    private static void startWaiter() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        Thread waiter = new Thread(() -> waitForever(entered), "waiter");
        waiter.setDaemon(true);
        waiter.start();
        entered.await();
    }
}
