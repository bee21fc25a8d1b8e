#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "apps/cli/late_models.hpp"
#include "apps/cli/neural_models.hpp"
#include "apps/cli/out_paths.hpp"
#include "apps/cli/paragraph_benchmark.hpp"
#include "apps/cli/verb_paragraphs.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"
#include "core/schema/trec.hpp"
#include "engine/dense/encoder.hpp"
#include "engine/dense/topic_query.hpp"
#include "engine/rank/methods.hpp"
#include "engine/recommend/recommend.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

/// Papers of an answer over the whole corpus that are looked at for those of the sample.
constexpr std::size_t kWholeDepth = 4000;
/// Texts given to the encoder at once.
constexpr std::size_t kPart = 2048;

struct Flags {
  std::string file;
  std::string release;
  std::string split = "dev";
  std::string index;
  std::string method;
  std::string model;
  std::string tier = "all";
  std::string run;
  std::size_t others = 20000;
  std::size_t seed = 1;
  std::size_t depth = 100;
  std::size_t max_length = 0;
  bool whole = false;
  bool without_topic = false;
};

struct Work {
  const snapshot::Snapshot& snapshot;
  const ParagraphBenchmark& benchmark;
  const std::vector<DocId>& rows;  ///< that are ranked, sorted
  fs::path index;
};

/// Rows strictly older than the query; its own paper is left out by the caller.
std::size_t older(const Work& work, const rank::Query& query) {
  const DocId end{work.snapshot.prefix(query.before)};
  return static_cast<std::size_t>(std::lower_bound(work.rows.begin(), work.rows.end(), end) -
                                  work.rows.begin());
}

std::vector<DocId> excluded(const Work& work, const rank::Query& query) {
  std::vector<DocId> docs;
  for (const auto& paper : query.exclude) {
    if (const auto doc = work.snapshot.find(paper.str())) docs.push_back(*doc);
  }
  return docs;
}

/// Answers over the whole corpus, reduced to the rows. The order among them is that of the whole.
Run by_recommender(Context& context, const Flags& flags, const Work& work,
                   const std::vector<rank::Query>& queries) {
  recommend::Options options;
  options.method = flags.method;
  options.tier = parse_tier(flags.tier);
  options.depth = flags.whole ? flags.depth : kWholeDepth;
  options.bm25 = {context.config().number("index.k1"), context.config().number("index.b")};
  const auto recommender =
      recommend::Recommender::open(work.index, ranker_model(context, flags.model), readers(context));
  std::vector<std::string> notes;
  auto run = recommender.answer_all(queries, options, context.threads, context.progress(), notes);
  for (const auto& note : notes) log::warning("{}", note);
  for (auto& list : run.lists) {
    std::erase_if(list.papers, [&](const ScoredPaper& scored) {
      const auto doc = work.snapshot.find(scored.paper.str());
      return !doc || !std::binary_search(work.rows.begin(), work.rows.end(), *doc);
    });
    if (list.papers.size() > flags.depth) list.papers.resize(flags.depth);
  }
  return run;
}

/// Encodes texts in parts, with a bar.
std::vector<float> encode(dense::Encoder& encoder, const std::vector<std::string>& texts, const char* what,
                          Progress& progress) {
  std::vector<float> vectors(texts.size() * encoder.dimensions());
  // Texts of like length together: batches have no padding to waste.
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return texts[a].size() > texts[b].size(); });
  progress.begin(what, texts.size());
  std::vector<float> part;
  for (std::size_t begin = 0; begin < order.size(); begin += kPart) {
    stop_if_interrupted();
    const std::size_t count = std::min(kPart, order.size() - begin);
    std::vector<std::string_view> views;
    for (std::size_t i = 0; i < count; ++i) views.emplace_back(texts[order[begin + i]]);
    part.resize(count * encoder.dimensions());
    encoder.encode(views, part);
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(part.begin() + static_cast<std::ptrdiff_t>(i * encoder.dimensions()), encoder.dimensions(),
                  vectors.begin() + static_cast<std::ptrdiff_t>(order[begin + i] * encoder.dimensions()));
    }
    progress.advance(count);
  }
  progress.finish();
  return vectors;
}

