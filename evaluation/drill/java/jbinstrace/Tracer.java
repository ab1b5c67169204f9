package jbinstrace;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The tracer of JBInsTrace in its mode 2, re-created from the paper (3.3 and 3.4): a map of flags that has one for each thread, and a
 * list of events for each thread. Its code calls none of the JDK's, which may be traced too. Choices that the paper leaves open are made
 * in its favour: the map is an array by thread id; a full list is filled again from its beginning, so that no time goes into memory
 * or files, or, where all is kept, it is put aside as it is, and written in large pieces at the end.
 */
public final class Tracer {
    /** Events of a thread that are kept: 16 MiB of them. */
    private static final int KEPT = 1 << 22;
    /** Events of a list that is put aside, where all are kept. */
    private static final int PART = 1 << 20;
    private static volatile Lock[] locks = new Lock[64];
    /** Whether anything is recorded yet. */
    static volatile boolean open;
    /** Whether all events are kept. */
    static boolean keepsAll;
    /** Classes that were loaded: the number of a class is its event. */
    private static int classes;

    private Tracer() {}

    /** A thread's flag and its list. */
    private static final class Lock {
        private boolean authorization = true;
        private int[] events = new int[1 << 12];
        private int size;
        private long total;
        /** Lists that were full, where all is kept. */
        private int[][] full = new int[16][];
        private int parts;

        private void add(int event) {
            if (size == events.length) {
                grow();
            }
            events[size++] = event;
            total++;
        }

        private void grow() {
            if (keepsAll && size == PART) {
                putAside();
            } else if (size < KEPT) {
                int[] larger = new int[2 * size];
                System.arraycopy(events, 0, larger, 0, size);
                events = larger;
            } else {
                size = 0;
            }
        }

        private void putAside() {
            if (parts == full.length) {
                int[][] more = new int[2 * parts][];
                System.arraycopy(full, 0, more, 0, parts);
                full = more;
            }
            full[parts++] = events;
            events = new int[PART];
            size = 0;
        }

        /** A list by its number; the last one is filled in part. */
        private int[] part(int number) {
            return number < parts ? full[number] : Arrays.copyOf(events, size);
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

    /** A class was loaded. */
    static void classLoaded() {
        if (open) {
            lock((int) Thread.currentThread().getId()).add(nextClass());
        }
    }

    private static synchronized int nextClass() {
        return classes++;
    }

    /** Lets this thread's events be recorded or not: what puts probes in is not traced. Gives whether they were recorded before. */
    static boolean authorize(boolean authorized) {
        Lock lock = lock((int) Thread.currentThread().getId());
        boolean before = lock.authorization;
        lock.authorization = authorized;
        return before;
    }

    /** Events of all threads. */
    static long total() {
        open = false;
        return Arrays.stream(locks).mapToLong(lock -> lock == null ? 0 : lock.total).sum();
    }

    /** Writes the events of each thread to a file of its own; gives their bytes. Nothing is recorded any more. */
    static long write(File folder) throws IOException {
        long bytes = 0;
        ByteBuffer buffer = ByteBuffer.allocateDirect(4 * PART);
        for (int thread = 0; thread < locks.length; thread++) {
            Lock lock = locks[thread];
            if (lock == null || lock.total == 0) {
                continue;
            }
            try (RandomAccessFile file = new RandomAccessFile(new File(folder, thread + ".jbt"), "rw"); FileChannel channel = file.getChannel()) {
                for (int number = 0; number <= lock.parts; number++) {
                    int[] part = lock.part(number);
                    buffer.clear();
                    buffer.asIntBuffer().put(part);
                    buffer.limit(4 * part.length);
                    while (buffer.hasRemaining()) {
                        bytes += channel.write(buffer);
                    }
                }
            }
        }
        return bytes;
    }

    /** Events of each kind, by its number. After the start of a method in {@code typed} stands a class. */
    static long[] kinds(BitSet typed) {
        long[] kinds = new long[4];
        for (Lock lock : locks) {
            boolean isClass = false;
            for (int number = 0; lock != null && number <= lock.parts; number++) {
                for (int event : lock.part(number)) {
                    if (!isClass) {
                        kinds[event >>> 30]++;
                    }
                    isClass = !isClass && event >>> 30 == 1 && typed.get(event >>> 11 & (1 << 19) - 1);
                }
            }
        }
        return kinds;
    }
}
