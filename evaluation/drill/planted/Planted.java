import com.sun.net.httpserver.HttpServer;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * A server with ten pairs of methods that do the same, of which one has a known cause of slowness, and a pair without any. The
 * lines of each cause have a mark with the slow method, which {@code accept/lib/planted.py} looks up. Arguments: seconds to run, and
 * a file that gets a line for each 200 ms: seconds since 1970, requests answered since the start, processor seconds of the program.
 */
public final class Planted {
    private static final int[] DATA = new int[60];
    private static final List<Integer> LIST = new ArrayList<>();
    private static final Set<Integer> SET = new HashSet<>();
    private static final Map<Integer, String> CACHE = new ConcurrentHashMap<>();
    private static final Pattern COMMA = Pattern.compile("[,;] *");
    private static final Object LOCK = new Object();
    private static final Shape[] MIXED = new Shape[200];
    private static final Shape[] SAME = new Shape[200];
    private static final AtomicLong ANSWERED = new AtomicLong();
    private static int total;

    static {
        for (int i = 0; i < DATA.length; i++) {
            DATA[i] = i * 31 % 97;
        }
        for (int i = 0; i < 300; i++) {
            LIST.add(i);
            SET.add(i);
        }
        for (int i = 0; i < MIXED.length; i++) {
            Shape[] all = {new Square(i), new Circle(i), new Line(i), new Cross(i)};
            MIXED[i] = all[i % all.length];
            SAME[i] = new Square(i);
        }
    }

    interface Shape {
        int area();
    }

    static final class Square implements Shape {
        private final int side;

        Square(int side) {
            this.side = side;
        }

        public int area() {
            return side * side;
        }
    }

    static final class Circle implements Shape {
        private final int radius;

        Circle(int radius) {
            this.radius = radius;
        }

        public int area() {
            return radius * radius;
        }
    }

    static final class Line implements Shape {
        private final int length;

        Line(int length) {
            this.length = length;
        }

        public int area() {
            return length * length;
        }
    }

    static final class Cross implements Shape {
        private final int size;

        Cross(int size) {
            this.size = size;
        }

        public int area() {
            return size * size;
        }
    }

    static int quadratic() {
        int found = 0;
        for (int one : DATA) {
            for (int other : DATA) { // cause: quadratic
                found += one == other ? 1 : 0; // cause: quadratic
            }
        }
        return found;
    }

    static int linear() {
        int found = 0;
        for (int one : DATA) {
            found += one == found ? 1 : 0;
        }
        return found;
    }

    static int missed() {
        int length = 0;
        for (int key = 1; key <= 20; key++) {
            String text = CACHE.get(-key);
            if (text == null) {
                text = render(key); // cause: missed
            }
            length += text.length();
        }
        return length;
    }

    static int cached() {
        int length = 0;
        for (int key = 1; key <= 20; key++) {
            String text = CACHE.get(key);
            if (text == null) {
                text = render(key);
                CACHE.put(key, text);
            }
            length += text.length();
        }
        return length;
    }

