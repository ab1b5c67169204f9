package java.lang;

import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import spl.size.Computable;
import spl.size.MethodSize;
import spl.size.ScaleBase;
import spl.size.SizeAggregator;
import spl.size.SizeProcessor;

/**
 * Workload sizes that user code computes (thesis 3.2.6). User code must not harm the program it runs in.
 *
 * <p>Runs under the guard of {@link SplProbe}. After any error of user code the call gets its default size,
 * and the operator gets one warning.
 */
final class SplProcessors {
    /** Bit of a size that is the number of a label. */
    static final long LABEL = 1L << 61;
    /** No size: the default applies. */
    static final long NONE = -1;
    private static final int LONGEST_LABEL = 200;
    /** Time limit for loading a processor's class and constructing the processor. */
    private static final long LOADING_MS = 5000;

    /** Installed processors by method and class; a few. */
    private static volatile Known[] known = new Known[0];
    /** Ties each processor to the life of its class, without keeping the class alive. */
    private static final Kept KEPT = new Kept();
    /** One loader for each class loader of measured classes, so that processors share their static fields. */
    private static final ArrayList<WeakReference<Loader>> LOADERS = new ArrayList<>();
    private static final ConcurrentHashMap<String, Integer> LABELS = new ConcurrentHashMap<>();
    /** Time allowance of {@link Computable} objects, by class name. */
    private static final ConcurrentHashMap<String, Patience> COMPUTABLES = new ConcurrentHashMap<>();
    /** Time allowance of the program's own collections and numbers, by class name. */
    private static final ConcurrentHashMap<String, Patience> COUNTED = new ConcurrentHashMap<>();
    /** Part of a warning: the fallback when no size was computed. */
    private static final String BYTES = "such calls have the size of their arguments in bytes";

    private SplProcessors() {}

    /**
     * The number that the agent gives a new label, or -1 when there are too many. The JVM finds this method
     * in the agent's library by name.
     */
    private static native int label(String text);

    /** Shows the operator a warning. */
    private static native void warn(String text);

    /** Drops all processors, so that no class is kept alive while nothing is measured. */
    static synchronized void forget() {
        for (Known one : known) {
            Class<?> owner = one.owner.get();
            if (owner != null) {
                KEPT.remove(owner);
            }
        }
        known = new Known[0];
        LOADERS.clear();
        COMPUTABLES.clear();
        COUNTED.clear();
    }

    /**
     * Prepares a processor for the calls of a method in one class. Loading runs user code, which may do
     * anything. So it runs in a thread of its own, and the wait for it is bounded.
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
        add(owner, new Installed(id, widths, made, loading.base, new Patience("size processor " + processor, BYTES)));
        return problem;
    }

    private static synchronized void add(Class<?> owner, Installed one) {
        Known[] more = new Known[known.length + 1];
        int kept = 0;
        for (Known other : known) {
            Class<?> its = other.owner.get();
            if (its != null && (its != owner || other.id != one.id)) {
                more[kept++] = other;
            }
        }
        KEPT.get(owner).put(one.id, one);
        more[kept++] = new Known(owner, one);
        known = java.util.Arrays.copyOf(more, kept);
    }

    private static synchronized Loader loader(ClassLoader parent, String jar) throws java.io.IOException {
        for (int i = LOADERS.size() - 1; i >= 0; i--) {
            Loader one = LOADERS.get(i).get();
            if (one == null) {
                LOADERS.remove(i);
            } else if (one.parent == parent && one.jar.equals(jar)) {
                return one;
            }
        }
        Loader made = new Loader(parent, jar);
        LOADERS.add(new WeakReference<>(made));
        return made;
    }

    /** The size of a call: the marked number of the processor's label, else the default size. */
    static long size(int id, Class<?> owner, Object self, Object[] arguments) {
        for (Known one : known) {
            Installed serves = one.id == id && (owner == null || one.owner.get() == owner) ? one.serves.get() : null;
            if (serves != null) {
                boolean asked = serves.processor != null && !serves.patience.exhausted;
                long own = asked ? serves.size(self, arguments) : NONE;
                return own != NONE ? own : SplSizes.all(arguments, serves.widths);
            }
        }
        return SplSizes.TRUNCATED;
    }

