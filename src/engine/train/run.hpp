#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "engine/train/examples.hpp"
#include "engine/train/learner.hpp"
#include "engine/train/recipe.hpp"

/// How does an encoder learn which papers belong together?
namespace mustcite::train {

/// One measurement on the dev queries.
struct Measurement {
  std::size_t step = 0;
  double recall_100 = 0;
  double mrr = 0;
  double loss = 0;                ///< mean of the steps since the measurement before
  std::optional<double> ndcg_10;  ///< of cross-encoders, instead of the recall: see PairDevSet
  double r_precision = 0;

  /// What the best weights are chosen by.
  [[nodiscard]] double quality() const noexcept { return ndcg_10.value_or(recall_100); }
};

/// A query whose must-cite papers are known: training is measured with these and never sees them.
struct DevQuery {
  std::string title;
  std::string abstract;
  std::optional<Date> before;
  std::vector<DocId> relevant;  ///< sorted
  std::vector<DocId> excluded;  ///< its own paper
  std::string topic{};          ///< masked topic sentence; empty: none
};

/// What `run` works with. Everything must outlive the call.
struct Job {
  const Recipe* recipe = nullptr;
  const snapshot::Snapshot* snapshot = nullptr;
  const index::SparseIndex* text = nullptr;
  const model::Tokenizer* tokenizer = nullptr;
  std::string model_digest;            ///< of what the learner started from
  const Rankings* rankings = nullptr;  ///< for recipes that take negatives from a run
  std::vector<DevQuery> dev;
  /// Queries to train on instead of the evidence's citing papers: paragraphs. Empty: none.
  std::vector<Example> examples;
  /// Where checkpoints lie between steps; removed when training is done.
  std::filesystem::path checkpoints;
  /// Steps between checkpoints; 0: none.
  std::size_t checkpoint_every = 100;
  std::size_t threads = 0;
  /// Called after each measurement on dev; may be empty.
  std::function<void(const Measurement&)> on_measurement;
};

struct Report {
  ExampleReport examples;
  std::size_t usable = 0;
  std::size_t dev_queries = 0;
  std::size_t dev_documents = 0;
  std::size_t planned_steps = 0;
  std::size_t steps = 0;  ///< done, those before an interruption included
  std::size_t resumed_at = 0;
  std::size_t best_step = 0;
  bool stopped_early = false;
  std::vector<Measurement> measurements;  ///< the first before any step
  double seconds = 0;                     ///< of this process
};

/// Trains `learner` and leaves in it the weights that were best on dev (the last ones without dev queries).
/// Killed and called again with the same job, it goes on from its last checkpoint and ends with the same
/// weights to the bit, given the same number of threads. Interrupted (Ctrl-C), it writes a checkpoint first.
/// Throws Error.
Report run(const Job& job, Learner& learner, Progress& progress);

/// The text of a paper as encoders read it: title [SEP] abstract.
[[nodiscard]] std::string paper_text(std::string_view title, std::string_view abstract);

/// The text of a query: that of a paper, and with a topic sentence title [SEP] abstract [TS] topic, the
/// abstract cut so that the whole topic sentence lies within `max_length` tokens.
[[nodiscard]] std::string query_text(const model::Tokenizer& tokenizer, std::size_t max_length,
                                     std::string_view title, std::string_view abstract,
                                     std::string_view topic);

}  // namespace mustcite::train
