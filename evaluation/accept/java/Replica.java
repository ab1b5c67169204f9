/**
 * One instance of a service that is called seldom and waits in each call: {@code quick()} 6 ms, {@code thorough()} and
 * {@code other()} 10 ms. Its processor time hardly matters, so that six of them run on any machine. Calls begin with the first
 * line of standard input and end with its end.
 *
 * <p>Argument: the factor by which this instance is slow.
 */
public final class Replica {

    private static long factor;

    private Replica() {}

    public static void main(String[] args) throws Exception {
        factor = Long.parseLong(args[0]);
        System.out.println("ready");
        System.out.flush();
        if (System.in.read() < 0) {
            return;
        }
        Thread caller = new Thread(Replica::call);
        caller.setDaemon(true);
        caller.start();
        while (System.in.read() >= 0) {
            // Until the end of the input.
        }
    }

    private static void call() {
        try {
            while (true) {
                quick();
                thorough();
                other();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void quick() throws InterruptedException {
        Thread.sleep(6 * factor);
    }

    static void thorough() throws InterruptedException {
        Thread.sleep(10 * factor);
    }

    static void other() throws InterruptedException {
        Thread.sleep(10 * factor);
    }
}
