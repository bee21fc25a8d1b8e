#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stages/extract/document.hpp"

namespace mustcite::extract {

/// What the text rules found, led by the paper's own reference list.
struct TextMentions {
  std::vector<Mention> mentions;  ///< ascending; box and section are not set
  std::vector<Span> unlinked;     ///< bracketed markers that look like citations and name no entry
};

/// Finds the markers of `document.references` in `document.text`, by `document.style`. `raised` are the
/// superscripts of the text, ascending; readers that know none pass none.
[[nodiscard]] TextMentions find_mentions(const Document& document, const std::vector<Span>& raised);

/// The parts of it. Numbers in brackets, as superscripts or in parentheses; alpha tags; names and years.
void find_numeric(const Document& document, const std::vector<Span>& raised, TextMentions& out);
void find_tags(const Document& document, TextMentions& out);
void find_author_year(const Document& document, TextMentions& out);

/// Share of the references that some mention names.
[[nodiscard]] double coverage(const Document& document, const std::vector<Mention>& mentions);

}  // namespace mustcite::extract
