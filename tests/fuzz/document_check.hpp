#pragma once

#include <cstddef>
#include <cstdlib>

#include "core/text/normalise.hpp"
#include "stages/extract/document.hpp"

/// Aborts unless the document holds together: text in UTF-8, sections that cover it, sentences in order, mentions and
/// what they name in range.
inline void check_document(const mustcite::extract::Document& document) {
  std::size_t last = 0;
  for (const auto& sentence : document.sentences) {
    if (sentence.begin < last || sentence.end > document.text.size()) std::abort();
    last = sentence.end;
  }
  std::size_t end = 0;
  for (const auto& section : document.sections) {
    if (section.span.begin != end || section.span.end < end) std::abort();
    end = section.span.end;
  }
  if (end != document.text.size() || !mustcite::text::is_valid_utf8(document.text)) std::abort();
  for (const auto& mention : document.mentions) {
    if (mention.span.begin > mention.span.end || mention.span.end > document.text.size() ||
        mention.references.empty() || mention.section >= document.sections.size())
      std::abort();
    for (const auto reference : mention.references) {
      if (reference >= document.references.size()) std::abort();
    }
    if (mustcite::extract::context_window(document, mention).end > document.text.size()) std::abort();
  }
}
