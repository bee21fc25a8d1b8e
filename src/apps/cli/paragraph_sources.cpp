#include "apps/cli/paragraph_sources.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/normalise.hpp"
#include "engine/paragraph/marks.hpp"

namespace mustcite::cli {
namespace {

using extract::Document;
using extract::Span;
using paragraph::Kind;
using paragraph::Paragraph;

Kind kind_of(extract::SectionKind kind) {
  if (kind == extract::SectionKind::related_work) return Kind::related_work;
  return kind == extract::SectionKind::introduction ? Kind::introduction : Kind::other;
}

bool wanted(Kind kind, Sections sections) {
  return sections == Sections::all || kind == Kind::related_work ||
         (sections == Sections::leading && kind == Kind::introduction);
}

/// Pieces of the text between empty lines.
std::vector<Span> pieces(std::string_view text, Span within) {
  std::vector<Span> found;
  for (std::size_t begin = within.begin; begin < within.end;) {
    const std::size_t end = std::min(text.find("\n\n", begin), within.end);
    if (end > begin) found.push_back({begin, end});
    begin = end + 2;
  }
  return found;
}

void add_once(std::vector<PaperId>& ids, const std::vector<PaperId>& more) {
  for (const auto& id : more) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
}

/// Sentences of a piece with what their marks cite.
Paragraph read_piece(const ParagraphSource& source, Span piece) {
  const Document& document = *source.document;
  Paragraph paragraph;
  auto mention =
      std::lower_bound(document.mentions.begin(), document.mentions.end(), piece.begin,
                       [](const extract::Mention& m, std::size_t at) { return m.span.begin < at; });
  const auto first = std::upper_bound(document.sentences.begin(), document.sentences.end(), piece.begin,
                                      [](std::size_t at, const Span& s) { return at < s.end; });
  for (auto sentence = first; sentence != document.sentences.end() && sentence->begin < piece.end;
       ++sentence) {
    const std::size_t begin = std::max(sentence->begin, piece.begin);
    const std::size_t end = std::min(sentence->end, piece.end);
    std::string text = text::clean(std::string_view(document.text).substr(begin, end - begin));
    if (text.empty()) continue;
    std::vector<PaperId> cited;
    for (; mention != document.mentions.end() && mention->span.begin < end; ++mention) {
      for (const auto reference : mention->references) {
        if (reference < source.works.size()) add_once(cited, source.works[reference]);
      }
    }
    add_once(paragraph.cited, cited);
    paragraph.sentences.push_back(std::move(text));
    paragraph.cited_by_sentence.push_back(std::move(cited));
  }
  return paragraph;
}

}  // namespace

std::vector<Paragraph> paragraphs_of(const ParagraphSource& source, Sections sections) {
  std::vector<Paragraph> paragraphs;
  for (const auto& section : source.document->sections) {
    const Kind kind = kind_of(section.kind);
    if (!wanted(kind, sections)) continue;
    for (const Span& piece : pieces(source.document->text, section.span)) {
      Paragraph paragraph = read_piece(source, piece);
      // A heading has no sentence of its own, or is the section's heading.
      if (paragraph.sentences.empty() || paragraph.sentences.front() == section.heading) continue;
      paragraph.id = fmt::format("{}-{}", source.name, paragraphs.size() + 1);
      paragraph.citing = source.citing.empty() ? PaperId(source.name) : source.citing;
      paragraph.citing_year = source.citing_year;
      paragraph.section = section.heading;
      paragraph.kind = kind;
      paragraphs.push_back(std::move(paragraph));
    }
  }
  return paragraphs;
}

std::vector<Paragraph> plain_paragraphs(std::string_view text, const std::string& name) {
  Document document;
  document.text = text::nfc(text::repair_utf8(text));
  // A line of white space parts paragraphs like an empty one.
  for (std::size_t at = document.text.find('\n'); at != std::string::npos;
       at = document.text.find('\n', at + 1)) {
    std::size_t end = at + 1;
    while (end < document.text.size() &&
           (document.text[end] == ' ' || document.text[end] == '\t' || document.text[end] == '\r'))
      ++end;
    if (end < document.text.size() && document.text[end] == '\n') document.text.erase(at + 1, end - at - 1);
  }
  extract::Section section;
  section.kind = extract::SectionKind::related_work;
  section.span = {0, document.text.size()};
  document.sections.push_back(section);
  // Marks are masked for the splitter, so that no stop inside one ends a sentence.
  for (const auto& mark : paragraph::find_marks(document.text)) {
    extract::Mention mention;
    mention.span = {mark.begin, mark.end};
    document.mentions.push_back(std::move(mention));
  }
  extract::set_sentences(document);
  ParagraphSource source;
  source.document = &document;
  source.name = name;
  return paragraphs_of(source, Sections::related);
}

}  // namespace mustcite::cli
