#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/evaluate/metric.hpp"
#include "engine/evaluate/qrels.hpp"
#include "engine/evaluate/run_file.hpp"
#include "engine/evaluate/significance.hpp"
#include "engine/evaluate/slices.hpp"

/// Which method is better, and is it luck?
///
///     auto qrels = evaluate::read_qrels("qrels/dev/type3.tsv");
///     auto run = evaluate::read_run("bm25.trec");
///     auto report = evaluate::evaluate({&run, 1}, {&qrels, 1}, {});
///     evaluate::compare(report, {});
///     std::cout << evaluate::render(report, {});
namespace mustcite::evaluate {

/// The metrics of a table when none are asked for.
inline constexpr const char* kDefaultMetrics = "MAP,MRR,nDCG@10,Recall@50,Recall@100,HR@10,P@5,R-precision";

struct Options {
  /// Columns of the tables. Slices by document keep only the Recall@K among them.
  std::vector<Metric> metrics = parse_metrics(kDefaultMetrics);
  /// Documents judged at least this are relevant. nDCG takes the judgement itself as gain, whatever the
  /// level.
  int relevance_level = 1;
  MapDenominator map_denominator = MapDenominator::relevant;
  /// Each adds a table per qrels with one row per slice.
  std::vector<Slicing> slicings;
  /// Slices with fewer queries than this are left out (and counted in a note).
  std::size_t min_slice_queries = 1;
  /// 0: all cores. The numbers do not depend on it.
  std::size_t threads = 0;
};

struct CompareOptions {
  /// Bootstrap resamples of the intervals; 0: no intervals.
  std::size_t resamples = 1000;
  double level = 0.95;
  /// Sign-flip permutations; 0: no tests.
  std::size_t permutations = 10000;
  /// Name of the run that the others are tested against; empty: the first one.
  std::string baseline;
  std::uint64_t seed = 1;
  std::size_t threads = 0;
};

/// A run against the baseline.
struct Test {
  double difference = 0;  ///< mean minus the baseline's mean
  double p = 1;           ///< two-sided, paired sign-flip
  double corrected = 1;   ///< Holm over all runs and metrics of the table
};

struct Cell {
  double mean = 0;
  std::optional<Interval> interval;
  std::optional<Test> test;
};

/// How surely a cell differs from the baseline's: 0 not at a corrected p below 0.05, 1 at 0.05, 2 at 0.01;
/// negative where it is worse.
[[nodiscard]] int arrows(const Cell& cell) noexcept;

/// The numbers of one set of queries: those of a qrels file, or of one slice of it.
struct Table {
  std::string qrels;
  std::string slicing;  ///< empty: all queries
  std::string slice;
  std::size_t relevant =
      0;  ///< relevant documents of its queries (of the slice, where it is one of documents)
  std::vector<Metric> metrics;
  std::vector<std::string> queries;  ///< by rising id
  std::size_t runs = 0;
  std::vector<double> values;  ///< [query][run][metric]
  std::vector<Cell> cells;     ///< [run][metric]

  [[nodiscard]] double value(std::size_t query, std::size_t run, std::size_t metric) const {
    return values[(query * runs + run) * metrics.size() + metric];
  }
  [[nodiscard]] const Cell& cell(std::size_t run, std::size_t metric) const {
    return cells[run * metrics.size() + metric];
  }
};

/// How a run and a qrels file fit together. answered + missing == judged queries, always.
struct Coverage {
  std::string qrels;
  std::string run;
  std::size_t answered = 0;
  std::size_t missing = 0;   ///< judged, not answered: they count as zero
  std::size_t unjudged = 0;  ///< answered, not judged: they do not count
};

struct Report {
  std::vector<std::string> runs;
  std::vector<Table> tables;
  std::vector<Coverage> coverage;
  /// What a reader should be told: sorted files, missing queries, left out slices.
  std::vector<std::string> notes;
  int relevance_level = 1;
  MapDenominator map_denominator = MapDenominator::relevant;
  /// What `compare` did; empty before.
  std::optional<CompareOptions> comparison;
  std::size_t baseline = 0;
};

/// Scores every run against every qrels file. Means are over all judged queries, added by rising query id, as
/// `trec_eval -c` does. Throws invalid_input when a run answers no judged query at all.
[[nodiscard]] Report evaluate(std::span<const RunFile> runs, std::span<const Qrels> qrels,
                              const Options& options);

/// Adds confidence intervals and, with two runs or more, tests against the baseline.
/// Throws usage when the baseline is none of the runs.
void compare(Report& report, const CompareOptions& options);

enum class Format { terminal, markdown, latex, csv, json, trec };

/// `terminal`, `markdown` (`md`), `latex` (`tex`), `csv`, `json`, `trec`. Throws usage for others.
[[nodiscard]] Format parse_format(std::string_view name);

struct RenderOptions {
  Format format = Format::terminal;
  int digits = 4;
  /// Print the intervals where `compare` made some.
  bool intervals = true;
};

/// The tables as text. JSON is one object; CSV has one line per run and metric; trec is trec_eval's own
/// layout.
[[nodiscard]] std::string render(const Report& report, const RenderOptions& options);

/// One line per query, run and metric: csv (default for terminal, Markdown and LaTeX), json (JSON lines) or
/// trec.
[[nodiscard]] std::string render_queries(const Report& report, const RenderOptions& options);

}  // namespace mustcite::evaluate
