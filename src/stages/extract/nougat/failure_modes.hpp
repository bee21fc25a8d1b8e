#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stages/extract/document.hpp"

namespace mustcite::extract::nougat {

/// From these shares on a paper has the failure mode. The published pipeline states the first one; the others
/// are set from real outputs (docs/methods/failure-modes.md).
struct Thresholds {
  double tag_share = 0.3;       ///< Type III: entries with alpha tags against a body with numbers
  double moved_share = 0.1;     ///< Type I: entries that carry the number of another entry of the PDF
  std::size_t least_moved = 2;  ///< … and at least so many
  double invented_share = 0.4;  ///< Type IV: author-year marks that name no entry
  std::size_t least_invented = 6;
  double lost_text_share = 0.5;  ///< of the PDF's text
};

/// Type I needs the PDF: entries that are the same work under another number, told by their words. Also
/// compares what is cited how often, the numbered headings and the amount of text. Adds problems to `nougat`.
void compare_with_native(Document& nougat, const Document& native, const Thresholds& thresholds = {});

/// Types III and IV as far as the output alone shows them: tags against numbers, and marks that name no
/// entry. `tag_share` is that of the list; `body` is the text with its formulas blanked.
void note_mismatch(Document& document, const std::string& body, double tag_share,
                   const Thresholds& thresholds = {});

/// Text that repeats itself without end, and entries that come again and again.
void note_repetition(Document& document, const std::vector<std::string>& paragraphs);

}  // namespace mustcite::extract::nougat
