package bench;

import java.util.Random;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Lucene: documents of made-up words are indexed in memory and searched. */
final class Lucene implements Workload {
    private static final int DOCUMENTS = 300;
    private static final int QUERIES = 600;
    private final String[] texts = new String[DOCUMENTS];

    Lucene() {
        Random random = new Random(42);
        for (int at = 0; at < DOCUMENTS; at++) {
            StringBuilder text = new StringBuilder();
            for (int words = 0; words < 120; words++) {
                // Rare words and frequent ones.
                text.append(word((int) (1200 * random.nextDouble() * random.nextDouble()))).append(words % 11 == 0 ? ". " : " ");
            }
            texts[at] = text.toString();
        }
    }

    private static String word(int number) {
        return "w" + Integer.toString(number * 7919, 26);
    }

    @Override
    public long turn() throws Exception {
        try (ByteBuffersDirectory directory = new ByteBuffersDirectory()) {
            IndexWriterConfig config = new IndexWriterConfig(new StandardAnalyzer());
            config.setMergeScheduler(new org.apache.lucene.index.SerialMergeScheduler());
            try (IndexWriter writer = new IndexWriter(directory, config)) {
                for (int at = 0; at < DOCUMENTS; at++) {
                    Document document = new Document();
                    document.add(new StringField("id", "d" + at, Field.Store.YES));
                    document.add(new TextField("text", texts[at], Field.Store.YES));
                    document.add(new NumericDocValuesField("rank", at * 31 % 101));
                    writer.addDocument(document);
                }
            }
            try (DirectoryReader reader = DirectoryReader.open(directory)) {
                return search(new IndexSearcher(reader));
            }
        }
    }

    private static long search(IndexSearcher searcher) throws Exception {
        long value = 0;
        for (int at = 0; at < QUERIES; at++) {
            TopDocs found = searcher.search(query(at), 10);
            value = 31 * value + found.totalHits.value;
            if (found.scoreDocs.length > 0) {
                value = 31 * value + searcher.storedFields().document(found.scoreDocs[0].doc).get("id").hashCode();
            }
        }
        return value;
    }

    private static Query query(int at) {
        Term first = new Term("text", word(at * 13 % 1200));
        Term second = new Term("text", word(at % 40));
        switch (at % 4) {
            case 0:
                return new TermQuery(second);
            case 1:
                return new BooleanQuery.Builder().add(new TermQuery(first), Occur.SHOULD).add(new TermQuery(second), Occur.MUST).build();
            case 2:
                return new PhraseQuery(1, "text", second.text(), word(at % 17));
            default:
                return new PrefixQuery(new Term("text", second.text().substring(0, 2)));
        }
    }
}
