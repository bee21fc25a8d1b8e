#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stages/extract/document.hpp"

/// The parts of the Nougat reader: its markup is Markdown with LaTeX formulas and tables.
namespace mustcite::extract::nougat {

/// One block of lines.
struct Block {
  enum class Kind {
    heading,
    paragraph,
    item,        ///< "* …"; without the star
    table,       ///< a LaTeX table, rows parted by line ends
    formula,     ///< a displayed one
    lost_page,   ///< Nougat's mark that it gave up a page; `text` is the mark
    repetition,  ///< what Nougat cut because it repeated itself
  };
  Kind kind = Kind::paragraph;
  int level = 0;  ///< of a heading: number of '#'
  std::string text;
};

/// The blocks of a file, in order. Linear in its size; anything is accepted.
[[nodiscard]] std::vector<Block> read_blocks(std::string_view markup);

/// Text that is built from markup, and what stands where in it.
struct PlainText {
  std::string text;
  std::vector<Span> raised;    ///< superscripts that hold numbers only: "12" of `\({}^{12}\)`
  std::vector<Span> formulas;  ///< kept as written, delimiters included
};

/// Appends markup as plain text: emphasis marks and backslashes go, links leave their text, white space is
/// folded, in NFC. Formulas stay as LaTeX.
void append_plain(std::string_view markup, PlainText& out);

/// The same as a string of its own.
[[nodiscard]] std::string plain(std::string_view markup);

}  // namespace mustcite::extract::nougat
