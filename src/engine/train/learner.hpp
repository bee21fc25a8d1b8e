#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/late_model.hpp"
#include "engine/model/tokenizer.hpp"

namespace mustcite::train {

enum class Loss {
  nt_xent,
  triplet,
  quadruplet,
  pair_logistic,    ///< of cross-encoders: each pair alone, cited or not
  pair_softmax,     ///< of cross-encoders: the cited paper among its hard negatives
  pairwise_softmax  ///< of late interaction: the cited paper against one hard negative
};

[[nodiscard]] std::string_view name_of(Loss loss) noexcept;
/// Whether a model that learns by it reads query and document together.
[[nodiscard]] constexpr bool reads_pairs(Loss loss) noexcept {
  return loss == Loss::pair_logistic || loss == Loss::pair_softmax;
}

/// Late interaction: token vectors and MaxSim instead of single vectors.
struct LateLearning {
  std::size_t dims = 128;  ///< of the projection that a model without one gets
  model::LateOptions reading;
};

struct LearnerOptions {
  std::optional<LateLearning> late;  ///< nothing: one vector of each text, or pairs
  Loss loss = Loss::nt_xent;
  double temperature = 0.05;  ///< of NT-Xent
  double frequency = 0;       ///< of NT-Xent: weight of `Batch::log_chances`
  double margin = 1;          ///< of triplets and quadruplets
  /// Of cross-encoders: weight of the score of the run that the negatives come from. The model learns what to
  /// add to it; 0: it learns to rank alone.
  double offset = 0;
  /// Only this many of the uppermost layers are trained; 0: all layers and the embeddings.
  std::size_t trained_layers = 0;
  bool dropout = true;
  bool mixed = false;  ///< matrix products in bfloat16
  double beta1 = 0.9;
  double beta2 = 0.999;
  double weight_decay = 0.01;
  double clip = 1;  ///< largest L2 norm of all gradients together; 0: none
  std::uint64_t seed = 1;
  std::size_t threads = 0;  ///< 0: all cores. The weights that come out depend on it in their last digits
};

/// Texts of one example of the distance losses, as places in the batch. A triplet leaves `second` alone.
struct Tuple {
  std::uint32_t query = 0;
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::uint32_t negative = 0;
};

/// What one forward and backward pass sees. `positive` and `ignored` are for NT-Xent, row-major
/// [queries, documents]; `tuples` for the other losses.
struct Batch {
  std::vector<model::Encoding> queries;
  std::vector<model::Encoding> documents;
  std::vector<std::uint8_t> positive;
  std::vector<std::uint8_t> ignored;
  /// Of NT-Xent, one a document: the logarithm of its chance to stand in a batch.
  std::vector<float> log_chances;
  std::vector<Tuple> tuples;
  /// Of cross-encoders, instead of all the others: query and document together. They come in groups, the
  /// cited document first and its negatives behind it; `group_sizes` adds up to the number of pairs.
  std::vector<model::Encoding> pairs;
  std::vector<std::uint32_t> group_sizes;
  std::vector<float> offsets;  ///< one a pair, added to its score; empty: none
};

/// Two texts that a cross-encoder reads together.
using TextPair = std::pair<std::string_view, std::string_view>;

/// A model that learns. The loop around it (what to show, when to measure, when to stop) is `train::run`;
/// LibTorch is behind this interface alone. Not thread-safe.
class Learner {
 public:
  virtual ~Learner() = default;
  /// Adds `share` times the gradients of the batch's loss; returns the loss. `step` seeds the dropout, so
  /// that a step is the same whatever went before.
  virtual double accumulate(const Batch& batch, double share, std::uint64_t step) = 0;
  /// One step of AdamW with the gradients gathered since the last; returns their norm before clipping.
  virtual double update(double rate) = 0;

  /// How near each query is to each document by the weights as they are now, row-major [queries, documents]:
  /// what the loss means by near.
  virtual void similarities(std::span<const std::string_view> queries,
                            std::span<const std::string_view> documents, std::span<float> out) = 0;
  /// Scores of pairs by a cross-encoder's weights as they are now, one each.
  virtual void score(std::span<const TextPair> pairs, std::span<float> out) = 0;
  /// Trained numbers, and all of them.
  [[nodiscard]] virtual std::uint64_t trained_weights() const = 0;
  [[nodiscard]] virtual std::uint64_t weights() const = 0;

  /// Weights and moments, to the bit.
  virtual void save_state(const std::filesystem::path& file) const = 0;
  /// Throws corrupt when the file is not of this model and these options.
  virtual void load_state(const std::filesystem::path& file) = 0;
  /// A model folder that any reader of such folders takes: the base's files with the weights of now.
  virtual void write_model(const std::filesystem::path& folder) const = 0;
};

}  // namespace mustcite::train
