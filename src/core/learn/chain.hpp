#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mustcite::learn {

/// Forward-backward over a chain, in probabilities scaled at each position. Buffers are kept between calls.
class Chain {
 public:
  /// `transitions` (square) and `first` are exponentials of the weights of `labels` labels.
  void set_transitions(std::span<const float> transitions, std::span<const float> first, std::size_t labels);

  /// `emissions` has `size` rows of scores and is left with their exponentials, each row divided by its
  /// greatest. Afterwards `node` and `edge` give probabilities. Returns the logarithm of the sum over all
  /// labellings.
  double run(std::span<float> emissions, std::size_t size);

  /// Probability of `label` at `position`.
  [[nodiscard]] std::span<const float> node(std::size_t position) const {
    return {nodes_.data() + position * labels_, labels_};
  }
  /// Adds the probabilities of (from, to) between every two neighbours into `sums`, labels by labels.
  void add_edges(std::span<const float> emissions, std::span<float> sums) const;

 private:
  std::size_t labels_ = 0;
  std::size_t size_ = 0;
  std::vector<float> transitions_;  ///< from the row's label
  std::vector<float> transposed_;   ///< to the row's label
  std::vector<float> first_;
  std::vector<float> forward_;
  std::vector<float> backward_;
  std::vector<float> nodes_;
  std::vector<float> scales_;
};

}  // namespace mustcite::learn
