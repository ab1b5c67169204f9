import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Requests of 201 short calls, one after the other. Says on standard error how many nanoseconds of the processor a request took in each round.
 *
 * <p>Arguments: rounds, and requests of each. To trace: all methods, also within calls of {@code handle}.
 */
public final class Handled {
    private int state = 1;

    private Handled() {}

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        int requests = Integer.parseInt(args[1]);
        Handled one = new Handled();
        ThreadMXBean thread = ManagementFactory.getThreadMXBean();
        for (int round = 0; round < rounds; round++) {
            long began = thread.getCurrentThreadCpuTime();
            for (int request = 0; request < requests; request++) {
                one.handle(request);
            }
            System.err.println((thread.getCurrentThreadCpuTime() - began) / requests);
        }
        System.out.println("handled " + one.state);
    }

    private void handle(int request) {
        for (int part = 0; part < 40; part++) {
            state += step(request + part);
        }
    }

    private int step(int value) {
        return odd(value) + odd(value + 1) + odd(value + 2) + odd(value + 3);
    }

    private int odd(int value) {
        return (value & 1) == 0 ? state : value;
    }
}
