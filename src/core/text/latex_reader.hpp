#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/latex.hpp"

namespace mustcite::text {

/// The machinery of `latex_to_text`. Each reading function takes a position and the end of the range, appends
/// what it stands for to the output, and returns the position after it.
class LatexReader {
 public:
  LatexReader(std::string_view text, LatexSource source)
      : text_(text), bibtex_(source == LatexSource::bibtex) {
    out_.reserve(text.size());
    if (text.find('{') != std::string_view::npos) match_braces();
  }

  std::string run();

 private:
  static constexpr int kDeepest = 32;
  static constexpr std::size_t kLongestMaths = 1000;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Closing brace of each opening one, found once, so that nested groups cost linear time.
  void match_braces();

  /// Index of the brace closing the one at `at`, before `end`; kNone when there is none.
  [[nodiscard]] std::size_t closing(std::size_t at, std::size_t end) const;

  [[nodiscard]] char at(std::size_t i, std::size_t end) const { return i < end ? text_[i] : '\0'; }

  void parse(std::size_t begin, std::size_t end, int depth);

  /// "Figure~1" is a tie; "~90 %" and "/~name" are not.
  [[nodiscard]] bool is_tie(std::size_t i, std::size_t end) const;

  std::size_t quotes(std::size_t i, std::size_t end);

  std::size_t dashes(std::size_t i, std::size_t end);

  std::size_t group(std::size_t i, std::size_t end, int depth);

  /// Braces around words protect their case; braces around `0,1` or `x|y` are a set.
  [[nodiscard]] bool groups_words(std::size_t begin, std::size_t end) const;

  /// Maths is kept; the closing dollar is found by pandoc's rule, so that "$5 to $10" is money.
  std::size_t dollar(std::size_t i, std::size_t end, int depth);

  [[nodiscard]] std::size_t closing_dollar(std::size_t begin, std::size_t end) const;

  void maths(std::size_t begin, std::size_t end, std::size_t width, int depth);

  /// "$31\%$" and "$>$" need no maths.
  [[nodiscard]] static bool only_a_number(std::string_view inside);

  /// `\textbf{Word}` and the like, nothing else.
  [[nodiscard]] bool only_words(std::size_t begin, std::size_t end) const;

  std::size_t command(std::size_t i, std::size_t end, int depth);

  std::size_t control_symbol(std::size_t i, std::size_t end, int depth);

  /// `\"word\"` is a quotation that was escaped twice; `na\"ive` and `\"Uber` are umlauts.
  [[nodiscard]] bool is_quotation(std::size_t i, std::size_t end) const;

  std::size_t maths_block(std::size_t i, std::string_view closing_mark, std::size_t end);

  /// A line break, unless a known command follows: then the backslash was escaped twice.
  std::size_t double_backslash(std::size_t i, std::size_t end, int depth);

  /// An accent over the letter at `i`: `e`, `{e}`, `\i`, `{\i}`. kNone when no letter follows.
  std::size_t accent(char32_t mark, std::size_t i, std::size_t end, bool named_command);

  std::size_t named(std::size_t i, std::string_view name, std::size_t name_end, std::size_t end, int depth);

  std::size_t unknown(std::size_t i, std::string_view name, std::size_t name_end, std::size_t end, int depth);

  std::size_t as_written(std::size_t i, std::size_t name_end, std::size_t end);

  /// `\o{}` and `\o ` both end here.
  [[nodiscard]] std::size_t skip_command_end(std::size_t i, std::size_t end) const;

  [[nodiscard]] std::size_t skip_options(std::size_t i, std::size_t end) const;

  std::size_t drop(std::string_view name, std::size_t name_end, std::size_t end);

  /// Publishers' systems leave whole LaTeX documents beside a formula that stands in the text already.
  std::size_t skip_preamble(std::size_t name_end, std::size_t end);

  std::size_t argument(std::size_t i, std::size_t end, int depth);

  std::string_view text_;
  bool bibtex_;
  bool quoted_ = false;
  std::size_t no_round_close_ = 0;
  std::size_t no_square_close_ = 0;
  mutable std::size_t escaped_quotes_open_ = kNone;
  std::vector<std::uint32_t> match_;
  std::string out_;
};

// Character classes that both source files of the reader use.
[[nodiscard]] constexpr bool latex_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] constexpr bool latex_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool latex_blank(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
/// ASCII letters and any byte of another script: part of a word.
[[nodiscard]] constexpr bool latex_word(char c) noexcept {
  return latex_letter(c) || latex_digit(c) || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace mustcite::text
