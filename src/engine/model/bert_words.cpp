#include "engine/model/bert_words.hpp"

#include <unicode/utf8.h>

#include <algorithm>

#include "engine/model/bert_characters.hpp"

namespace mustcite::model {

char32_t next_character(std::string_view text, std::size_t& at) noexcept {
  // ICU counts in 32 bits: a window of one character is enough.
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data()) + at;
  const auto length = static_cast<std::int32_t>(std::min<std::size_t>(text.size() - at, U8_MAX_LENGTH));
  std::int32_t moved = 0;
  UChar32 c = 0;
  U8_NEXT(bytes, moved, length, c);
  at += static_cast<std::size_t>(moved);
  return c < 0 ? U'\uFFFD' : static_cast<char32_t>(c);
}

void append_utf8(std::string& text, char32_t c) {
  char bytes[U8_MAX_LENGTH];
  std::int32_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, static_cast<UChar32>(c));
  text.append(bytes, static_cast<std::size_t>(length));
}

void Normaliser::put(char32_t c) {
  if (options_.clean) {
    if (characters::is_removed(c)) return;
    if (characters::is_space(c)) c = ' ';
  }
  if (options_.ideographs && characters::is_ideograph(c)) {
    put_clean(' ');
    put_clean(c);
    put_clean(' ');
  } else {
    put_clean(c);
  }
}

void Normaliser::put_clean(char32_t c) {
  constexpr char32_t kFirstDecomposed = 0xC0;
  if (!options_.strip_accents) return emit(c);
  if (c < kFirstDecomposed) {
    flush_marks();
    return emit(c);
  }
  scratch_.clear();
  characters::decompose(c, scratch_);
  for (const char32_t part : scratch_) put_decomposed(part);
}

void Normaliser::put_decomposed(char32_t c) {
  const std::uint8_t order = characters::combining_class(c);
  if (order == 0) {
    flush_marks();
    if (!characters::is_accent(c)) emit(c);
    return;
  }
  // The accents among the marks go in any case; what stays is put in order with its like.
  if (!characters::is_accent(c)) marks_.emplace_back(order, c);
}

void Normaliser::flush_marks() {
  if (marks_.empty()) return;
  std::stable_sort(marks_.begin(), marks_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [order, c] : marks_) emit(c);
  marks_.clear();
}

void Normaliser::emit(char32_t c) {
  if (!options_.lower_case) return sink_(c);
  if (c < 0x80) return sink_(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  lowered_.clear();
  characters::lower(c, lowered_);
  for (const char32_t part : lowered_) sink_(part);
}

void WordCutter::put(char32_t c) {
  if (characters::is_space(c)) return finish();
  if (characters::is_punctuation(c)) {
    finish();
    append_utf8(word_, c);
    characters_ = 1;
    return finish();
  }
  if (characters_ < kept_) append_utf8(word_, c);
  ++characters_;
}

void WordCutter::finish() {
  if (characters_ > 0) sink_(word_, characters_);
  word_.clear();
  characters_ = 0;
}

}  // namespace mustcite::model
