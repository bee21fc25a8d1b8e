#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "engine/baseline/world.hpp"

namespace mustcite::baseline {

/// Which figure on the held-out examples tells the best epoch. A reranker moves nothing into the first hundred.
enum class Goal { recall_100, mrr };

/// A part of a training with an end of its own: a prefetcher, then its reranker.
struct Stage {
  std::string name;
  std::size_t epochs = 0;  ///< at most
  Goal goal = Goal::recall_100;
};

/// A baseline that learns. The loop around it (epochs, measuring, stopping early, checkpoints) is
/// `baseline::train`; LibTorch is behind this interface alone. Not thread-safe.
class Learner {
 public:
  virtual ~Learner() = default;
  /// In the order in which they are learnt; each ends with the weights that were best on the held-out part.
  [[nodiscard]] virtual std::vector<Stage> stages() const = 0;
  /// One pass over the training examples; returns the mean loss. What it does depends on the state, the
  /// stage, the epoch's number and the recipe's seed alone, so that a training that was killed goes on as it
  /// would have. Reports no progress stage of its own, but advances `progress` by the examples seen.
  virtual double epoch(std::size_t stage, std::size_t number, Progress& progress) = 0;
  /// Scores of documents for queries with the weights as they are now: [queries, documents] row-major, higher
  /// is better. Documents and citations newer than a query are not looked at. `documents` ascend.
  virtual void score(std::size_t stage, std::span<const Example> queries, std::span<const DocId> documents,
                     std::span<float> out) = 0;

  [[nodiscard]] virtual std::uint64_t weights() const = 0;
  /// Weights and moments, to the bit.
  virtual void save_state(const std::filesystem::path& file) const = 0;
  /// Throws corrupt when the file is not of this model and recipe.
  virtual void load_state(const std::filesystem::path& file) = 0;
  /// Writes `weights.safetensors` and whatever else answering needs into the folder, which exists.
  virtual void write(const std::filesystem::path& folder) const = 0;
};

}  // namespace mustcite::baseline