    /** The size that an object computes for itself; {@link #NONE} if it computes none that can be used. */
    static long computed(Computable object) {
        Patience patience = Patience.with(COMPUTABLES, "computeSize of ", BYTES, object);
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
            if (SplRecorder.isStop(e)) {
                throw e;
            }
            patience.failed("threw " + e.getClass().getName());
        } finally {
            patience.took(System.nanoTime() - before);
        }
        return NONE;
    }

    /**
     * Warns that the length of an object cannot be read without code that could harm the program. Such an
     * argument counts as 0.
     */
    static long uncounted(Object object) {
        Patience.with(COUNTED, "length of ", "such arguments count as nothing; a size processor can find it", object)
                .failed("is not known without running its code, which may wait for a lock");
        return 0;
    }

    /** The installed processors of a class, by method. */
    private static final class Kept extends ClassValue<HashMap<Integer, Installed>> {
        @Override
        protected HashMap<Integer, Installed> computeValue(Class<?> owner) {
            return new HashMap<>();
        }
    }

    /** Refers to the processor for a method of a class, without keeping the class alive. */
    private static final class Known {
        final int id;
        final WeakReference<Class<?>> owner;
        final WeakReference<Installed> serves;

        Known(Class<?> owner, Installed serves) {
            id = serves.id;
            this.owner = new WeakReference<>(owner);
            this.serves = new WeakReference<>(serves);
        }
    }

    /** A processor for one method of one class. */
    private static final class Installed {
        final int id;
        final String widths;
        /** Null when its construction failed. */
        final SizeProcessor processor;
        final Patience patience;
        private final ScaleBase base;

        Installed(int id, String widths, SizeProcessor processor, ScaleBase base, Patience patience) {
            this.id = id;
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
                // Buckets themselves are not kept: there may be one a call, and each may hold on to its
                // arguments.
                Integer known = intern(bucket.toString());
                return known == null ? NONE : LABEL | known;
            } catch (Throwable e) {
                if (SplRecorder.isStop(e)) {
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

        /** After an exception in here a label may get a second number, but a number never has two labels. */
        private Integer number(String name) {
            synchronized (LABELS) {
                Integer known = LABELS.get(name);
                if (known != null) {
                    return known;
                }
                int next = label(name);
                if (next < 0) {
                    patience.failed("makes more buckets than can be told apart");
                    return null;
                }
                LABELS.put(name, next);
                return next;
            }
        }
    }

    /** Time allowance of user code. */
    private static final class Patience {
        /**
         * Time limit of a call in nanoseconds. A longer call adds its excess to the debt; shorter calls pay
         * it back.
         */
        private static final long LIMIT = 1_000_000;
        /** Most debt that one call adds, because any pause may have interrupted it. */
        private static final long MOST = 2 * LIMIT;
        /** Debt at which the user code is disabled. */
        private static final long TOO_MUCH = 10 * MOST;

        /** Most classes with an allowance of their own. All further classes share one. */
        private static final int MOST_NAMES = 1000;
        private static final String OTHERS = "other classes";

        /** True once the user code is disabled. */
        volatile boolean exhausted;
        private final String name;
        /** The fallback after a failed call, as text for the warning. */
        private final String otherwise;
        private volatile long debts;
        private volatile boolean told;

        Patience(String name, String otherwise) {
            this.name = name;
            this.otherwise = otherwise;
        }

        /** The allowance for the class of {@code object}. */
        static Patience with(ConcurrentHashMap<String, Patience> all, String what, String otherwise, Object object) {
            String type = object.getClass().getName();
            Patience known = all.get(type);
            if (known != null) {
                return known;
            }
            String kept = all.size() < MOST_NAMES ? type : OTHERS;
            Patience made = new Patience(what + kept, otherwise);
            known = all.putIfAbsent(kept, made);
            return known == null ? made : known;
        }

        void failed(String how) {
            if (!told) {
                told = true;
                warn(name + " " + how + ": " + otherwise);
            }
        }

        /** Concurrent updates may lose a call's debt; this only delays the limit. */
        void took(long ns) {
            if (ns <= LIMIT && debts == 0) {
                return;
            }
            long now = Math.max(debts + Math.min(ns - LIMIT, MOST), 0);
            debts = now;
            if (now >= TOO_MUCH && !exhausted) {
                exhausted = true;
                warn(name + " takes more than " + LIMIT / 1_000_000 + " ms a call and is not called any more: " + otherwise);
            }
        }
    }

    /** Constructs a processor. */
    private static final class Loading implements Runnable, Thread.UncaughtExceptionHandler {
        final CountDownLatch ended = new CountDownLatch(1);
        SizeProcessor made;
        ScaleBase base;
        /** Null on success. */
        String problem = "it could not be made";
        private final Class<?> owner;
        private final String name;
        private final String jar;

        Loading(Class<?> owner, String name, String jar) {
            this.owner = owner;
            this.name = name;
            this.jar = jar;
        }

        /** Catches everything that user code throws: an uncaught exception could end the program. */
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

        /** Ignores what still escapes, for example without memory: the program must not see it. */
        @Override
        public void uncaughtException(Thread thread, Throwable e) {}

        /**
         * Constructs the processor and gives null, or the reason for a failure. User code may have written
         * the reason.
         */
        private String load() {
            try {
                // Classes of the boot loader cannot see the program's classes, and the processor should.
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

    /** Loads the classes of the processors' JAR; they see the classes visible to a measured class. */
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
