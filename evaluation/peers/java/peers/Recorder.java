package peers;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Recorder for Byteman and AspectJ, which have none of their own: a ring of each thread, found by a
   thread-local
 * variable. Nobody empties it; that costs these two nothing, as it would cost others.
 */
public final class Recorder {
    private static final int SLOTS = 1 << 12;
    private static final List<Recorder> ALL = new CopyOnWriteArrayList<>();
    private static final ThreadLocal<Recorder> MINE = ThreadLocal.withInitial(Recorder::added);

    private final long[] ring = new long[2 * SLOTS];
    /** Starts of the calls that run, for who has no local variable to keep them in. */
    private long[] starts = new long[16];
    private int running;
    private int calls;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() ->
                Received.write(ALL.stream().mapToLong(recorder -> recorder.calls).sum())));
    }

    private Recorder() {}

    private static Recorder added() {
        Recorder recorder = new Recorder();
        ALL.add(recorder);
        return recorder;
    }

    /** A call that began and ended then, {@link System#nanoTime}. */
    public static void record(long start, long end) {
        MINE.get().store(start, end);
    }

    private void store(long start, long end) {
        int slot = 2 * (calls++ & SLOTS - 1);
        ring[slot] = start;
        ring[slot + 1] = end;
    }

    /** A call begins; the clock is read last. */
    public static void enter() {
        Recorder recorder = MINE.get();
        if (recorder.running == recorder.starts.length) {
            recorder.starts = java.util.Arrays.copyOf(recorder.starts, 2 * recorder.running);
        }
        recorder.starts[recorder.running++] = System.nanoTime();
    }

    /** The call that began last ends; the clock is read first. */
    public static void exit() {
        long end = System.nanoTime();
        Recorder recorder = MINE.get();
        recorder.store(recorder.starts[--recorder.running], end);
    }
}
