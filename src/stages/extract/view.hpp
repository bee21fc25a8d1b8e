#pragma once

#include <string>

#include "stages/extract/document.hpp"

namespace mustcite::extract {

/// The paper as plain text with every mention marked by the numbers of its entries and its confidence, then
/// the entries with their counts of mentions, then the problems. For terminals.
[[nodiscard]] std::string text_view(const Document& document);

/// The same as one self-contained HTML page: counts and problems, headings and paragraphs, mentions coloured by
/// confidence (green from 0.95, yellow from 0.8, red below), each a link to its entry. Everything printed is
/// escaped.
[[nodiscard]] std::string html_view(const Document& document);

}  // namespace mustcite::extract
