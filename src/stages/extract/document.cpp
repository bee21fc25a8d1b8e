#include "stages/extract/document.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace mustcite::extract {

const char* reader_name(Reader reader) noexcept {
  switch (reader) {
    case Reader::native:
      return "native";
    case Reader::grobid:
      return "grobid";
    case Reader::nougat:
      return "nougat";
  }
  return "native";
}

const char* section_kind_name(SectionKind kind) noexcept {
  constexpr std::array kNames{"abstract",   "introduction", "related work", "method", "experiments",
                              "discussion", "conclusion",   "appendix",     "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* problem_name(ProblemKind kind) noexcept {
  constexpr std::array kNames{"needs-nougat",       "no-references",      "unlinked-markers",
                              "uncited-references", "disagreement",       "renumbered-references",
                              "digit-confusion",    "alpha-tag-mismatch", "invented-citations",
                              "missing-pages",      "repetition",         "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* style_name(ReferenceStyle style) noexcept {
  switch (style) {
    case ReferenceStyle::unknown:
      return "unknown";
    case ReferenceStyle::numeric:
      return "numeric";
    case ReferenceStyle::alpha:
      return "alpha";
    case ReferenceStyle::author_year:
      return "author-year";
  }
  return "unknown";
}

std::uint32_t section_at(const Document& document, std::size_t at) {
  assert(!document.sections.empty());
  const auto next = std::upper_bound(
      document.sections.begin(), document.sections.end(), at,
      [](std::size_t offset, const Section& section) { return offset < section.span.begin; });
  return next == document.sections.begin() ? 0
                                           : static_cast<std::uint32_t>(next - document.sections.begin() - 1);
}

Span context_window(const Document& document, const Mention& mention) {
  const auto& sentences = document.sentences;
  if (sentences.empty()) return mention.span;
  const Span section =
      document.sections.empty() ? Span{0, document.text.size()} : document.sections[mention.section].span;
  auto own = std::upper_bound(sentences.begin(), sentences.end(), mention.span.begin,
                              [](std::size_t at, const Span& sentence) { return at < sentence.begin; });
  if (own != sentences.begin()) --own;
  Span window = *own;
  window.end = std::max(window.end, std::min(mention.span.end, section.end));
  if (own != sentences.begin() && (own - 1)->begin >= section.begin) window.begin = (own - 1)->begin;
  if (own + 1 != sentences.end() && (own + 1)->end <= section.end)
    window.end = std::max(window.end, (own + 1)->end);
  return window;
}

}  // namespace mustcite::extract
