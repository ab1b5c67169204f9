package service;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Answers {@code /catalogue?from=N&count=N&order=price|name} with a sorted list of goods as JSON, and its hash. */
public final class CatalogueServlet extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final int MOST = 1000;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Query query = Query.of(request);
        byte[] body = Json.of(sorted(goods(query), query)).getBytes(StandardCharsets.UTF_8);
        response.setContentType("application/json");
        response.setHeader("ETag", '"' + hash(body) + '"');
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    /** Always the same goods for the same query. */
    private static List<Item> goods(Query query) {
        List<Item> goods = new ArrayList<>(query.count());
        long state = query.from();
        for (int i = 0; i < query.count(); i++) {
            // Knuth's linear congruential generator for 64 bits.
            state = state * 6364136223846793005L + 1442695040888963407L;
            int number = (int) (state >>> 40);
            goods.add(new Item("item-" + number, number % 10_000));
        }
        return goods;
    }

    private static List<Item> sorted(List<Item> goods, Query query) {
        Comparator<Item> byName = Comparator.comparing(Item::name);
        goods.sort(query.byName() ? byName : Comparator.comparingInt(Item::cents).thenComparing(byName));
        return goods;
    }

    private static String hash(byte[] body) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(body);
            StringBuilder text = new StringBuilder(2 * digest.length);
            for (byte one : digest) {
                text.append(Character.forDigit(one >> 4 & 15, 16)).append(Character.forDigit(one & 15, 16));
            }
            return text.toString();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    /** The requested entry. */
    private static final class Query {
        private final long from;
        private final int count;
        private final boolean byName;

        private Query(long from, int count, boolean byName) {
            this.from = from;
            this.count = count;
            this.byName = byName;
        }

        static Query of(HttpServletRequest request) {
            int count = Integer.parseInt(request.getParameter("count"));
            boolean byName = "name".equals(request.getParameter("order").toLowerCase(Locale.ROOT));
            return new Query(Long.parseLong(request.getParameter("from")), Math.min(count, MOST), byName);
        }

        long from() {
            return from;
        }

        int count() {
            return count;
        }

        boolean byName() {
            return byName;
        }
    }
}
