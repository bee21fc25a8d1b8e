#include "stages/extract/native/citation_links.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>

namespace mustcite::extract::native {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;

bool is_word_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

/// The part of a word that lies in the rectangle: whole runs of letters and digits whose middle is inside,
/// taking the word's characters as equally wide.
Span part_inside(const Piece& piece, std::string_view text, const pdf::Link& link) {
  Span part{0, 0};
  const auto n = static_cast<float>(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_word_byte(text[at]) || text.substr(at).starts_with("–") || text.substr(at).starts_with("—")) {
      at += is_word_byte(text[at]) ? 3 : 1;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word_byte(text[end]) && !text.substr(end).starts_with("–") &&
           !text.substr(end).starts_with("—"))
      ++end;
    const float middle = piece.x0 + (piece.x1 - piece.x0) * (static_cast<float>(at + end) / 2) / n;
    if (middle > link.x0 - 0.5F && middle < link.x1 + 0.5F) {
      if (part.end == 0) part.begin = piece.begin + at;
      part.end = piece.begin + end;
    }
    at = end;
  }
  return part;
}

class LinkReader {
 public:
  LinkReader(const pdf::Content& content, const Flow& flow, const ReferenceList& list,
             const std::vector<ReferenceEntry>& entries, const Body& body)
      : content_(content), flow_(flow), list_(list), entries_(entries), body_(body) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i].destination.empty()) by_name_[entries[i].destination] = static_cast<std::uint32_t>(i);
    }
    for (const auto& destination : content.destinations) destinations_[destination.name] = &destination;
    for (std::size_t i = 0; i < body.pieces.size(); ++i) by_page_[body.pieces[i].page].push_back(i);
  }

  LinkMentions read() {
    LinkMentions found;
    for (std::size_t p = 0; p < content_.pages.size(); ++p) {
      for (const auto& link : content_.pages[p].links) {
        const std::uint32_t entry = entry_of(link);
        if (entry == kNone) continue;
        Mention mention;
        mention.span = span_of(link, static_cast<std::uint32_t>(p + 1));
        mention.references = {entry};
        mention.confidence = 0.99;
        mention.evidence = static_cast<std::uint8_t>(Evidence::link);
        mention.box = {static_cast<std::uint32_t>(p + 1), link.x0, link.y0, link.x1, link.y1};
        (is_marker(mention.span) ? found.mentions : found.astray).push_back(std::move(mention));
      }
    }
    std::sort(found.mentions.begin(), found.mentions.end(),
              [](const Mention& a, const Mention& b) { return a.span.begin < b.span.begin; });
    found.mentions = joined(std::move(found.mentions));
    return found;
  }

 private:
  std::uint32_t entry_of(const pdf::Link& link) const {
    if (!link.destination.empty()) {
      if (const auto at = by_name_.find(link.destination); at != by_name_.end()) return at->second;
      if (const auto at = destinations_.find(link.destination);
          at != destinations_.end() && !link.destination.starts_with("cite.")) {
        const bool other =
            link.destination.starts_with("section") || link.destination.starts_with("figure") ||
            link.destination.starts_with("table") || link.destination.starts_with("equation") ||
            link.destination.starts_with("page.") || link.destination.starts_with("Hfootnote") ||
            link.destination.starts_with("appendix") || link.destination.starts_with("subsection");
        return other ? kNone : entry_at(at->second->page, at->second->x, at->second->y);
      }
      return kNone;
    }
    return link.page != 0 ? entry_at(link.page, link.x, link.y) : kNone;
  }

  /// A marker holds a digit or a capital, or is the letter behind a year ("2010a, b").
  bool is_marker(const Span& span) const {
    const std::string_view text = std::string_view(body_.text).substr(span.begin, span.end - span.begin);
    if (std::any_of(text.begin(), text.end(), [](char c) {
          return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
        }))
      return true;
    if (text.size() != 1) return text.size() > 3;
    const std::size_t before = body_.text.find_last_not_of(' ', span.begin == 0 ? 0 : span.begin - 1);
    return before != std::string::npos &&
           std::string_view(",;&0123456789").find(body_.text[before]) != std::string_view::npos;
  }

  /// The entry whose first line stands at the place, or begins right under it.
  std::uint32_t entry_at(std::uint32_t page, float x, float y) const {
    std::uint32_t best = kNone;
    float best_off = 22;
    for (std::size_t i = 0; i < list_.starts.size(); ++i) {
      const Line& line = flow_[list_.starts[i]];
      if (line.page != page) continue;
      const float below = line.y0 - y;
      if (below < -8 || std::fabs(below) >= best_off) continue;
      if (x > 1 && (x > line.x1 || x < line.x0 - 80)) continue;
      best_off = std::fabs(below);
      best = static_cast<std::uint32_t>(i);
    }
    return best;
  }

  Span span_of(const pdf::Link& link, std::uint32_t page) const {
    Span span{0, 0};
    const auto pieces = by_page_.find(page);
    if (pieces == by_page_.end()) return span;
    for (const std::size_t i : pieces->second) {
      const Piece& piece = body_.pieces[i];
      const float middle = (piece.y0 + piece.y1) / 2;
      if (middle < link.y0 - 1 || middle > link.y1 + 1 || piece.x1 < link.x0 || piece.x0 > link.x1) continue;
      const Span part =
          part_inside(piece, std::string_view(body_.text).substr(piece.begin, piece.end - piece.begin), link);
      if (part.end == 0) continue;
      // A rectangle lies on one line: words far away in the text are of another column or a raised neighbour.
      if (span.end != 0 && part.begin > span.end + 40) break;
      if (span.end == 0) span.begin = part.begin;
      span.end = part.end;
    }
    return span;
  }

  /// Author and year, or the two halves of a marker that a line's end parts.
  std::vector<Mention> joined(std::vector<Mention> mentions) const {
    std::vector<Mention> out;
    for (auto& mention : mentions) {
      if (!out.empty() && out.back().references == mention.references &&
          nothing_between(out.back().span.end, mention.span.begin)) {
        out.back().span.end = std::max(out.back().span.end, mention.span.end);
        continue;
      }
      out.push_back(std::move(mention));
    }
    return out;
  }

  bool nothing_between(std::size_t from, std::size_t to) const {
    if (to <= from) return true;
    if (to - from > 12) return false;
    const std::string_view between = std::string_view(body_.text).substr(from, to - from);
    // "[3], [3]" are two markers; "Smith et al. (2010" is one.
    if (between.find(']') != std::string_view::npos || between.find(';') != std::string_view::npos ||
        between.find(')') != std::string_view::npos)
      return false;
    return std::none_of(between.begin(), between.end(),
                        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
  }

  const pdf::Content& content_;
  const Flow& flow_;
  const ReferenceList& list_;
  const std::vector<ReferenceEntry>& entries_;
  const Body& body_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::unordered_map<std::string, const pdf::Destination*> destinations_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> by_page_;
};

