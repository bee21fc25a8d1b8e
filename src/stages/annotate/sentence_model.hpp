#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/annotate/instance.hpp"

namespace mustcite::annotate {

/// Scores a citing sentence by its words: high where works like the cited one tend to be central. A linear
/// model over hashed words and word pairs around the marker; the marker, numbers and other citations are
/// replaced by placeholders, so that it learns wording and not names. Immutable and thread-safe.
class SentenceModel {
 public:
  /// Learns from sentences with labels in [0, 1] and weights. Equal input gives equal models.
  struct Example {
    std::string tokens;  ///< of `tokens_of`
    float label = 0;
    float weight = 1;
  };
  static SentenceModel train(const std::vector<Example>& examples, int passes = 8);

  /// The words of the sentence near its marker, ready for training and scoring: lower case, space between.
  [[nodiscard]] static std::string tokens_of(const CitationContext& context, std::string_view cited_as);
  /// The same for a sentence whose marker stands at [begin, end).
  [[nodiscard]] static std::string tokens_around(std::string_view sentence, std::size_t begin,
                                                 std::size_t end);

  /// Log-odds.
  [[nodiscard]] float score(std::string_view tokens) const;

  /// One byte a weight behind a small head; `from_bytes` throws corrupt for anything else.
  [[nodiscard]] std::string to_bytes() const;
  static SentenceModel from_bytes(std::string_view bytes);

 private:
  std::vector<std::int8_t> weights_;
  float scale_ = 1;
  float intercept_ = 0;
};

}  // namespace mustcite::annotate
