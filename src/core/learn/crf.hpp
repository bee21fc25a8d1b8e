#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::learn {

/// A sequence whose positions carry binary features, as hashes of what they say.
struct CrfSequence {
  std::vector<std::uint32_t> begins{0};  ///< position i has features [begins[i], begins[i + 1])
  std::vector<std::uint32_t> features;
  std::vector<std::uint8_t> labels;  ///< one a position where they are known, else empty

  [[nodiscard]] std::size_t size() const noexcept { return begins.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> at(std::size_t position) const {
    return {features.data() + begins[position], features.data() + begins[position + 1]};
  }
};

/// The best labels of a sequence, and how sure each is.
struct CrfLabels {
  std::vector<std::uint8_t> labels;
  std::vector<float> probabilities;  ///< marginal probability of the label given
};

/// A linear-chain conditional random field: the score of a labelling is the sum of one weight for each
/// feature and label and one for each pair of neighbouring labels (Lafferty, McCallum and Pereira, 2001).
/// Weights of features are kept in eight bits. Read-only and thread-safe.
class CrfModel {
 public:
  /// At most so many labels.
  static constexpr std::size_t kMostLabels = 64;

  CrfModel() = default;
  /// `keys` ascend; `weights` has keys.size() rows of labels.size() columns; `transitions` is square, from
  /// the row's label to the column's; `first` are the weights of the first label. Throws invalid_input when
  /// they do not fit together.
  CrfModel(std::vector<std::string> labels, std::vector<std::uint32_t> keys,
           const std::vector<float>& weights, std::vector<float> transitions, std::vector<float> first);

  [[nodiscard]] const std::vector<std::string>& labels() const noexcept { return labels_; }
  [[nodiscard]] std::size_t features() const noexcept { return keys_.size(); }

  /// The labelling with the highest score (Viterbi). Equal scores: the lower label.
  [[nodiscard]] std::vector<std::uint8_t> decode(const CrfSequence& sequence) const;
  /// Probability of each label at each position, size() rows (forward-backward).
  [[nodiscard]] std::vector<float> marginals(const CrfSequence& sequence) const;
  /// Both at once.
  [[nodiscard]] CrfLabels label(const CrfSequence& sequence) const;
  /// The plain sum of weights of a labelling, from which the two above follow.
  [[nodiscard]] double score(const CrfSequence& sequence, std::span<const std::uint8_t> labelling) const;

  /// One block with a checksum; the same model gives the same bytes.
  [[nodiscard]] std::string to_bytes() const;
  /// Throws corrupt for anything that `to_bytes` did not write.
  static CrfModel from_bytes(std::string_view bytes);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void index();
  [[nodiscard]] std::uint32_t row(std::uint32_t key) const noexcept;
  /// size() rows of labels().size() scores of positions.
  [[nodiscard]] std::vector<float> emissions(const CrfSequence& sequence) const;
  [[nodiscard]] std::vector<std::uint8_t> best_path(std::span<const float> scores, std::size_t size) const;
  [[nodiscard]] std::vector<float> probabilities(std::vector<float> scores, std::size_t size) const;

  std::vector<std::string> labels_;
  std::vector<std::uint32_t> keys_;
  std::vector<float> scales_;         ///< a row's weights are its eight-bit numbers times this
  std::vector<std::int8_t> weights_;  ///< rows of stride_ numbers, 0 behind the labels
  std::vector<float> transitions_;
  std::vector<float> first_;
  std::size_t stride_ = 0;
  std::vector<std::uint32_t> table_;  ///< open addressing: rows of keys_
};

}  // namespace mustcite::learn
