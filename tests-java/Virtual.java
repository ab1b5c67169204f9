import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Exchanger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Shows many short-lived threads: virtual ones if the JVM has them (21 and later, called by reflection), else
 * platform threads. In {@code meet} a virtual thread leaves its carrier within a measured method and may
 * continue on another one. In {@code work} it does not.
 *
 * <p>Arguments: [rounds]. To measure: {@code work(I)I} and {@code meet(Ljava/util/concurrent/Exchanger;I)I}.
 */
public final class Virtual {

    private static final int PAIRS = 50;
    private static final int INPUT = 1_000;

    private Virtual() {}

    public static void main(String[] args) throws InterruptedException, ReflectiveOperationException {
        Method starter = virtualStarter();
        System.err.println(starter == null ? "platform threads" : "virtual threads");
        Life life = Life.start(args);
        String report = "";
        while (life.wantsRound()) {
            report = round(starter);
            life.check(report);
        }
        Life.say(report);
        life.end();
    }

    private static String round(Method starter) throws InterruptedException, ReflectiveOperationException {
        AtomicLong worked = new AtomicLong();
        AtomicLong met = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int pair = 0; pair < PAIRS; pair++) {
            Exchanger<Integer> place = new Exchanger<>();
            for (int side = 0; side < 2; side++) {
                int own = 2 * pair + side;
                threads.add(start(starter, () -> {
                    worked.addAndGet(work(INPUT + own));
                    met.addAndGet(meet(place, own));
                }));
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return threads.size() + " threads, worked " + worked.get() + ", met " + met.get();
    }

    static int work(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    /** Waits for its partner and returns the partner's number. */
    static int meet(Exchanger<Integer> place, int own) {
        try {
            return place.exchange(own);
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    /** {@code Thread.startVirtualThread}, or null if it is missing or only a preview. */
    static Method virtualStarter() {
        try {
            Method starter = Thread.class.getMethod("startVirtualThread", Runnable.class);
            start(starter, () -> {}).join();
            return starter;
        } catch (ReflectiveOperationException missing) {
            return null;
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    static Thread start(Method starter, Runnable work) throws ReflectiveOperationException {
        if (starter != null) {
            return (Thread) starter.invoke(null, work);
        }
        Thread thread = new Thread(work);
        thread.start();
        return thread;
    }
}
