package rome;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A small HTTP/1.1 server for the feeds, on a free port of the loopback address. It answers GET and keeps connections
 * open, because a new connection for each feed would use up the machine's ports in a long run.
 */
final class FeedServer implements AutoCloseable {

    private static final int BACKLOG = 16;

    private final ServerSocket listener;
    private final Map<String, FeedDocument> feeds;
    private final int networkMs;

    private FeedServer(ServerSocket listener, List<FeedDocument> feeds, int networkMs) {
        this.listener = listener;
        this.networkMs = networkMs;
        this.feeds = feeds.stream().collect(Collectors.toMap(FeedDocument::name, Function.identity()));
    }

    /**
     * Listens and answers from daemon threads until it is closed. A feed's body follows its head after {@code networkMs}
     * milliseconds, so that who reads it waits for it as for a far server.
     */
    static FeedServer start(List<FeedDocument> feeds, int networkMs) throws IOException {
        // Port 0: the system picks a free one.
        ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        FeedServer server = new FeedServer(listener, feeds, networkMs);
        daemon("feed-server", server::acceptAll);
        return server;
    }

    /** The address of a feed. */
    URL urlOf(FeedDocument feed) throws IOException {
        String host = listener.getInetAddress().getHostAddress();
        return URI.create("http://" + host + ":" + listener.getLocalPort() + "/" + feed.name()).toURL();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void acceptAll() {
        while (!listener.isClosed()) {
            try {
                Socket connection = listener.accept();
                daemon("feed-connection", () -> serve(connection));
            } catch (IOException failure) {
                if (!listener.isClosed()) {
                    System.err.println("rome: the feed server cannot accept a connection: " + failure.getMessage());
                    return;
                }
            }
        }
    }

    private void serve(Socket connection) {
        try (Socket socket = connection) {
            socket.setTcpNoDelay(true);
            BufferedReader requests =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            String request = requests.readLine();
            while (request != null) {
                skipHeaders(requests);
                answer(request, socket.getOutputStream());
                request = requests.readLine();
            }
        } catch (IOException gone) {
            // The reader hung up, which ends this connection; a reader that still wants the feed sees the failure itself.
        }
    }

    private static void skipHeaders(BufferedReader requests) throws IOException {
        String line = requests.readLine();
        while (line != null && !line.isEmpty()) {
            line = requests.readLine();
        }
    }

    private void answer(String request, OutputStream out) throws IOException {
        String[] parts = request.split(" ");
        boolean get = parts.length == 3 && parts[0].equals("GET") && parts[1].startsWith("/");
        FeedDocument feed = get ? feeds.get(parts[1].substring(1)) : null;
        if (feed == null) {
            send(out, get ? "404 Not Found" : "400 Bad Request", "text/plain", new byte[0]);
        } else {
            send(out, "200 OK", feed.mediaType() + "; charset=UTF-8", feed.bytes());
        }
    }

    private void send(OutputStream out, String status, String type, byte[] body) throws IOException {
        String head = "HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length + "\r\n\r\n";
        out.write(head.getBytes(StandardCharsets.US_ASCII));
        if (networkMs > 0) {
            // parkNanos may return early; the wait is what is simulated, so the clock decides when it is over.
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(networkMs);
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
        }
        out.write(body);
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