/// Higher is nearer. Vectors for the cosine have unit length already.
float nearness(dense::Metric metric, const float* a, const float* b, std::size_t size) {
  if (metric != dense::Metric::l2) return std::inner_product(a, a + size, b, 0.0F);
  float sum = 0;
  for (std::size_t k = 0; k < size; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return -sum;
}

/// Encodes the rows and the queries with the model and compares every pair.
Run by_encoding(Context& context, const Flags& flags, const Work& work,
                const std::vector<rank::Query>& queries) {
  auto ready = ready_recipe(context, flags.method);
  if (flags.max_length > 0) ready.model.max_length = std::min(ready.model.max_length, flags.max_length);
  const auto encoder = encoder_factory(context)(ready.model);
  const auto tokenizer = model::Tokenizer::open(ready.model.transformer);
  std::vector<std::string> documents;
  for (const DocId row : work.rows) {
    const auto view = work.snapshot.document(row);
    documents.push_back(dense::document_text(ready.recipe, {view.title, view.abstract, {}}));
  }
  std::vector<std::string> texts;
  for (const auto& query : queries)
    texts.push_back(dense::fitted_query_text(ready.recipe, {query.title, query.abstract, query.topic},
                                             tokenizer, ready.model.max_length));
  const auto of_queries = encode(*encoder, texts, "queries", context.progress());
  const auto of_documents = encode(*encoder, documents, "documents", context.progress());
  const std::size_t size = encoder->dimensions();
  Run run;
  run.name = ready.recipe.name;
  run.lists.resize(queries.size());
  parallel_for(queries.size(), context.threads, [&](std::size_t q, std::size_t) {
    const auto hidden = excluded(work, queries[q]);
    std::vector<std::pair<float, std::size_t>> scored;
    for (std::size_t i = 0; i < older(work, queries[q]); ++i) {
      if (std::find(hidden.begin(), hidden.end(), work.rows[i]) != hidden.end()) continue;
      scored.emplace_back(
          -nearness(ready.recipe.metric, of_queries.data() + q * size, of_documents.data() + i * size, size),
          i);
    }
    const std::size_t depth = std::min(flags.depth, scored.size());
    std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(depth), scored.end());
    auto& list = run.lists[q];
    list.query = queries[q].id;
    for (std::size_t i = 0; i < depth; ++i) {
      const auto id = work.snapshot.document(work.rows[scored[i].second]).id;
      list.papers.push_back({PaperId(std::string(id)), -scored[i].first});
    }
  });
  return run;
}

int run_rank(Context& context, const Flags& flags) {
  check_run_path(flags.run);
  const auto release = release_folder(context, flags.release);
  const auto index = index_folder(context, flags.index, flags.release);
  const auto snapshot = snapshot::Snapshot::open(index);
  const auto benchmark = read_benchmark(flags.file, release, flags.split, snapshot);
  std::vector<DocId> rows(snapshot.size());
  for (std::uint32_t row = 0; row < snapshot.size(); ++row) rows[row] = DocId{row};
  if (!flags.whole) rows = sample_of(benchmark, snapshot, flags.others, flags.seed);
  std::vector<rank::Query> queries;
  for (const auto& query : benchmark.queries) {
    queries.push_back(query.query);
    if (flags.without_topic) queries.back().topic.clear();
  }
  const Work work{snapshot, benchmark, rows, index};
  const auto& methods = rank::method_names();
  // Vectors in the index are of texts of the recipe's own length.
  const bool in_index = flags.max_length == 0 && flags.method.find('/') == std::string::npos &&
                        fs::exists(recommend::dense_folder(index, flags.method));
  const bool known = std::find(methods.begin(), methods.end(), flags.method) != methods.end() || in_index;

  const Run run =
      known ? by_recommender(context, flags, work, queries) : by_encoding(context, flags, work, queries);
  write_run(flags.run, run);
  fmt::print("{}: {} paragraphs over {} documents{} by {}{}\n", flags.run, queries.size(), rows.size(),
             flags.whole ? std::string(" (the whole corpus)")
                         : fmt::format(" (what the paragraphs cite, and {} others by seed {})", flags.others,
                                       flags.seed),
             run.name, flags.without_topic ? " without topic sentences" : "");
  return 0;
}

}  // namespace

void add_paragraphs_rank(CLI::App& app, Context& context, Action& action) {
  auto* verb =
      app.add_subcommand("rank", "Rank the corpus, or a fixed sample of it, for the paragraphs of a split");
  auto flags = std::make_shared<Flags>();
  verb->add_option("paragraphs", flags->file, "Paragraphs: JSONL")->required();
  verb->add_option("--release", flags->release, "Release whose queries the papers are")->required();
  verb->add_option("--split", flags->split, "Split of the release (default: dev)");
  verb->add_option("--index", flags->index, "Index folder (default: the release's)");
  verb->add_option(
          "--method", flags->method,
          "A method or recipe as in `recommend`; without vectors in the index, a recipe or model folder that "
          "encodes the sample")
      ->required();
  verb->add_option("--model", flags->model, "Model of the learned ranker: a name in models/, or a folder");
  verb->add_option("--tier", flags->tier, "What the learned ranker orders by (default: all)");
  verb->add_flag("--without-topic", flags->without_topic, "Queries are title and abstract alone");
  auto* others =
      verb->add_option("--others", flags->others, "Documents of the sample beside those that are cited");
  verb->add_option("--seed", flags->seed, "Seed of the sample");
  verb->add_flag("--whole", flags->whole, "Rank the whole corpus")->excludes(others);
  verb->add_option("--max-length", flags->max_length,
                   "Tokens that a model reads at most of a text (default: the recipe's)")
      ->check(CLI::Range(8, 100000));
  verb->add_option("--depth", flags->depth, "Papers of a paragraph in the run")
      ->check(CLI::Range(10, 100000));
  verb->add_option("--run", flags->run, "TREC run to write")->required();
  verb->callback(
      [&context, &action, flags] { action = [&context, flags] { return run_rank(context, *flags); }; });
}

}  // namespace mustcite::cli
