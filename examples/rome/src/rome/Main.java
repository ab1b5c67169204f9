package rome;

import com.rometools.rome.feed.synd.SyndFeed;
import com.rometools.rome.io.FeedException;
import com.rometools.rome.io.SyndFeedInput;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * Reads feeds with ROME in a loop, one a cycle, and prints how long each cycle took: the measured program of the thesis's
 * second evaluation (4.2), with a server of its own instead of the Internet.
 */
public final class Main {

    private static final int EXIT_FAILED = 1;
    private static final int EXIT_USAGE = 2;
    private static final double NS_PER_MS = 1e6;

    private Main() {}

    /** Runs the loop; see {@link Options#USAGE}. */
    public static void main(String[] args) throws InterruptedException {
        if (List.of(args).contains("--help")) {
            System.out.println(Options.USAGE);
            return;
        }
        try {
            run(Options.parse(args));
        } catch (IllegalArgumentException wrongOption) {
            System.err.println("rome: " + wrongOption.getMessage() + "\n" + Options.USAGE);
            System.exit(EXIT_USAGE);
        } catch (IOException | FeedException failure) {
            System.err.println("rome: " + failure);
            System.exit(EXIT_FAILED);
        }
    }

    private static void run(Options options) throws IOException, FeedException, InterruptedException {
        List<FeedDocument> feeds = FeedDocument.all();
        long entries = 0;
        long done = 0;
        try (FeedServer server = FeedServer.start(feeds, options.networkMs())) {
            for (long cycle = 1; options.wantsCycle(cycle); cycle++) {
                FeedDocument feed = feeds.get((int) ((cycle - 1) % feeds.size()));
                long start = System.nanoTime();
                SyndFeed read = read(server.urlOf(feed));
                double tookMs = (System.nanoTime() - start) / NS_PER_MS;
                String time = options.quietTimes() ? "" : String.format(Locale.ROOT, ", %.3f ms", tookMs);
                System.out.println(
                        "cycle " + cycle + ": " + feed.name() + " as " + read.getFeedType() + ", "
                                + read.getEntries().size() + " entries" + time);
                entries += read.getEntries().size();
                done = cycle;
                if (options.pauseMs() > 0) {
                    Thread.sleep(options.pauseMs());
                }
            }
        }
        System.out.println(done + " feeds, " + entries + " entries");
    }

    /** Downloads and parses at once: the parser pulls from the connection, as with a feed on the web. */
    private static SyndFeed read(URL address) throws IOException, FeedException {
        // No proxy: the address is this machine's own, so proxy settings of the environment do not apply.
        HttpURLConnection connection = (HttpURLConnection) address.openConnection(Proxy.NO_PROXY);
        try (Reader reader = new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8)) {
            return new SyndFeedInput().build(reader);
        }
    }
}
