#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mustcite::extract {

/// What a token of a printed reference is.
enum class TokenKind : std::uint8_t {
  word,         ///< letters
  number,       ///< digits
  punctuation,  ///< one character
  address,      ///< an http address
  identifier    ///< a DOI or an arXiv id
};

/// Bytes [begin, end) of the reference.
struct ReferenceToken {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  TokenKind kind = TokenKind::word;
  bool space_before = false;
};

/// Splits a printed reference: runs of letters, runs of digits, single other characters; addresses and
/// identifiers are whole. At most 600 tokens: what stands behind is left out.
[[nodiscard]] std::vector<ReferenceToken> reference_tokens(std::string_view raw);

}  // namespace mustcite::extract
