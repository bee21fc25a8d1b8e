#include "engine/model/added_tokens.hpp"

#include <unicode/uchar.h>

#include <algorithm>

#include "engine/model/bert_characters.hpp"
#include "engine/model/bert_words.hpp"

namespace mustcite::model {
namespace {

/// `\w` of regular expressions in Unicode.
bool is_word(char32_t c) noexcept {
  const auto code = static_cast<UChar32>(c);
  return u_isUAlphabetic(code) != 0 ||
         (U_MASK(u_charType(code)) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0 ||
         u_hasBinaryProperty(code, UCHAR_JOIN_CONTROL) != 0;
}

/// Where the character that ends at `end` begins.
std::size_t before(std::string_view text, std::size_t end) noexcept {
  do {
    --end;
  } while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U);
  return end;
}

char32_t character_before(std::string_view text, std::size_t end) noexcept {
  std::size_t at = before(text, end);
  return next_character(text, at);
}

char32_t character_at(std::string_view text, std::size_t at) noexcept {
  return next_character(text, at);
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::erase_if(tokens_, [](const AddedToken& token) { return token.content.empty(); });
  std::stable_sort(tokens_.begin(), tokens_.end(),
                   [](const auto& a, const auto& b) { return a.content.size() > b.content.size(); });
  for (const AddedToken& token : tokens_) starts_[static_cast<unsigned char>(token.content[0])] = true;
}

std::optional<AddedTokens::Match> AddedTokens::find(std::string_view text, std::size_t from) const {
  if (tokens_.empty()) return std::nullopt;
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    if (!starts_[static_cast<unsigned char>(text[begin])]) continue;
    for (const AddedToken& token : tokens_) {
      if (text.substr(begin).starts_with(token.content))
        return Match{begin, begin + token.content.size(), &token};
    }
  }
  return std::nullopt;
}

std::optional<AddedTokens::Piece> AddedTokens::next(std::string_view text, std::size_t& at) const {
  if (at >= text.size()) return std::nullopt;
  for (std::size_t from = at;;) {
    auto match = find(text, from);
    if (!match) break;
    from = match->end;
    const AddedToken& token = *match->token;
    if (token.single_word && ((match->begin > 0 && is_word(character_before(text, match->begin))) ||
                              (match->end < text.size() && is_word(character_at(text, match->end)))))
      continue;
    while (token.takes_left && match->begin > at &&
           characters::is_space(character_before(text, match->begin)))
      match->begin = before(text, match->begin);
    if (match->begin > at) {
      const Piece piece{text.substr(at, match->begin - at), std::nullopt};
      at = match->begin;
      // Met again at once, with the white space that it takes.
      return piece;
    }
    while (token.takes_right && match->end < text.size() &&
           characters::is_space(character_at(text, match->end)))
      static_cast<void>(next_character(text, match->end));
    at = match->end;
    return Piece{text.substr(match->begin, match->end - match->begin), token.id};
  }
  const Piece rest{text.substr(at), std::nullopt};
  at = text.size();
  return rest;
}

}  // namespace mustcite::model
