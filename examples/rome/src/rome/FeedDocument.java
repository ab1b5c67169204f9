package rome;

import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/**
 * One feed as a server would send it: name, media type and bytes. The text is invented, and the same on every run.
 */
final class FeedDocument {

    /** Entries of a small, a middling and a large feed: what public feeds commonly hold lies between. */
    private static final int SMALL = 5;
    private static final int MEDIUM = 20;
    private static final int LARGE = 80;

    private static final OffsetDateTime FIRST_ENTRY = OffsetDateTime.of(2026, 1, 5, 8, 0, 0, 0, ZoneOffset.UTC);
    private static final DateTimeFormatter RFC_822 =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT);
    private static final DateTimeFormatter RFC_3339 = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss'Z'", Locale.ROOT);
    private static final String SITE = "http://feeds.invalid/";

    private final String name;
    private final String mediaType;
    private final byte[] bytes;

    private FeedDocument(String name, String mediaType, String text) {
        this.name = name;
        this.mediaType = mediaType;
        this.bytes = text.getBytes(StandardCharsets.UTF_8);
    }

    /** The feeds that the example reads in turn: three sizes in each format. */
    static List<FeedDocument> all() {
        return List.of(
                rss("rss-small", SMALL),
                atom("atom-small", SMALL),
                rss("rss-medium", MEDIUM),
                atom("atom-medium", MEDIUM),
                rss("rss-large", LARGE),
                atom("atom-large", LARGE));
    }

    String name() {
        return name;
    }

    String mediaType() {
        return mediaType;
    }

    byte[] bytes() {
        return bytes;
    }

    private static FeedDocument rss(String name, int entries) {
        StringBuilder out = new StringBuilder();
        out.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
                .append("<rss version=\"2.0\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n<channel>\n");
        element(out, "title", "Notes on measuring, " + name);
        element(out, "link", SITE + name);
        element(out, "description", "Short notes about clocks, samples and loops.");
        element(out, "language", "en");
        for (int i = 0; i < entries; i++) {
            out.append("<item>\n");
            element(out, "title", NoteText.title(i));
            element(out, "link", SITE + name + "/" + i);
            element(out, "description", "<p>" + NoteText.body(i) + "</p>");
            out.append("<guid isPermaLink=\"false\">").append(name).append('-').append(i).append("</guid>\n");
            out.append("<category domain=\"").append(SITE).append("topics\">").append(NoteText.topic(i));
            out.append("</category>\n");
            out.append("<enclosure url=\"").append(SITE).append(name).append('/').append(i);
            out.append(".csv\" length=\"").append(1024 + 16 * i).append("\" type=\"text/csv\"/>\n");
            element(out, "dc:creator", "station " + (i % 7 + 1));
            element(out, "pubDate", RFC_822.format(FIRST_ENTRY.plusHours(i)));
            out.append("</item>\n");
        }
        out.append("</channel>\n</rss>\n");
        return new FeedDocument(name, "application/rss+xml", out.toString());
    }

    private static FeedDocument atom(String name, int entries) {
        StringBuilder out = new StringBuilder();
        out.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
                .append("<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:lang=\"en\">\n");
        element(out, "title", "Notes on measuring, " + name);
        element(out, "id", "urn:notes:" + name);
        element(out, "updated", RFC_3339.format(FIRST_ENTRY.plusHours(entries)));
        out.append("<link rel=\"self\" type=\"application/atom+xml\" href=\"").append(SITE).append(name).append("\"/>\n");
        for (int i = 0; i < entries; i++) {
            out.append("<entry>\n");
            element(out, "title", NoteText.title(i));
            element(out, "id", "urn:notes:" + name + ":" + i);
            out.append("<link rel=\"alternate\" type=\"text/html\" href=\"").append(SITE).append(name).append('/');
            out.append(i).append("\"/>\n");
            out.append("<category term=\"").append(NoteText.topic(i)).append("\" scheme=\"").append(SITE);
            out.append("topics\" label=\"").append(NoteText.topic(i)).append("\"/>\n");
            out.append("<author>");
            element(out, "name", "station " + (i % 7 + 1));
            out.append("</author>\n");
            element(out, "published", RFC_3339.format(FIRST_ENTRY.plusHours(i)));
            element(out, "updated", RFC_3339.format(FIRST_ENTRY.plusHours(i)));
            out.append("<summary type=\"text\">").append(escape(NoteText.title(i))).append("</summary>\n");
            out.append("<content type=\"html\">").append(escape("<p>" + NoteText.body(i) + "</p>")).append("</content>\n");
            out.append("</entry>\n");
        }
        out.append("</feed>\n");
        return new FeedDocument(name, "application/atom+xml", out.toString());
    }

    private static void element(StringBuilder out, String tag, String text) {
        out.append('<').append(tag).append('>').append(escape(text)).append("</").append(tag).append(">\n");
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
