#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/late_model.hpp"

/// Texts as the vectors of their tokens, and the search among documents by them: late interaction.
namespace mustcite::late {

/// The vectors of several texts, token by token, text after text.
struct TokenVectors {
  std::size_t dims = 0;
  std::vector<float> values;
  std::vector<std::uint64_t> first{
      0};  ///< of each text the number of its first vector, and of all at the end

  [[nodiscard]] std::size_t texts() const noexcept { return first.size() - 1; }
  /// Vectors of a text.
  [[nodiscard]] std::size_t count(std::size_t text) const noexcept {
    return static_cast<std::size_t>(first[text + 1] - first[text]);
  }
  /// Their numbers, row-major.
  [[nodiscard]] std::span<const float> of(std::size_t text) const noexcept {
    return std::span<const float>(values).subspan(first[text] * dims, count(text) * dims);
  }
};

/// Makes token vectors of unit length. Not thread-safe: one call at a time, on all the threads of its
/// options.
class TokenEncoder {
 public:
  virtual ~TokenEncoder() = default;
  [[nodiscard]] virtual std::size_t dimensions() const = 0;
  /// `model::LateModel::digest`.
  [[nodiscard]] virtual const std::string& model_digest() const = 0;
  /// The vectors that count, in the order of the texts and of their tokens. Every text has one at least: that
  /// of [CLS]. Give many texts at once: batches are packed within one call. Throws Error.
  [[nodiscard]] virtual TokenVectors encode(std::span<const std::string_view> texts,
                                            model::TextRole role) = 0;
};

}  // namespace mustcite::late
