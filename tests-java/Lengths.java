import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls {@code take} with collections, texts and numbers while another thread holds the monitor of each. A
 * measurement that called their own methods for the length would wait without end. Prints which it uses, then
 * calls with all of them at each line of its input; "least" calls {@code Math.min(JJ)} three times, "deep"
 * calls with a text near the end of the stack, and once more.
 */
public final class Lengths {
    private static Object taken;
    private static long sum;
    private static int left;

    private Lengths() {}

    public static void main(String[] args) throws Exception {
        Map<String, Object> all = all();
        CountDownLatch held = new CountDownLatch(1);
        Thread holder = new Thread(() -> hold(all.values().iterator(), held), "holder");
        holder.setDaemon(true);
        holder.start();
        held.await();
        System.out.println(String.join(" ", all.keySet()));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("deep")) {
                dive();
                take("hello");
            } else if (line.equals("least")) {
                for (long n = 5; n < 8; n++) {
                    sum += Math.min(n, 2);
                }
            } else {
                all.values().forEach(Lengths::take);
            }
            System.out.println("done");
        }
        System.out.println(taken == null ? sum : "ended");
    }

    /** Calls near the end of the stack, from the deepest frame on, and then stops. */
    private static void dive() {
        try {
            dive();
        } catch (StackOverflowError expected) {
            left = 300;
        }
        if (left > 0) {
            left--;
            try {
                take("hello");
            } catch (StackOverflowError expected) {
                left = 300;
            }
        }
    }

    static void take(Object argument) {
        taken = argument;
    }

    private static void hold(java.util.Iterator<Object> rest, CountDownLatch held) {
        if (!rest.hasNext()) {
            held.countDown();
            while (true) {
                try {
                    Thread.sleep(Long.MAX_VALUE);
                } catch (InterruptedException e) {
                    continue;
                }
            }
        }
        synchronized (rest.next()) {
            hold(rest, held);
        }
    }

    /** Arguments by expected length; a question mark means an unknown length. */
    private static Map<String, Object> all() {
        List<Integer> three = new ArrayList<>(List.of(1, 2, 3));
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("3", three);
        all.put("4", new Vector<>(Arrays.asList(1, 2, 3, 4)));
        all.put("5", new StringBuffer("12345"));
        all.put("6", Collections.synchronizedList(new ArrayList<>(Collections.nCopies(6, 0))));
        all.put("7", Collections.unmodifiableList(Collections.synchronizedList(new ArrayList<>(Collections.nCopies(7, 0)))));
        all.put("8", new TreeSet<>(Arrays.asList(1, 2, 3, 4, 5, 6, 7, 8)));
        all.put("1", Collections.synchronizedMap(new TreeMap<>(Map.of("a", 1))));
        all.put("2", List.of(1, 2));
        all.put("9", new java.util.Hashtable<>(Map.of(1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9)));
        all.put("10", new AtomicInteger(10));
        java.util.Properties defined = new java.util.Properties() { };
        defined.setProperty("a", "b");
        all.put("01", defined);
        all.put("?queue", new ConcurrentLinkedQueue<>(three));
        all.put("?weak", new WeakHashMap<>(Map.of("a", 1)));
        all.put("?part", new TreeMap<>(Map.of(1, 1, 2, 2)).headMap(2));
        all.put("?own", new AbstractList<Integer>() {
            @Override
            public Integer get(int index) {
                return index;
            }

            @Override
            public synchronized int size() {
                return 11;
            }
        });
        return all;
    }
}
