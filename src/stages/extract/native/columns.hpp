#pragma once

#include <vector>

#include "stages/extract/native/layout.hpp"

namespace mustcite::extract::native {

/// The white strip between two columns; `found` is false on pages with one.
struct Gutter {
  bool found = false;
  float begin = 0;
  float end = 0;
  [[nodiscard]] float middle() const noexcept { return (begin + end) / 2; }
};

/// Looks for the strip in the middle third of the page that few words cross and that lines on both sides line
/// up with. `least_rows`: lines needed on each side; fewer suffice where other pages of the paper have the
/// same gutter.
[[nodiscard]] Gutter find_gutter(const std::vector<Token>& tokens, float page_width, std::size_t least_rows);

/// The gutter of the paper's other pages on a page that has none of its own, because most of it is set over
/// the whole width: found when some lines leave it free and go on where the right column begins.
[[nodiscard]] Gutter find_usual_gutter(const std::vector<Token>& tokens, const Gutter& usual);

/// Joins the tokens of one column that stand on one line. Tokens may come in any order.
[[nodiscard]] std::vector<Line> make_lines(std::vector<Token> tokens);

/// All lines of a page in reading order: bands between lines that cross the gutter, in each band the left
/// column first.
[[nodiscard]] std::vector<Line> page_lines(std::vector<Token> tokens, const Gutter& gutter);

/// Sets extent, size and style from the tokens, and which of them are raised.
void measure(Line& line);

}  // namespace mustcite::extract::native
