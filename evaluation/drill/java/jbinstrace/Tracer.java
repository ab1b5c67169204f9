package jbinstrace;

import java.util.Arrays;

/**
 * The tracer of JBInsTrace in its mode 2, re-created from the paper (3.3 and 3.4): a map of flags that has one for each thread, and a
 * list of events for each thread. Its code calls none of the JDK's, which may be traced too. Two choices
 * that the paper leaves open are made in its favour: the map is an array by thread id, and a full list is filled again from its
 * beginning, so that no time goes into memory or files.
 */
public final class Tracer {
    /** Events of a thread that are kept: 16 MiB of them. */
    private static final int KEPT = 1 << 22;
    private static volatile Lock[] locks = new Lock[64];
    /** Whether anything is recorded yet. */
    static volatile boolean open;

    private Tracer() {}

    /** A thread's flag and its list. */
    private static final class Lock {
        private boolean authorization = true;
        private int[] events = new int[1 << 12];
        private int size;
        private long total;

        private void add(int event) {
            if (size == events.length) {
                grow();
            }
            events[size++] = event;
            total++;
        }

        private void grow() {
            if (size < KEPT) {
                int[] larger = new int[2 * size];
                System.arraycopy(events, 0, larger, 0, size);
                events = larger;
            } else {
                size = 0;
            }
        }
    }

    private static Lock lock(int thread) {
        Lock[] known = locks;
        Lock lock = thread < known.length ? known[thread] : null;
        return lock == null ? first(thread) : lock;
    }

    private static synchronized Lock first(int thread) {
        Lock[] known = locks;
        if (thread >= known.length) {
            Lock[] larger = new Lock[2 * thread];
            System.arraycopy(known, 0, larger, 0, known.length);
            known = larger;
        }
        if (known[thread] == null) {
            known[thread] = new Lock();
        }
        locks = known;
        return known[thread];
    }

    /** The start of a block, or the end of a method. */
    public static void eventNotify(int event, int thread) {
        if (!open) {
            return;
        }
        Lock lock = lock(thread);
        if (lock.authorization) {
            lock.authorization = false;
            lock.add(event);
            lock.authorization = true;
        }
    }

    /** The start of a method with its receiver's class. */
    public static void eventNotifyWithInstanceType(int event, int thread, Class<?> type) {
        if (!open) {
            return;
        }
        Lock lock = lock(thread);
        if (lock.authorization) {
            lock.authorization = false;
            lock.add(event);
            lock.add(System.identityHashCode(type));
            lock.authorization = true;
        }
    }

    /** Lets this thread's events be recorded or not: what puts probes in is not traced. */
    static void authorize(boolean authorized) {
        lock((int) Thread.currentThread().getId()).authorization = authorized;
    }

    /** Events of all threads. */
    static long total() {
        open = false;
        return Arrays.stream(locks).mapToLong(lock -> lock == null ? 0 : lock.total).sum();
    }
}
