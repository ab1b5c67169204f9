import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.URL;

/** Starts the web service of evaluation/service in this JVM, sends it some requests one after the other, and ends. Arguments: its folder, the requests. */
public final class Asked {

    private Asked() {}

    public static void main(String[] args) throws IOException {
        PrintStream own = System.out;
        PipedInputStream said = new PipedInputStream();
        System.setOut(new PrintStream(new PipedOutputStream(said), true));
        Thread server = new Thread(() -> {
            try {
                service.Main.main(new String[] {args[0]});
            } catch (Exception e) {
                e.printStackTrace();
                System.exit(1);
            }
        });
        server.setDaemon(true);
        server.start();
        String line = new BufferedReader(new InputStreamReader(said)).readLine();
        int requests = Integer.parseInt(args[1]);
        long bytes = 0;
        for (int i = 0; i < requests; i++) {
            String order = i % 2 == 0 ? "name" : "price";
            URL url = new URL("http://127.0.0.1:" + line.substring("port ".length()) + "/catalogue?from=" + i + "&count=100&order=" + order);
            bytes += ((HttpURLConnection) url.openConnection()).getInputStream().readAllBytes().length;
        }
        own.println(requests + " requests, " + bytes + " bytes");
        System.exit(0);
    }
}
