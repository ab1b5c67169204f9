package java.lang;

import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import spl.size.Computable;
import spl.size.MethodSize;
import spl.size.ScaleBase;
import spl.size.SizeAggregator;
import spl.size.SizeProcessor;

/**
 * Workload sizes that the program itself computes (thesis 3.2.6): user code, which must not harm the program it measures.
 *
 * <p>Runs under the guard of {@link SplProbe}. Whatever user code does wrong, the call gets its default size, and the operator
 * is told once.
 */
final class SplProcessors {
    /** Set in a size that is the number of a label. */
    static final long LABEL = 1L << 61;
    /** No size: the default is to be used. */
    static final long NONE = -1;
    /** Labels that all processors may give together. */
    private static final int MOST_LABELS = 10_000;
    private static final int LONGEST_LABEL = 200;
    /** What a class may take to load and to make its processor. */
    private static final long LOADING_MS = 5000;

    /** By method and class; a few. */
    private static volatile Installed[] installed = new Installed[0];
    /** One for each class loader of measured classes, so that processors share what is static in them. */
    private static Loader[] loaders = new Loader[0];
    private static final ConcurrentHashMap<String, Integer> LABELS = new ConcurrentHashMap<>();
    /** Patience with each class of {@link Computable} objects. */
    private static final ConcurrentHashMap<String, Patience> COMPUTABLES = new ConcurrentHashMap<>();

    private SplProcessors() {}

    /** Tells the agent of a label; found in the agent's library by its name. */
    private static native void label(int number, String text);

    /** Tells the operator something. */
    private static native void warn(String text);

    /** Lets go of all processors, so that no class is kept alive when nothing is measured. */
    static synchronized void forget() {
        installed = new Installed[0];
        loaders = new Loader[0];
        COMPUTABLES.clear();
    }

    /**
     * Makes a processor ready for the calls of a method in one class. Loading runs user code, which may do anything: it gets
     * a thread of its own, and is not waited for too long.
     *
     * @param widths of each primitive parameter in bytes, 0 for a reference, as digits
     * @return null, or why the default size is used instead
     */
    static String install(int id, Class<?> owner, String widths, String processor, String jar)
            throws InterruptedException {
        Loading loading = new Loading(owner, processor, jar);
        Thread thread = new Thread(null, loading, "spl-size-processor");
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler(loading);
        thread.start();
        // Not by Thread.join, which takes the thread's monitor in older JDKs: user code may hold it.
        boolean ended = loading.ended.await(LOADING_MS, TimeUnit.MILLISECONDS);
        String problem = ended ? loading.problem : "its class is not loaded after " + LOADING_MS + " ms";
        SizeProcessor made = problem == null ? loading.made : null;
        add(new Installed(id, owner, widths, made, loading.base, new Patience("size processor " + processor)));
        return problem;
    }

    private static synchronized void add(Installed one) {
        Installed[] more = new Installed[installed.length + 1];
        int kept = 0;
        for (Installed other : installed) {
            if (other.id != one.id || other.owner != one.owner) {
                more[kept++] = other;
            }
        }
        more[kept++] = one;
        installed = java.util.Arrays.copyOf(more, kept);
    }

    private static synchronized Loader loader(ClassLoader parent, String jar) throws java.io.IOException {
        for (Loader known : loaders) {
            if (known.parent == parent && known.jar.equals(jar)) {
                return known;
            }
        }
        Loader made = new Loader(parent, jar);
        loaders = java.util.Arrays.copyOf(loaders, loaders.length + 1);
        loaders[loaders.length - 1] = made;
        return made;
    }

    /** The size of a call: the number of the label that its processor gives, marked as such, else the default size. */
    static long size(int id, Class<?> owner, Object self, Object[] arguments) {
        for (Installed one : installed) {
            if (one.id == id && (one.owner == owner || owner == null)) {
                long own = one.processor == null || one.patience.exhausted ? NONE : one.size(self, arguments);
                return own != NONE ? own : SplSizes.all(arguments, one.widths);
            }
        }
        return SplSizes.TRUNCATED;
    }

    /** What an object says its size is; {@link #NONE} if it says none that can be used. */
    static long computed(Computable object) {
        String name = object.getClass().getName();
        Patience patience = COMPUTABLES.get(name);
        if (patience == null) {
            COMPUTABLES.putIfAbsent(name, new Patience("computeSize of " + name));
            patience = COMPUTABLES.get(name);
            if (patience == null) {
                return NONE;
            }
        }
        if (patience.exhausted) {
            return NONE;
        }
        long before = System.nanoTime();
        try {
            long size = object.computeSize();
            if (size >= 0 && size < LABEL) {
                return size;
            }
            patience.failed(size < 0 ? "gave the negative size " + size : "gave the size " + size + ", over " + (LABEL - 1));
        } catch (Throwable e) {
            if (SplProbe.isStop(e)) {
                throw e;
            }
            patience.failed("threw " + e.getClass().getName());
        } finally {
            patience.took(System.nanoTime() - before);
        }
        return NONE;
    }

    /** A processor that serves one method of one class. */
    private static final class Installed {
        final int id;
        final Class<?> owner;
        final String widths;
        /** Null when it could not be made. */
        final SizeProcessor processor;
        final Patience patience;
        private final ScaleBase base;

        Installed(
                int id, Class<?> owner, String widths, SizeProcessor processor, ScaleBase base, Patience patience) {
            this.id = id;
            this.owner = owner;
            this.widths = widths;
            this.processor = processor;
            this.base = base;
            this.patience = patience;
        }

