#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::model {

/// A token that is found in the text as it stands, before words are looked for: [SEP] and its like.
struct AddedToken {
  std::string content;
  std::int32_t id = 0;
  bool single_word = false;  ///< not within a longer word
  bool takes_left = false;   ///< swallows the white space before it
  bool takes_right = false;  ///< … and behind it
  bool normalised = false;   ///< looked for in the normalised text, not in the raw one
};

/// Finds added tokens: leftmost first, the longest of those that begin at one place.
class AddedTokens {
 public:
  explicit AddedTokens(std::vector<AddedToken> tokens);

  /// A piece of text between tokens (no id), or a token.
  struct Piece {
    std::string_view text;
    std::optional<std::int32_t> id;
  };
  /// The next piece from `at` on, which moves behind it; nothing at the end of the text.
  [[nodiscard]] std::optional<Piece> next(std::string_view text, std::size_t& at) const;
  [[nodiscard]] bool empty() const noexcept { return tokens_.empty(); }

 private:
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
    const AddedToken* token = nullptr;
  };
  [[nodiscard]] std::optional<Match> find(std::string_view text, std::size_t from) const;

  std::vector<AddedToken> tokens_;  ///< longest first
  std::array<bool, 256> starts_{};  ///< bytes that a token begins with
};

}  // namespace mustcite::model
