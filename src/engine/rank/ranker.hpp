#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/rank/candidates.hpp"
#include "engine/rank/features.hpp"
#include "engine/rank/model.hpp"
#include "engine/rank/resources.hpp"

namespace mustcite::rank {

/// Documents that the linear stage let through, with what the trees see of them.
struct Shortlist {
  std::vector<std::size_t> rows;  ///< of the candidates, best first by the linear stage
  std::vector<float> values;      ///< rows.size() x width, row-major: Model::column_names()
  std::size_t width = 0;

  [[nodiscard]] std::span<const float> row(std::size_t i) const { return {values.data() + i * width, width}; }
};

/// Cuts the candidates to the model's depth by its linear stage. Only `features`, `linear_features`, `linear`
/// and `depth` of the model are read, so training uses it as well.
[[nodiscard]] Shortlist shortlist(const Model& model, const FeatureTable& table);

/// Fills in the columns of the cross-encoder for the first documents of the shortlist, where the model has
/// such columns and `Resources::cross` reads pairs. `docs` are the candidates.
void read_pairs(const Resources& resources, const Model& model, const Query& query,
                std::span<const DocId> docs, Shortlist& list);

/// Everything known about the answer to one query: kept for explanations.
struct Ranking {
  QueryContext context;
  Candidates candidates;
  Shortlist shortlist;
  std::vector<Scored> ranked;          ///< best first; scores are final_scores
  std::vector<std::size_t> positions;  ///< of each ranked document: its place in the shortlist
};

/// How sure the model is that a document belongs to each of its tiers.
using Probabilities = std::map<Tier, float>;

/// The learned ranker. Thread-safe; resources and model must outlive it.
class Ranker {
 public:
  Ranker(const Resources& resources, const Model& model) : resources_(resources), model_(model) {}

  /// Documents in the order of the tier's trees. The query must outlive the ranking. Throws invalid_input
  /// when the model knows no such tier.
  [[nodiscard]] Ranking rank(const Query& query, Tier tier) const;
  /// Calibrated probability for each tier of the i-th ranked document.
  [[nodiscard]] Probabilities probabilities(const Ranking& ranking, std::size_t i) const;
  [[nodiscard]] const Model& model() const noexcept { return model_; }

 private:
  const Resources& resources_;
  const Model& model_;
};

}  // namespace mustcite::rank