        long size(Object self, Object[] arguments) {
            long before = System.nanoTime();
            try {
                MethodSize size = processor.computeSize(self, arguments);
                if (size == null) {
                    patience.failed("gave no size");
                    return NONE;
                }
                SizeAggregator bucket = size.aggregate(base);
                if (bucket == null) {
                    patience.failed("its size gave no bucket");
                    return NONE;
                }
                // Buckets themselves are not kept: there may be one a call, and each may hold on to its arguments.
                Integer known = intern(bucket.toString());
                return known == null ? NONE : LABEL | known;
            } catch (Throwable e) {
                if (SplProbe.isStop(e)) {
                    throw e;
                }
                patience.failed("threw " + e.getClass().getName());
                return NONE;
            } finally {
                patience.took(System.nanoTime() - before);
            }
        }

        private Integer intern(String text) {
            if (text == null) {
                patience.failed("its bucket has no name");
                return null;
            }
            String name = text.length() > LONGEST_LABEL ? text.substring(0, LONGEST_LABEL) : text;
            Integer known = LABELS.get(name);
            return known == null ? number(name) : known;
        }

        private Integer number(String name) {
            synchronized (LABELS) {
                Integer known = LABELS.get(name);
                if (known != null) {
                    return known;
                }
                if (LABELS.size() >= MOST_LABELS) {
                    patience.failed("makes more than " + MOST_LABELS + " buckets");
                    return null;
                }
                int next = LABELS.size();
                // First the agent: nobody may use a number that it does not know.
                label(next, name);
                LABELS.put(name, next);
                return next;
            }
        }
    }

    /** How much longer user code is borne with. */
    private static final class Patience {
        /** What a call may take, nanoseconds: one that takes longer makes debts, which quicker ones pay back. */
        private static final long LIMIT = 1_000_000;
        /** Debts that one call makes at most: it may have been interrupted by anything. */
        private static final long MOST = 2 * LIMIT;
        /** Debts that are borne with. */
        private static final long TOO_MUCH = 10 * MOST;

        /** No more calls. */
        volatile boolean exhausted;
        private final String name;
        private volatile long debts;
        private volatile boolean told;

        Patience(String name) {
            this.name = name;
        }

        void failed(String how) {
            if (!told) {
                told = true;
                warn(name + " " + how + ": such calls have the size of their arguments in bytes");
            }
        }

        /** Of threads that count at the same time one may be missed: then it is one more that is borne with. */
        void took(long ns) {
            if (ns <= LIMIT && debts == 0) {
                return;
            }
            long now = Math.max(debts + Math.min(ns - LIMIT, MOST), 0);
            debts = now;
            if (now >= TOO_MUCH && !exhausted) {
                exhausted = true;
                warn(name + " takes more than " + LIMIT / 1_000_000
                        + " ms a call and is asked no more: calls have the size of their arguments in bytes");
            }
        }
    }

    /** Makes a processor. */
    private static final class Loading implements Runnable, Thread.UncaughtExceptionHandler {
        final CountDownLatch ended = new CountDownLatch(1);
        SizeProcessor made;
        ScaleBase base;
        /** Null when it was made. */
        String problem = "it could not be made";
        private final Class<?> owner;
        private final String name;
        private final String jar;

        Loading(Class<?> owner, String name, String jar) {
            this.owner = owner;
            this.name = name;
            this.jar = jar;
        }

        /** Nothing that user code throws leaves this thread: the program might end itself because of it. */
        @Override
        public void run() {
            try {
                problem = load();
            } catch (Throwable e) {
                problem = "it could not be made: " + e.getClass().getName();
            } finally {
                ended.countDown();
            }
        }

        /** What the thread throws all the same, as where there is no memory left, is nothing to the program. */
        @Override
        public void uncaughtException(Thread thread, Throwable e) {}

        /** Makes the processor; else gives the reason why not, which may be user code again. */
        private String load() {
            try {
                // Classes of the boot loader see none of the program's, and the processor should.
                ClassLoader parent = owner.getClassLoader();
                if (parent == null) {
                    parent = ClassLoader.getSystemClassLoader();
                }
                Object object =
                        Class.forName(name, true, loader(parent, jar)).getDeclaredConstructor().newInstance();
                if (object instanceof SizeProcessor) {
                    made = (SizeProcessor) object;
                    base = made.getBase();
                    return null;
                }
                return "it does not implement spl.size.SizeProcessor"
                        + (implementsNamesake(object.getClass()) ? " of the agent, but one of its own class loader" : "");
            } catch (ClassNotFoundException e) {
                return "there is no class " + e.getMessage()
                        + (jar.isEmpty() ? " on the class path of the measured class" : " there or in " + jar);
            } catch (NoSuchMethodException e) {
                return "it has no constructor without parameters";
            } catch (InstantiationException e) {
                return "it is abstract";
            } catch (IllegalAccessException e) {
                return "its constructor, or the class, is not public";
            } catch (InvocationTargetException e) {
                return "its constructor threw " + e.getCause();
            } catch (Throwable e) {
                return e.toString();
            }
        }

        private static boolean implementsNamesake(Class<?> type) {
            for (Class<?> c = type; c != null; c = c.getSuperclass()) {
                for (Class<?> one : c.getInterfaces()) {
                    if (one.getName().equals("spl.size.SizeProcessor")) {
                        return true;
                    }
                }
            }
            return false;
        }
    }

    /** The classes of the processors' JAR, which see those of a measured class. */
    private static final class Loader extends URLClassLoader {
        final ClassLoader parent;
        final String jar;

        Loader(ClassLoader parent, String jar) throws java.io.IOException {
            super(jar.isEmpty() ? new URL[0] : new URL[] {Path.of(jar).toUri().toURL()}, parent);
            this.parent = parent;
            this.jar = jar;
        }
    }
}
