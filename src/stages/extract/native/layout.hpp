#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/pdf/content.hpp"

/// From words with places to lines in reading order.
namespace mustcite::extract::native {

/// A word ready for reading: NFC, ligatures taken apart, small capitals joined.
struct Token {
  std::string text;
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  float size = 0;
  bool glued = false;  ///< no space before it
  bool bold = false;
  bool italic = false;
  bool math = false;    ///< set in a font for formulas
  bool raised = false;  ///< smaller and higher than its line: a superscript
};

/// Where a line stands among the columns of its page.
enum class Column : std::uint8_t { whole, left, right };

struct Line {
  std::vector<Token> tokens;  ///< from left to right; never empty
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  float size = 0;  ///< of most of its characters
  bool bold = false;
  bool italic = false;
  Column column = Column::whole;
  std::uint32_t page = 1;
  std::uint32_t band = 0;  ///< number of its block of columns on the page, from the top

  /// The tokens with their spaces.
  [[nodiscard]] std::string text() const;
};

struct PageLayout {
  float width = 0, height = 0;
  bool two_columns = false;
  float gutter_begin = 0, gutter_end = 0;
  std::vector<Line> lines;  ///< in reading order, running heads, page numbers and line numbers removed
};

struct Layout {
  std::vector<PageLayout> pages;
  float body_size = 10;           ///< size of most characters
  float body_leading = 12;        ///< usual distance between lines of one paragraph
  std::size_t removed_lines = 0;  ///< running heads, page numbers, line numbers
};

[[nodiscard]] Layout lay_out(const pdf::Content& content);

/// What stands in the way of reading the words at all; empty when nothing does. Scans have no words, some
/// encodings give control and private characters, others letters that form no words.
[[nodiscard]] std::string unreadable_because(const pdf::Content& content);

}  // namespace mustcite::extract::native
