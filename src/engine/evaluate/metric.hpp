#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/evaluate/qrels.hpp"
#include "engine/evaluate/run_file.hpp"

namespace mustcite::evaluate {

enum class Measure { map, recip_rank, ndcg, recall, success, precision, r_precision, bpref };

/// What MAP@K divides by.
enum class MapDenominator {
  relevant,  ///< the number of relevant documents, as trec_eval's map_cut
  capped     ///< the smaller of that and K: a perfect list of K scores 1
};

/// A measure with its cutoff; cutoff 0 looks at the whole list.
struct Metric {
  Measure measure = Measure::map;
  std::uint32_t cutoff = 0;

  /// `MAP`, `MAP@100`, `MRR`, `nDCG@10`, `Recall@100`, `HR@10`, `P@5`, `R-precision`, `bpref`.
  [[nodiscard]] std::string name() const;
  /// trec_eval's name of the same: `map`, `map_cut_100`, `recip_rank`, `success_10`; empty where it has none
  /// (MRR@10).
  [[nodiscard]] std::string trec_name() const;
  /// One sentence: what is counted and what it is divided by.
  [[nodiscard]] std::string meaning(MapDenominator denominator, int relevance_level) const;
  bool operator==(const Metric&) const = default;
};

/// Reads one name, ours or trec_eval's, in any case: `Recall@100`, `recall_100`, `recall.100`, `hr@10`.
/// Throws usage naming the nearest known one.
[[nodiscard]] Metric parse_metric(std::string_view name);
/// Reads names separated by commas; `nDCG@5,10,20` gives three. Repeated ones are kept once.
[[nodiscard]] std::vector<Metric> parse_metrics(std::string_view names);

/// A judged document that a run found: its place (0: first) and relevance.
struct Hit {
  std::uint32_t position = 0;
  int relevance = 0;
  std::uint32_t judgement = 0;  ///< its index among the query's judgements
};

/// Scores lists against one query's judgements. Keep one a thread and prepare it for each query: its memory
/// is reused. Every value is the double that trec_eval computes, its order of additions included.
class Judge {
 public:
  Judge(std::span<const Metric> metrics, int relevance_level, MapDenominator denominator);

  void prepare(std::span<const Judgement> judgements);
  /// The judged documents of a list, best first. Valid until the next call.
  std::span<const Hit> find(const RunFile& run, std::span<const RunResult> results);
  /// One value a metric, from the hits of a list.
  void score(std::span<const Hit> hits, std::span<double> values) const;
  /// Documents at or above the relevance level.
  [[nodiscard]] std::size_t relevant() const noexcept { return relevant_; }

 private:
  [[nodiscard]] double value(const Metric& metric, std::span<const Hit> hits) const;
  [[nodiscard]] double average_precision(std::size_t cutoff, std::span<const Hit> hits) const;
  [[nodiscard]] double ndcg(std::size_t cutoff, std::span<const Hit> hits) const;
  [[nodiscard]] double bpref(std::span<const Hit> hits) const;
  [[nodiscard]] std::size_t found_within(std::size_t cutoff, std::span<const Hit> hits) const;

  std::vector<Metric> metrics_;
  int level_;
  MapDenominator denominator_;
  std::span<const Judgement> judgements_;
  std::size_t relevant_ = 0;
  std::size_t not_relevant_ = 0;
  std::vector<std::uint32_t> slots_;
  std::vector<Hit> hits_;
  std::vector<int> gains_;  // falling
};

}  // namespace mustcite::evaluate
