#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mustcite::model {

/// A vocabulary: the id of each token. Ids need not be dense.
using Vocabulary = std::unordered_map<std::string, std::int32_t>;

/// WordPiece: a word as the longest tokens that spell it, from the left; all but the first carry the prefix.
class WordPieces {
 public:
  WordPieces(const Vocabulary& vocabulary, const std::string& prefix, std::int32_t unknown,
             std::size_t most_characters);

  /// Appends the ids of the word. A word of more than the most characters, or one that cannot be spelt, is
  /// unknown as a whole.
  void append(std::string_view word, std::size_t characters, std::vector<std::int32_t>& ids) const;
  /// Characters of the longest word that is looked at.
  [[nodiscard]] std::size_t most_characters() const noexcept { return most_characters_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept;
  };
  using Map = std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>>;

  /// Length of the longest token at the start of `rest`, with its id; 0 when there is none.
  static std::size_t longest(const Map& map, std::size_t longest_token, std::string_view rest,
                             std::int32_t& id);

  Map first_;
  Map following_;  ///< without the prefix
  std::size_t longest_first_ = 0;
  std::size_t longest_following_ = 0;
  std::int32_t unknown_;
  std::size_t most_characters_;
};

}  // namespace mustcite::model
