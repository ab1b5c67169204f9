import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import spl.size.Computable;
import spl.size.MethodSize;
import spl.size.ScaleBase;
import spl.size.SizeProcessor;

/**
 * Arguments whose sizes are computed by user code that is disturbed meanwhile: its thread is stopped, or it
 * throws what a stopped thread throws; and classes of short-lived loaders. Prints the result of each line of
 * its input.
 *
 * <p>"crowd N WHERE" lets N threads call {@code any} before another thread, which makes these calls after
 * they have ended: "in" such a call, or in its "size".
 *
 * <p>"computable HOW" and "processed HOW" call the method of that name in a thread of its own with a {@link
 * Task} of that kind. "holder" calls {@code any} with an object whose field types are not loaded. "churn N"
 * calls {@code Rough$Brief.quick} in N class loaders, and "alive" prints how many of those still exist.
 */
public final class Rough {
    private static final String SPIN = "spin";
    /** One call a millisecond: the memory of ended threads is free again long before the last call. */
    private static final int CALLS_ALONE = 200;
    private static final List<WeakReference<Watcher>> LOADERS = new ArrayList<>();
    private static volatile boolean spinning;

    private Rough() {}

    public static void main(String[] args) throws Exception {
        SynchronousQueue<String[]> orders = new SynchronousQueue<>();
        SynchronousQueue<String> answers = new SynchronousQueue<>();
        Thread victim = new Thread(() -> live(orders, answers), "victim");
        victim.setDaemon(true);
        victim.start();
        Watcher watcher = new Watcher();
        Object holder = watcher.loadClass("Rough$Holder").getConstructor().newInstance();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "holder":
                    watcher.asked.clear();
                    any(holder);
                    System.out.println("asked for " + watcher.asked);
                    break;
                case "churn":
                    churn(Integer.parseInt(words[1]));
                    System.out.println("done");
                    break;
                case "crowd":
                    crowd(Integer.parseInt(words[1]), words[2].equals("size"));
                    System.out.println("done");
                    break;
                case "alive":
                    System.gc();
                    LOADERS.removeIf(loader -> loader.get() == null);
                    System.out.println(LOADERS.size());
                    break;
                default:
                    orders.put(words);
                    if (words[1].equals(SPIN)) {
                        stop(victim);
                    }
                    System.out.println(answers.take());
            }
        }
    }

    private static void live(SynchronousQueue<String[]> orders, SynchronousQueue<String> answers) {
        try {
            while (true) {
                String[] order = orders.take();
                String answer;
                try {
                    Task task = new Task(order[1]);
                    answer = "" + (order[0].equals("computable") ? computable(task) : processed(task));
                } catch (ThreadDeath stopped) {
                    // A stopped thread is also interrupted.
                    Thread.interrupted();
                    answer = "stopped";
                }
                answers.put(answer);
            }
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    /** From JDK 20 on only a debugger can stop a thread; the output tells it when. */
    @SuppressWarnings({"deprecation", "removal"})
    private static void stop(Thread victim) {
        while (!spinning) {
            Thread.onSpinWait();
        }
        spinning = false;
        try {
            victim.stop();
        } catch (UnsupportedOperationException never) {
            System.out.println("spinning");
        }
    }

    static int computable(Task task) {
        return 7;
    }

    static int processed(Task task) {
        return 7;
    }

    static int any(Object object) {
        if (object instanceof Runnable) {
            ((Runnable) object).run();
        }
        return 7;
    }

    private static void crowd(int count, boolean inSize) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(count);
        CountDownLatch leave = new CountDownLatch(1);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread one = new Thread(null, () -> {
                any(null);
                begun.countDown();
                join(leave::await);
            }, "one of many", 1 << 16);
            all.add(one);
            one.start();
        }
        begun.await();
        Runnable alone = () -> {
            leave.countDown();
            all.forEach(one -> join(one::join));
            for (int i = 0; i < CALLS_ALONE; i++) {
                any(null);
                join(() -> Thread.sleep(1));
            }
        };
        Thread last = new Thread(() -> {
            if (inSize) {
                computable(new Task(alone));
            } else {
                any(alone);
            }
        });
        last.start();
        last.join();
    }

    /** A wait that could be interrupted, but is not. */
    private interface Wait {
        void end() throws InterruptedException;
    }

    private static void join(Wait wait) {
        try {
            wait.end();
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }

    private static void churn(int count) throws ReflectiveOperationException {
        for (int i = 0; i < count; i++) {
            Watcher loader = new Watcher();
            LOADERS.add(new WeakReference<>(loader));
            loader.loadClass("Rough$Brief").getMethod("quick", Object.class).invoke(null, "argument");
        }
    }

    /** A class that many loaders define. */
    public static final class Brief {
        public static int quick(Object argument) {
            return 7;
        }
    }

    /** An argument, and an action at the moment when its size is computed. */
    static final class Task implements Computable {
        private final String how;
        private final Runnable meanwhile;

        Task(String how) {
            this.how = how;
            meanwhile = null;
        }

        Task(Runnable meanwhile) {
            how = "";
            this.meanwhile = meanwhile;
        }

        @Override
        public long computeSize() {
            if (meanwhile != null) {
                meanwhile.run();
            }
            if (how.equals("death")) {
                throw new ThreadDeath();
            }
            if (how.equals(SPIN)) {
                spinning = true;
                while (true) {
                    Thread.onSpinWait();
                }
            }
            return 10;
        }
    }

    /** The size of a {@link Task}, or the name of any other argument. */
    public static final class Asking implements SizeProcessor {
        @Override
        public MethodSize computeSize(Object self, Object[] arguments) {
            Object argument = arguments[0];
            String name = argument instanceof Task ? "bucket " + ((Task) argument).computeSize() : argument.toString();
            return base -> new Bucket(name);
        }

        @Override
        public ScaleBase getBase() {
            return null;
        }
    }

    static final class Bucket implements spl.size.SizeAggregator {
        private final String name;

        Bucket(String name) {
            this.name = name;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** A class whose fields have types that reflection would have to load. */
    public static final class Holder {
        Unneeded unneeded;
        Unneeded[] more;
        String text = "text";
    }

    static final class Unneeded {}

    /** Defines classes of these names itself, and records the names it was asked for. */
    static final class Watcher extends ClassLoader {
        final Set<String> asked = new TreeSet<>();

        Watcher() {
            super(Rough.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            asked.add(name);
            if (!name.equals("Rough$Holder") && !name.equals("Rough$Brief")) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            try (InputStream in = getResourceAsStream(name + ".class")) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                in.transferTo(out);
                return defineClass(name, out.toByteArray(), 0, out.size());
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
