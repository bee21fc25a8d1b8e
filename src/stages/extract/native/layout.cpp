#include "stages/extract/native/layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_set>

#include <fmt/format.h>

#include "core/text/normalise.hpp"
#include "core/text/unicode.hpp"
#include "stages/extract/native/columns.hpp"
#include "stages/extract/native/tokens.hpp"

namespace mustcite::extract::native {
namespace {

/// Letters of a line in lower case: what repeats in running heads while the numbers change.
std::string letters_of(const Line& line) {
  std::string key;
  for (const auto& token : line.tokens) {
    for (const char c : token.text) {
      if (static_cast<unsigned char>(c) >= 0x80 || std::isalpha(static_cast<unsigned char>(c)) != 0) {
        key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
    }
  }
  return key;
}

bool is_page_number(const Line& line) {
  const std::string text = line.text();
  std::size_t digits = 0;
  std::string letters;
  for (const char c : text) {
    if (c >= '0' && c <= '9')
      ++digits;
    else if (std::isalpha(static_cast<unsigned char>(c)) != 0)
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (text.size() <= 8 && digits > 0 && digits <= 5 && letters.empty()) return true;
  if (letters == "page" || letters == "pageof" || (letters == "of" && digits >= 2 && text.size() < 12))
    return digits > 0;
  return digits == 0 && text.size() <= 6 && !letters.empty() &&
         letters.find_first_not_of("ivxl") == std::string::npos;
}

struct Zone {
  bool top = false;
  bool bottom = false;
};
/// The outermost lines of a page reach from `first` to `last`.
struct Extent {
  float first = 1e9F;
  float last = -1e9F;
};
Extent extent_of(const PageLayout& page) {
  Extent extent;
  for (const auto& line : page.lines) {
    extent.first = std::min(extent.first, line.y0);
    extent.last = std::max(extent.last, line.y1);
  }
  return extent;
}

/// Small pages on large paper have their heads further in: there only the outermost line counts.
Zone zone_of(const Line& line, const Extent& extent, float height) {
  Zone zone{line.y1<height * 0.115F, line.y0> height * 0.89F};
  if (line.y0 < extent.first + 3 && line.y1 < height * 0.2F) zone.top = true;
  if (line.y1 > extent.last - 3 && line.y0 > height * 0.8F) zone.bottom = true;
  return zone;
}

/// Marks the lines that repeat at the head or foot of pages, and page numbers there.
std::vector<std::vector<bool>> furniture(const std::vector<PageLayout>& pages) {
  std::map<std::pair<std::string, bool>, std::set<std::size_t>> seen;
  for (std::size_t p = 0; p < pages.size(); ++p) {
    const Extent extent = extent_of(pages[p]);
    for (const auto& line : pages[p].lines) {
      const Zone zone = zone_of(line, extent, pages[p].height);
      if (zone.top || zone.bottom) seen[{letters_of(line), zone.top}].insert(p);
    }
  }
  std::vector<std::vector<bool>> marks(pages.size());
  for (std::size_t p = 0; p < pages.size(); ++p) {
    const auto& lines = pages[p].lines;
    marks[p].assign(lines.size(), false);
    const auto [first, last] = extent_of(pages[p]);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Zone zone = zone_of(lines[i], {first, last}, pages[p].height);
      const bool lowest = lines[i].y1 > last - 1 && lines[i].y0 > pages[p].height * 0.7F;
      if (lowest && is_page_number(lines[i])) marks[p][i] = true;
      if (!zone.top && !zone.bottom) continue;
      const std::string key = letters_of(lines[i]);
      const std::size_t repeats = seen[{key, zone.top}].size();
      // A head or foot is the outermost line of its page, or stands at its height.
      const bool outermost = zone.top ? lines[i].y0 < first + 14 : lines[i].y1 > last - 14;
      if (outermost && is_page_number(lines[i])) marks[p][i] = true;
      if (key.size() >= 5 && (repeats >= 3 || (repeats == 2 && outermost))) marks[p][i] = true;
    }
  }
  return marks;
}

/// The gutter that more than half of the pages have alike, at its narrowest.
Gutter shared_gutter(const std::vector<Gutter>& gutters) {
  Gutter shared;
  std::size_t most = gutters.size() / 2;
  for (const auto& gutter : gutters) {
    if (!gutter.found) continue;
    Gutter narrow = gutter;
    std::size_t alike = 0;
    for (const auto& other : gutters) {
      if (!other.found || std::fabs(other.end - gutter.end) > 2) continue;
      ++alike;
      narrow.begin = std::max(narrow.begin, other.begin);
      narrow.end = std::min(narrow.end, other.end);
    }
    if (alike <= most) continue;
    most = alike;
    shared = narrow;
  }
  return shared;
}

void set_body(Layout& layout) {
  std::map<int, std::size_t> sizes;
  for (const auto& page : layout.pages) {
    for (const auto& line : page.lines) {
      for (const auto& token : line.tokens)
        sizes[static_cast<int>(std::lround(token.size * 2))] += token.text.size();
    }
  }
  if (sizes.empty()) return;
  const auto usual = std::max_element(sizes.begin(), sizes.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  layout.body_size = static_cast<float>(usual->first) / 2;
  std::map<int, std::size_t> leadings;
  for (const auto& page : layout.pages) {
    for (std::size_t i = 1; i < page.lines.size(); ++i) {
      const Line& line = page.lines[i];
      const Line& before = page.lines[i - 1];
      const float step = line.y1 - before.y1;
      if (line.column != before.column || std::fabs(line.size - layout.body_size) > 0.6F || step <= 2 ||
          step > layout.body_size * 3)
        continue;
      ++leadings[static_cast<int>(std::lround(step * 2))];
    }
  }
  layout.body_leading = layout.body_size * 1.2F;
  if (leadings.empty()) return;
  const auto step = std::max_element(leadings.begin(), leadings.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  layout.body_leading = static_cast<float>(step->first) / 2;
}

}  // namespace

std::string Line::text() const {
  std::string out;
  for (const auto& token : tokens) {
    if (!out.empty() && !token.glued) out += ' ';
    out += token.text;
  }
  return out;
}

Layout lay_out(const pdf::Content& content) {
  std::vector<FontTraits> traits;
  for (const auto& font : content.fonts) traits.push_back(font_traits(font));
  Layout layout;
  layout.pages.resize(content.pages.size());
  std::vector<std::vector<Token>> tokens(content.pages.size());
  std::vector<Gutter> gutters(content.pages.size());
  std::map<int, std::size_t> usual;  // place of the gutter, in steps of ten points
  for (std::size_t p = 0; p < content.pages.size(); ++p) {
    tokens[p] = page_tokens(content.pages[p], traits);
    layout.removed_lines += drop_line_numbers(tokens[p], content.pages[p].width);
    gutters[p] = find_gutter(tokens[p], content.pages[p].width, 9);
    if (gutters[p].found) ++usual[static_cast<int>(std::lround(gutters[p].middle() / 10))];
  }
  const Gutter usual_gutter = shared_gutter(gutters);
  for (std::size_t p = 0; p < content.pages.size(); ++p) {
    PageLayout& page = layout.pages[p];
    page.width = content.pages[p].width;
    page.height = content.pages[p].height;
    const int place = static_cast<int>(std::lround(gutters[p].middle() / 10));
    std::size_t like_it = 0;
    for (int near = place - 1; near <= place + 1; ++near) {
      if (const auto at = usual.find(near); at != usual.end()) like_it += at->second;
    }
    if (!gutters[p].found && like_it * 2 > content.pages.size())
      gutters[p] = find_gutter(tokens[p], page.width, 4);
    if (!gutters[p].found && usual_gutter.found) gutters[p] = find_usual_gutter(tokens[p], usual_gutter);
    // A few pages with columns among many without hold tables or an index.
    if (gutters[p].found && like_it * 4 < content.pages.size() && content.pages.size() >= 6)
      gutters[p].found = find_gutter(tokens[p], page.width, 25).found;
    page.two_columns = gutters[p].found;
    page.gutter_begin = gutters[p].begin;
    page.gutter_end = gutters[p].end;
    page.lines = page_lines(std::move(tokens[p]), gutters[p]);
    for (auto& line : page.lines) line.page = static_cast<std::uint32_t>(p + 1);
  }
  const auto marks = furniture(layout.pages);
  for (std::size_t p = 0; p < layout.pages.size(); ++p) {
    auto& lines = layout.pages[p].lines;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (marks[p][i]) {
        ++layout.removed_lines;
        continue;
      }
      if (kept != i) lines[kept] = std::move(lines[i]);
      ++kept;
    }
    lines.resize(kept);
  }
  set_body(layout);
  return layout;
}

std::string unreadable_because(const pdf::Content& content) {
  static const std::unordered_set<std::string> kCommon{"the", "of",   "and",  "to",   "in",   "a",  "is",
                                                       "we",  "for",  "that", "with", "on",   "as", "are",
                                                       "by",  "this", "be",   "an",   "from", "it"};
  std::size_t characters = 0;
  std::size_t strange = 0;
  std::size_t latin = 0;
  std::size_t common = 0;
  std::size_t empty_pages = 0;
  for (const auto& page : content.pages) {
    if (page.words.size() < 15) ++empty_pages;
    for (const auto& word : page.words) {
      for (std::size_t at = 0; at < word.text.size();) {
        const char32_t code = text::decode(word.text, at);
        ++characters;
        if (code == text::kMalformed || code == 0xFFFD || code < 0x20 || (code >= 0x7F && code < 0xA0) ||
            (code >= 0xE000 && code <= 0xF8FF))
          ++strange;
      }
      if (word.text.size() <= 20 && std::all_of(word.text.begin(), word.text.end(), [](char c) {
            return std::isalpha(static_cast<unsigned char>(c)) != 0;
          })) {
        ++latin;
        if (kCommon.contains(text::to_lower(word.text))) ++common;
      }
    }
  }
  if (content.pages.empty() || characters == 0 || empty_pages * 10 > content.pages.size() * 7) {
    return fmt::format("{} of {} pages hold no text: scanned images", empty_pages, content.pages.size());
  }
  // Figures with broken fonts in a paper that reads well otherwise are no reason.
  if (strange * 20 > characters && (strange * 4 > characters || common * 12 < latin)) {
    return fmt::format(
        "{} of {} characters are control or private ones: the fonts carry no readable encoding", strange,
        characters);
  }
  if (latin > 400 && common * 25 < latin) {
    return fmt::format(
        "only {} of {} words are common English ones: the fonts carry a false encoding, or the text is in "
        "another language",
        common, latin);
  }
  return {};
}

}  // namespace mustcite::extract::native
