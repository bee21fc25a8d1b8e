#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mustcite::model {

/// What a model does to texts before they are cut into words.
struct NormaliserOptions {
  bool clean = true;          ///< control characters go, every white space becomes a space
  bool ideographs = true;     ///< each is a word of its own
  bool strip_accents = true;  ///< decompose, and take non-spacing marks out
  bool lower_case = true;
};

/// Normalises one text, a character at a time: what comes out is given to a sink at once, so memory does not
/// grow with the text (but for a run of marks that must be put in order).
class Normaliser {
 public:
  using Sink = std::function<void(char32_t)>;
  Normaliser(const NormaliserOptions& options, Sink sink) : options_(options), sink_(std::move(sink)) {}

  void put(char32_t c);
  /// Says that the text is over.
  void finish() { flush_marks(); }

 private:
  void put_clean(char32_t c);
  void put_decomposed(char32_t c);
  void flush_marks();
  void emit(char32_t c);

  NormaliserOptions options_;
  Sink sink_;
  std::vector<std::pair<std::uint8_t, char32_t>> marks_;  ///< waiting to be put in order
  std::u32string scratch_;
  std::u32string lowered_;
};

/// Cuts normalised characters into words: runs without white space, punctuation standing alone.
class WordCutter {
 public:
  /// A word in UTF-8 and its number of characters. Of a word longer than `kept` characters only the beginning
  /// is given.
  using Sink = std::function<void(std::string_view word, std::size_t characters)>;
  WordCutter(std::size_t kept, Sink sink) : kept_(kept), sink_(std::move(sink)) {}

  void put(char32_t c);
  void finish();

 private:
  std::size_t kept_;
  Sink sink_;
  std::string word_;
  std::size_t characters_ = 0;
};

/// The character at `at`, which moves behind it; U+FFFD for bytes that are no UTF-8.
[[nodiscard]] char32_t next_character(std::string_view text, std::size_t& at) noexcept;

/// Appends the character in UTF-8.
void append_utf8(std::string& text, char32_t c);

}  // namespace mustcite::model
