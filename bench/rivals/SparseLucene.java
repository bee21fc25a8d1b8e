import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopScoreDocCollectorManager;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.MMapDirectory;

/**
 * Lucene on the tokens of sparse_ours: writes lucene.tsv, prints one JSON line per number of threads and way to search:
 * skipping what cannot reach the first results, and scoring every match, which is faster for long queries.
 */
public final class SparseLucene {
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    int depth = Integer.parseInt(args[1]);
    int rounds = Integer.parseInt(args[2]);
    Path where = folder.resolve("lucene");
    FieldType type = new FieldType();
    type.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    type.setTokenized(true);
    type.freeze();
    long start = System.nanoTime();
    MMapDirectory directory = new MMapDirectory(where);
    IndexWriterConfig config = new IndexWriterConfig(new WhitespaceAnalyzer());
    config.setSimilarity(new BM25Similarity(1.5f, 0.75f));
    config.setOpenMode(IndexWriterConfig.OpenMode.CREATE);
    config.setRAMBufferSizeMB(512);
    try (IndexWriter writer = new IndexWriter(directory, config);
        var lines = Files.lines(folder.resolve("docs.txt"))) {
      for (var line = lines.iterator(); line.hasNext(); ) {
        Document document = new Document();
        document.add(new Field("text", line.next(), type));
        writer.addDocument(document);
      }
      writer.forceMerge(1);  // one segment: rows keep their numbers and nothing is merged while measuring
    }
    double built = (System.nanoTime() - start) / 1e9;
    List<String> queries = Files.readAllLines(folder.resolve("queries.txt"));
    IndexSearcher.setMaxClauseCount(1 << 20);
    IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(directory));
    searcher.setSimilarity(new BM25Similarity(1.5f, 0.75f));
    searcher.setQueryCache(null);
    for (int run = 0; run < 2 * (args.length - 3); ++run) {
      int threads = Integer.parseInt(args[3 + run / 2]);
      boolean skips = run % 2 == 0;
      ScoreDoc[][] found = new ScoreDoc[queries.size()][];
      double best = Double.MAX_VALUE;
      for (int round = 0; round < rounds + 2; ++round) {  // the first rounds compile
        long begin = System.nanoTime();
        answer(searcher, queries, depth, skips, threads, found);
        best = Math.min(best, (System.nanoTime() - begin) / 1e9);
      }
      System.out.printf(
          Locale.ROOT,
          "{\"system\": \"Lucene%s\", \"version\": \"%s\", \"threads\": %d, \"queries\": %d, \"queries_per_second\": %.3f,"
              + " \"build_seconds\": %.2f}%n",
          skips ? "" : ", every match", org.apache.lucene.util.Version.LATEST, threads, queries.size(), queries.size() / best, built);
      StringBuilder out = new StringBuilder();
      for (int query = 0; query < found.length; ++query) {
        for (ScoreDoc item : found[query]) {
          out.append(query).append('\t').append(item.doc).append('\t').append(item.score).append('\n');
        }
      }
      Files.writeString(folder.resolve("lucene.tsv"), out);
    }
  }

  private static void answer(
      IndexSearcher searcher, List<String> queries, int depth, boolean skips, int threads, ScoreDoc[][] found)
      throws Exception {
    int counted = skips ? 1000 : Integer.MAX_VALUE;  // hits counted before skipping starts; 1000 is Lucene's own choice
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    List<Callable<Void>> work = new ArrayList<>();
    for (int i = 0; i < queries.size(); ++i) {
      int query = i;
      work.add(
          () -> {
            var collector = new TopScoreDocCollectorManager(depth, null, counted);
            found[query] = searcher.search(parse(queries.get(query)), collector).scoreDocs;
            return null;
          });
    }
    for (Future<Void> done : pool.invokeAll(work)) done.get();
    pool.shutdown();
  }

  private static BooleanQuery parse(String line) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (String term : line.split(" ")) counts.merge(term, 1, Integer::sum);
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    counts.forEach(
        (term, count) ->
            builder.add(new BoostQuery(new TermQuery(new Term("text", term)), count), BooleanClause.Occur.SHOULD));
    return builder.build();
  }
}