    private static String render(int key) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            text.append((char) ('a' + i * key % 26));
        }
        return text.toString();
    }

    static int mixed() {
        int sum = 0;
        for (Shape shape : MIXED) {
            sum += shape.area(); // cause: mixed
        }
        return sum;
    }

    static int same() {
        int sum = 0;
        for (Shape shape : SAME) {
            sum += shape.area();
        }
        return sum;
    }

    static long boxed() {
        Long sum = 0L;
        for (int i = 0; i < 500; i++) {
            sum += i * 1000L; // cause: boxed
        }
        return sum;
    }

    static long primitive() {
        long sum = 0L;
        for (int i = 0; i < 500; i++) {
            sum += i * 1000L;
        }
        return sum;
    }

    static int concat() {
        String text = "";
        for (int i = 0; i < 200; i++) {
            text += i; // cause: concat
        }
        return text.length();
    }

    static int builder() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            text.append(i);
        }
        return text.toString().length();
    }

    static int thrown() {
        int bad = 0;
        for (int i = 0; i < 5; i++) {
            try {
                bad += Integer.parseInt("7x"); // cause: thrown
            } catch (NumberFormatException error) { // cause: thrown
                bad++;
            }
        }
        return bad;
    }

    static int parsed() {
        int sum = 0;
        for (int i = 0; i < 5; i++) {
            sum += Integer.parseInt("71");
        }
        return sum;
    }

    static int locked() {
        int sum = 0;
        for (int one : DATA) {
            synchronized (LOCK) { // cause: locked
                sum += one;
                total += one;
            }
        }
        return sum;
    }

    static int free() {
        int sum = 0;
        for (int one : DATA) {
            sum += one;
            total += one;
        }
        return sum;
    }

    static int compiledEach() {
        return Pattern.compile("[,;] *").split("a, b; c,d").length; // cause: compiledEach
    }

    static int compiledOnce() {
        return COMMA.split("a, b; c,d").length;
    }

    static int inList() {
        int found = 0;
        for (int i = 0; i < 20; i++) {
            found += LIST.contains(i * 15) ? 1 : 0; // cause: inList
        }
        return found;
    }

    static int inSet() {
        int found = 0;
        for (int i = 0; i < 20; i++) {
            found += SET.contains(i * 15) ? 1 : 0;
        }
        return found;
    }

    static int checked() {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += step(i, true);
        }
        return sum;
    }

    static int unchecked() {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
            sum += step(i, false);
        }
        return sum;
    }

    private static int step(int value, boolean isChecked) {
        return isChecked ? verify(value) : value;
    }

    private static int verify(int value) {
        int hash = value;
        for (int i = 0; i < 50; i++) { // cause: checked
            hash = hash * 31 + i; // cause: checked
        }
        return hash;
    }

    static int left() {
        int sum = 0;
        for (int i = 0; i < 200; i++) {
            sum += DATA[i % DATA.length];
        }
        return sum;
    }

    static int right() {
        int sum = 0;
        for (int i = 0; i < 200; i++) {
            sum += DATA[i % DATA.length];
        }
        return sum;
    }

    private static String answer() {
        long sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += quadratic() + linear() + missed() + cached() + mixed() + same() + boxed() + primitive();
            sum += concat() + builder() + thrown() + parsed() + locked() + free() + compiledEach() + compiledOnce();
            sum += inList() + inSet() + checked() + unchecked() + left() + right();
        }
        return sum + "\n";
    }

    public static void main(String[] arguments) throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        HttpServer server = HttpServer.create(new InetSocketAddress(loopback, 0), 0);
        server.createContext("/", exchange -> {
            byte[] bytes = answer().getBytes("US-ASCII");
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
        URL url = new URL("http", loopback.getHostAddress(), server.getAddress().getPort(), "/");
        long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        if (arguments.length > 1) {
            Thread notes = new Thread(() -> note(Path.of(arguments[1])));
            notes.setDaemon(true);
            notes.start();
        }
        Thread[] clients = {new Thread(() -> ask(url, end)), new Thread(() -> ask(url, end))};
        for (Thread client : clients) {
            client.start();
        }
        for (Thread client : clients) {
            client.join();
        }
        server.stop(0);
        System.exit(0);
    }

    private static void ask(URL url, long end) {
        try {
            while (System.nanoTime() < end) {
                HttpURLConnection connection = (HttpURLConnection) url.openConnection();
                connection.getInputStream().readAllBytes();
                ANSWERED.incrementAndGet();
                Thread.sleep(1);
            }
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }

    private static void note(Path file) {
        try (PrintWriter writer = new PrintWriter(Files.newBufferedWriter(file), true)) {
            while (true) {
                long cpu = ProcessHandle.current().info().totalCpuDuration().map(Duration::toMillis).orElse(0L);
                writer.println(System.currentTimeMillis() / 1e3 + " " + ANSWERED.get() + " " + cpu / 1e3);
                Thread.sleep(200);
            }
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }
}
