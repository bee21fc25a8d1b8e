#include <algorithm>

#include <fmt/format.h>

#include "core/text/normalise.hpp"
#include "stages/extract/extract.hpp"
#include "stages/extract/mentions.hpp"
#include "stages/extract/native/body.hpp"
#include "stages/extract/native/citation_links.hpp"
#include "stages/extract/native/headings.hpp"
#include "stages/extract/native/reference_list.hpp"

namespace mustcite::extract {
namespace {

using namespace native;

/// Superscripts of the text: neighbouring raised words are one.
std::vector<Span> raised_spans(const Body& body) {
  std::vector<Span> spans;
  for (const auto& piece : body.pieces) {
    if (!piece.raised) continue;
    if (!spans.empty() && piece.begin <= spans.back().end + 1)
      spans.back().end = piece.end;
    else
      spans.push_back({piece.begin, piece.end});
  }
  return spans;
}

/// The place of a mention's first word, where links have not given one.
void set_boxes(const Body& body, std::vector<Mention>& mentions) {
  for (auto& mention : mentions) {
    if (mention.box.known()) continue;
    auto piece = std::upper_bound(body.pieces.begin(), body.pieces.end(), mention.span.begin,
                                  [](std::size_t at, const Piece& other) { return at < other.end; });
    if (piece == body.pieces.end()) continue;
    mention.box = {piece->page, piece->x0, piece->y0, piece->x1, piece->y1};
    for (++piece; piece != body.pieces.end() && piece->begin < mention.span.end; ++piece) {
      if (piece->page != mention.box.page || piece->y0 > mention.box.y1 || piece->x0 < mention.box.x0) break;
      mention.box.x1 = std::max(mention.box.x1, piece->x1);
    }
  }
}

/// Paragraphs of the abstract's section, without its heading.
std::string abstract_of(const Document& document) {
  for (const auto& section : document.sections) {
    if (section.kind != SectionKind::abstract) continue;
    std::string_view text =
        std::string_view(document.text).substr(section.span.begin, section.span.end - section.span.begin);
    text.remove_prefix(std::min(text.size(), section.heading.size()));
    return text::clean_abstract(text.substr(0, 6000));
  }
  return {};
}

void check(Document& document, const TextMentions& text, std::size_t disagreements) {
  if (!text.unlinked.empty()) {
    const Span first = text.unlinked.front();
    document.problems.push_back(
        {ProblemKind::unlinked_markers,
         fmt::format("{} markers name no entry of the list, the first one is \"{}\"", text.unlinked.size(),
                     document.text.substr(first.begin, std::min<std::size_t>(60, first.end - first.begin)))});
  }
  if (disagreements > 0)
    document.problems.push_back(
        {ProblemKind::disagreement,
         fmt::format("links and text name different entries at {} places; the links are kept",
                     disagreements)});
  const double covered = coverage(document, document.mentions);
  if (covered < 0.7)
    document.problems.push_back(
        {ProblemKind::uncited_references, fmt::format("no mention was found for {:.0f} % of {} entries",
                                                      (1 - covered) * 100, document.references.size())});
}

}  // namespace

Document read_content(const pdf::Content& content, std::string_view name, const Options& options) {
  Document document;
  document.provenance.reader = Reader::native;
  document.provenance.source = name;
  document.provenance.tool = content.tool;
  document.provenance.pages = static_cast<std::uint32_t>(content.pages.size());
  if (const std::string reason = unreadable_because(content); !reason.empty()) {
    document.problems.push_back({ProblemKind::needs_nougat, reason});
    set_sentences(document);
    return document;
  }
  const Layout layout = lay_out(content);
  const Flow flow(layout);
  ReferenceList list = find_list(flow);
  const bool by_destinations = options.link_annotations && segment_by_destinations(flow, content, list);
  if (list.found() && !by_destinations) segment_by_print(flow, list);
  if (list.found()) document.references = make_entries(flow, list, document.style);
  document.provenance.segmentation = list.signal;
  if (options.labeller != nullptr) {
    for (auto& entry : document.references) options.labeller->read_fields(entry);
  }

  const auto headings = find_headings(flow, list, options.link_annotations ? &content : nullptr);
  FrontMatter front = read_front_matter(flow, headings, content);
  document.title = std::move(front.title);
  document.authors = std::move(front.authors);
  Body body = make_body(flow, list, headings, front.body_begin);
  document.text = body.text;
  document.sections = body.sections;
  set_section_kinds(document.sections, body.levels);
  document.abstract = abstract_of(document);
  if (document.references.empty()) {
    document.problems.push_back({ProblemKind::no_references, "no reference list was found"});
    set_sentences(document);
    return document;
  }

  TextMentions text = find_mentions(document, raised_spans(body));
  if (body.supplement != 0) {
    const auto kept = std::remove_if(text.mentions.begin(), text.mentions.end(), [&](const Mention& mention) {
      return mention.span.begin >= body.supplement;
    });
    const auto dropped = text.mentions.end() - kept;
    text.mentions.erase(kept, text.mentions.end());
    document.problems.push_back(
        {ProblemKind::other,
         fmt::format(
             "a supplement has a reference list of its own, which is not read; its {} markers are left out",
             dropped)});
  }
  std::size_t disagreements = 0;
  if (options.link_annotations) {
    auto links = link_mentions(content, flow, list, document.references, body);
    document.provenance.used_links = !links.mentions.empty();
    set_boxes(body, text.mentions);
    document.mentions = merge_mentions(std::move(links), std::move(text.mentions), disagreements);
  } else {
    document.mentions = std::move(text.mentions);
  }
  std::erase_if(document.mentions,
                [&](const Mention& mention) { return mention.confidence < options.min_confidence; });
  set_boxes(body, document.mentions);
  set_sentences(document);
  check(document, text, disagreements);
  return document;
}

}  // namespace mustcite::extract
