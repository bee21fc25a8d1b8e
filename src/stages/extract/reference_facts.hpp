#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "stages/extract/name_words.hpp"
#include "stages/extract/reference_tokens.hpp"

namespace mustcite::extract {

/// Words that point at a field.
enum class Cue : std::uint8_t {
  none,
  proceedings,  ///< "conference", "workshop"
  journal,      ///< "transactions", "letters"
  publisher,
  editor,
  report,  ///< theses, technical reports
  page,
  volume,
  month,
  institution,
  preprint,
  link,  ///< "available", "accessed"
  in,
  join  ///< "and", "et", "al"
};
[[nodiscard]] Cue cue_of(std::string_view folded_word) noexcept;

/// One token as numbers.
struct TokenFacts {
  std::uint32_t word = 0;                 ///< hash of the folded word or of the character
  std::uint32_t prefixes[3] = {0, 0, 0};  ///< of 2, 3, 4 bytes; 0: shorter
  std::uint32_t suffixes[3] = {0, 0, 0};
  std::uint32_t shape = 0;
  NameWords::Use use = NameWords::Use::unknown;
  Cue cue = Cue::none;
  char mark = 0;  ///< the character of a punctuation token; quotation marks are '"', 0 for others
  bool word_token = false;
  bool capital = false;  ///< begins with a capital
  bool initial = false;  ///< one capital letter, or two or three behind one another
  bool year = false;
  bool space = false;
};

/// A stretch of tokens between marks, and what it holds.
struct Stretch {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t words = 0;
  std::uint32_t small = 0;  ///< words in small letters that join no names
  std::uint32_t names = 0;  ///< words used as names, and initials
  std::uint32_t cues = 0;   ///< bits of Cue
  bool year = false;
  bool number = false;
  /// A coarse code of the above.
  [[nodiscard]] std::uint32_t code() const noexcept;
};

/// The whole reference as numbers.
struct ReferenceFacts {
  std::vector<TokenFacts> tokens;
  std::vector<Stretch> chunks;     ///< between commas, stops, brackets and quotation marks
  std::vector<Stretch> sentences;  ///< between stops that end something, and quotation marks
  std::vector<std::uint16_t> chunk_of;
  std::vector<std::uint16_t> sentence_of;
  std::uint32_t author_tokens = 0;  ///< tokens before the end of the authors by rules
  /// Where the first year stands (0 none, 1 behind the authors, 2 later), plus 3 when the title is quoted.
  std::uint32_t style = 0;
};

[[nodiscard]] ReferenceFacts reference_facts(std::string_view raw, std::span<const ReferenceToken> tokens,
                                             const NameWords& names);

}  // namespace mustcite::extract
