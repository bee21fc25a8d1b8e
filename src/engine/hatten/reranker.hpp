#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "engine/baseline/world.hpp"
#include "engine/hatten/options.hpp"
#include "engine/neural/packed_training.hpp"
#include "engine/neural/parameters.hpp"

namespace mustcite::hatten {

/// Title and abstract of a paper.
struct PaperText {
  std::string title;
  std::string abstract;
};

/// The second stage: a transformer reads query and candidate together; the state of its first token goes
/// through a ReLU and a linear layer, and the logistic function makes a score of it. One call at a time.
class Reranker {
 public:
  /// Weights of an encoder's folder, with a new head drawn by the seed.
  Reranker(const std::filesystem::path& encoder, const Options& options, std::uint64_t seed,
           std::size_t threads);
  /// As `write` left it.
  static std::unique_ptr<Reranker> open(const std::filesystem::path& folder, const Options& options,
                                        std::size_t threads);
  Reranker(const Reranker&) = delete;
  Reranker& operator=(const Reranker&) = delete;
  void write(const std::filesystem::path& folder) const;
  /// Whether `write` left one there.
  [[nodiscard]] static bool lies_in(const std::filesystem::path& folder);

  /// Scores within (0, 1) of candidates for one query, through which gradients flow unless a guard forbids
  /// them.
  [[nodiscard]] at::Tensor scores(const PaperText& query, std::span<const PaperText> candidates) const;
  /// The same without gradients, whatever the number of candidates.
  [[nodiscard]] std::vector<float> rank(const PaperText& query, std::span<const PaperText> candidates) const;

  /// Several queries in one step: of each its cited papers first, `cited` of them, then the others. The loss
  /// is the margin loss of `hatten::margin_loss` with hard negatives alone.
  struct Group {
    PaperText query;
    std::vector<PaperText> candidates;
    std::size_t cited = 1;
  };
  double step(std::span<const Group> groups, double rate);

  [[nodiscard]] neural::Parameters& parameters() noexcept { return parameters_; }
  [[nodiscard]] const neural::Parameters& parameters() const noexcept { return parameters_; }
  /// All numbers, those that do not learn included.
  [[nodiscard]] std::uint64_t weights() const;

 private:
  Reranker(model::ModelFolder folder, const Options& options, std::uint64_t seed, std::size_t threads);
  [[nodiscard]] at::Tensor scores_of(std::span<const model::Encoding> pairs) const;
  [[nodiscard]] model::Encoding pair(const PaperText& query, const PaperText& candidate) const;

  Options options_;
  neural::Bert bert_;
  model::Tokenizer tokenizer_;
  neural::TokenStates states_;
  neural::Parameters parameters_;
  neural::Linear head_;
};

}  // namespace mustcite::hatten
