#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.hpp"
#include "engine/index/sparse_index.hpp"
#include "engine/snapshot/snapshot.hpp"
#include "engine/train/recipe.hpp"

namespace mustcite::train {

/// A citing paper, or one paragraph of it, as a training query, as of its own year.
struct Example {
  std::string id;
  DocId paper = snapshot::kNoDoc;  ///< its own row, where it is a document
  std::string title;
  std::string abstract;
  std::string topic;             ///< topic sentence of a paragraph, masked; empty: none
  std::uint32_t older = 0;       ///< rows [0, older) are strictly older than it
  std::vector<DocId> positives;  ///< what it cites in the tier, strictly older; sorted
  std::vector<DocId> known;      ///< everything it cites and its own row; sorted
  std::vector<DocId> negatives;  ///< hard ones, never known, always strictly older; best first
  /// Where a run was read: what it gives the papers it lists, by paper. See LearnerOptions::offset.
  std::vector<std::pair<DocId, float>> scores;
  /// Of a paragraph: pools of negatives, in place of `negatives`. See engine/train/paragraphs.hpp.
  std::vector<std::vector<DocId>> pools;

  [[nodiscard]] bool has_negatives() const noexcept;
  /// Of a paper in `scores`.
  [[nodiscard]] float score_of(DocId doc) const noexcept;
};

/// citing == examples + of_other_years + without_abstract + without_positive, always.
struct ExampleReport {
  std::size_t citing = 0;
  std::size_t examples = 0;
  std::size_t of_other_years = 0;
  std::size_t without_abstract = 0;
  std::size_t without_positive = 0;
  std::size_t without_negative = 0;  ///< of the examples, where hard negatives were asked for
  std::size_t without_listed = 0;  ///< of the examples: no positive in the run, where only listed ones count
  int last_year = 0;  ///< of the examples: a model trained on them knows nothing of later citations
};

/// The training queries of a snapshot's evidence, in the order of its citing papers. Years 0: no bound.
[[nodiscard]] std::vector<Example> make_examples(const snapshot::Snapshot& snapshot, Tier tier,
                                                 int first_year, int last_year, ExampleReport& report);

/// A paper of a run.
struct Ranked {
  std::string id;
  float score = 0;
};

/// Papers by query id, best first: a run read from a file.
using Rankings = std::map<std::string, std::vector<Ranked>>;

struct NegativeOptions {
  NegativeSource source = NegativeSource::bm25;
  std::size_t first_rank = 10;  ///< 1 is the best; papers that the query cites do not count
  std::size_t last_rank = 200;
  const Rankings* rankings = nullptr;  ///< for NegativeSource::run
  /// Positives that the run does not list among the ranks it was asked for count no more.
  bool listed_positives = false;
  std::size_t threads = 0;
};

/// Gives each example its hard negatives.
void mine_negatives(const snapshot::Snapshot& snapshot, const index::SparseIndex& text,
                    const NegativeOptions& options, std::vector<Example>& examples, ExampleReport& report,
                    Progress& progress);

}  // namespace mustcite::train