bool overlap(const Span& a, const Span& b) {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

LinkMentions link_mentions(const pdf::Content& content, const Flow& flow, const ReferenceList& list,
                           const std::vector<ReferenceEntry>& entries, const Body& body) {
  return LinkReader(content, flow, list, entries, body).read();
}

std::vector<Mention> merge_mentions(LinkMentions found, std::vector<Mention> text,
                                    std::size_t& disagreements) {
  auto& links = found.mentions;
  std::vector<bool> used(links.size(), false);
  std::size_t confirmed = 0;
  std::vector<Mention> merged;
  std::vector<Mention> alone;
  std::size_t at = 0;
  for (auto& mention : text) {
    while (at < links.size() && links[at].span.end <= mention.span.begin) ++at;
    bool met = false;
    for (std::size_t i = at; i < links.size() && links[i].span.begin < mention.span.end; ++i) {
      if (!overlap(links[i].span, mention.span)) continue;
      met = true;
      const bool same = std::find(mention.references.begin(), mention.references.end(),
                                  links[i].references.front()) != mention.references.end();
      if (!same) {
        ++disagreements;
        links[i].confidence = 0.9;
        continue;
      }
      links[i].evidence |= mention.evidence;
      links[i].confidence = 0.995;
      links[i].group = mention.group;
      // A range "3-5" carries links on its ends only: it keeps all its references.
      if (mention.references.size() > links[i].references.size()) links[i].references = mention.references;
      links[i].span = {std::min(links[i].span.begin, mention.span.begin),
                       std::max(links[i].span.end, mention.span.end)};
      ++confirmed;
    }
    if (!met) alone.push_back(std::move(mention));
  }
  const bool linked_paper = confirmed > alone.size() * 4 && confirmed >= 5;
  for (auto& link : links) {
    if (!merged.empty() && merged.back().references == link.references &&
        overlap(merged.back().span, link.span)) {
      merged.back().span.end = std::max(merged.back().span.end, link.span.end);
      merged.back().evidence |= link.evidence;
      continue;
    }
    merged.push_back(std::move(link));
  }
  for (auto& mention : alone) {
    const auto strayed = std::find_if(found.astray.begin(), found.astray.end(), [&](const Mention& link) {
      return link.box.page == mention.box.page && link.references == mention.references;
    });
    if (strayed != found.astray.end()) {
      found.astray.erase(strayed);
      mention.evidence |= static_cast<std::uint8_t>(Evidence::link);
      mention.confidence = std::max(mention.confidence, 0.97);
    } else if (linked_paper) {
      mention.confidence *= 0.6;
    }
    merged.push_back(std::move(mention));
  }
  std::sort(merged.begin(), merged.end(),
            [](const Mention& a, const Mention& b) { return a.span.begin < b.span.begin; });
  return merged;
}

}  // namespace mustcite::extract::native
