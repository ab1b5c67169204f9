package recreated;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The recorder that the thesis describes (3.1.1, 3.1.2): a hash table by the method's name, in it one by thread with a
 * stack of started measurements, an object for each measurement, and a text for each in a queue that another thread
 * empties. On the boot class path, because JDK classes call it. It calls no method that the sorting evaluation measures.
 */
public final class Recorder {

    /** One measured call. */
    private static final class Measurement {
        final int depth;
        long start;

        Measurement(int depth) {
            this.depth = depth;
        }
    }

    /** The started measurements of one method. */
    private static final class Holder {
        final Map<Thread, ArrayDeque<Measurement>> stacks = new ConcurrentHashMap<>();
    }

    private static final Map<String, Holder> HOLDERS = new ConcurrentHashMap<>();
    private static Queue<String> messages = new ArrayDeque<>();
    /** No message waits twice. */
    private static final Set<String> WAITING = new HashSet<>();
    /** Its own calls of measured methods do not count. */
    private static volatile Thread communication;

    private Recorder() {}

    /** The thread that empties the queue. */
    public static void setCommunication(Thread thread) {
        communication = thread;
    }

    /** The measured method begins. */
    public static void start(String name) {
        Thread thread = Thread.currentThread();
        if (thread == communication) {
            return;
        }
        Holder holder = HOLDERS.get(name);
        if (holder == null) {
            holder = new Holder();
            Holder other = HOLDERS.putIfAbsent(name, holder);
            holder = other == null ? holder : other;
        }
        ArrayDeque<Measurement> stack = holder.stacks.get(thread);
        if (stack == null) {
            stack = new ArrayDeque<>();
            holder.stacks.put(thread, stack);
        }
        Measurement measurement = new Measurement(stack.size());
        stack.push(measurement);
        measurement.start = System.nanoTime();
    }

    /** The measured method ends. */
    public static void stop(String name) {
        long end = System.nanoTime();
        Thread thread = Thread.currentThread();
        if (thread == communication) {
            return;
        }
        Holder holder = HOLDERS.get(name);
        ArrayDeque<Measurement> stack = holder == null ? null : holder.stacks.get(thread);
        Measurement measurement = stack == null ? null : stack.poll();
        if (measurement == null) {
            // The probes went in during the call.
            return;
        }
        // A builder and no "+", whose bootstrap would run in the middle of a measured method.
        String message = new StringBuilder(128)
                .append(measurement.start).append(',').append(end).append(',')
                .append(measurement.depth).append(',').append(thread.getId()).append(',')
                .append(name).append(",0").toString();
        synchronized (WAITING) {
            if (WAITING.add(message)) {
                messages.add(message);
            }
        }
    }

    /** The messages that wait, which then wait no longer. */
    public static Queue<String> take() {
        synchronized (WAITING) {
            Queue<String> taken = messages;
            messages = new ArrayDeque<>();
            WAITING.clear();
            return taken;
        }
    }
}
