#include <algorithm>

#include "apps/audit/bibliography.hpp"
#include "apps/audit/latex/scanner.hpp"
#include "core/text/identifiers.hpp"
#include "core/text/normalise.hpp"
#include "core/text/printed_years.hpp"

namespace mustcite::audit {
namespace {

constexpr std::size_t kMostEntries = 100'000;

/// Content of the braces that open at `at`, and the index behind them; npos behind a missing end.
std::string_view braced(std::string_view text, std::size_t at, std::size_t& behind) {
  const std::size_t size = latex::closing_brace(text.substr(at), 65'536);
  if (size == std::string_view::npos) {
    behind = std::string_view::npos;
    return {};
  }
  behind = at + size;
  return text.substr(at + 1, size - 2);
}

std::uint32_t lines_in(std::string_view text) {
  return static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

/// The year in a natbib label: `{Vaswani et~al.(2017)Vaswani, Shazeer}`.
int label_year(std::string_view label) {
  const std::size_t open = label.find('(');
  return open == std::string_view::npos ? 0 : text::last_printed_year(label.substr(open + 1, 4));
}

/// The value of `\field{name}{value}` in a biblatex entry.
std::string field(std::string_view entry, const std::string& name) {
  const std::string mark = "\\field{" + name + "}{";
  const std::size_t at = entry.find(mark);
  if (at == std::string_view::npos) return {};
  std::size_t behind = 0;
  return text::clean(braced(entry, at + mark.size() - 1, behind));
}

std::vector<std::string> biblatex_authors(std::string_view entry) {
  std::vector<std::string> authors;
  std::size_t at = entry.find("\\name{author}");
  if (at == std::string_view::npos) return authors;
  const std::size_t end = std::min({entry.find("\\name{", at + 6), entry.find("\\field{", at), entry.find("\\list{", at), entry.size()});
  const std::string_view names = entry.substr(at, end - at);
  std::size_t from = 0;
  while ((from = names.find("family={", from)) != std::string_view::npos && authors.size() < 2000) {
    std::size_t behind = 0;
    const std::string family = text::clean(braced(names, from + 7, behind));
    if (behind == std::string_view::npos) break;
    const std::size_t given = names.find("given={", from);
    const std::size_t next = names.find("family={", behind);
    std::string name = family;
    if (given != std::string_view::npos && given < next) {
      std::size_t ignored = 0;
      name = text::clean(braced(names, given + 6, ignored)) + " " + family;
    }
    authors.push_back(std::move(name));
    from = behind;
  }
  return authors;
}

void read_biblatex(std::string_view content, const std::string& file, Draft& draft) {
  constexpr std::string_view kEntry = "\\entry{";
  std::size_t at = content.find(kEntry);
  std::size_t counted = 0;
  std::uint32_t line = 1;
  while (at != std::string_view::npos && draft.bibliography.size() < kMostEntries) {
    const std::size_t next = content.find(kEntry, at + kEntry.size());
    const std::string_view entry = content.substr(at, next == std::string_view::npos ? next : next - at);
    line += lines_in(content.substr(counted, at - counted));
    counted = at;
    std::size_t behind = 0;
    BibEntry item;
    item.reference.key = std::string(braced(entry, kEntry.size() - 1, behind));
    item.type = "bibitem";
    item.where = {file, line};
    if (behind != std::string_view::npos && behind < entry.size() && entry[behind] == '{') item.type = std::string(braced(entry, behind, behind));
    item.reference.title = text::clean_title(field(entry, "title"));
    if (const std::string subtitle = field(entry, "subtitle"); !subtitle.empty()) item.reference.title += ": " + subtitle;
    item.reference.year = text::last_printed_year(field(entry, "year") + " " + field(entry, "date"));
    item.reference.authors = biblatex_authors(entry);
    item.reference.venue = field(entry, "booktitle");
    if (item.reference.venue.empty()) item.reference.venue = field(entry, "journaltitle");
    item.note = item.reference.venue;
    item.reference.doi = text::find_doi(entry);
    item.reference.arxiv_id = text::find_arxiv_id(entry);
    if (item.reference.arxiv_id.empty() && field(entry, "eprinttype") == "arxiv") item.reference.arxiv_id = text::find_arxiv_id("arxiv " + field(entry, "eprint"));
    if (!item.reference.key.empty()) draft.bibliography.push_back(std::move(item));
    at = next;
  }
  draft.printed_bibliography = true;
}

}  // namespace

std::string latin1_to_utf8(std::string_view text) {
  // Bytes 0x80-0x9f as Windows-1252 prints them; those it leaves free become U+FFFD.
  static constexpr char32_t kWindows[32] = {0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
                                            0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
                                            0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};
  std::string result;
  result.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const char32_t code = byte >= 0x80 && byte < 0xA0 ? kWindows[byte - 0x80] : byte;
    if (code < 0x80) {
      result += c;
    } else if (code < 0x800) {
      result += static_cast<char>(0xC0U | (code >> 6U));
      result += static_cast<char>(0x80U | (code & 0x3FU));
    } else {
      result += static_cast<char>(0xE0U | (code >> 12U));
      result += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
      result += static_cast<char>(0x80U | (code & 0x3FU));
    }
  }
  return result;
}

void read_bibitems(std::string_view content, const SourcePosition& where, Draft& draft) {
  constexpr std::string_view kItem = "\\bibitem";
  std::size_t at = content.find(kItem);
  std::size_t counted = 0;
  std::uint32_t line = where.line;
  while (at != std::string_view::npos && draft.bibliography.size() < kMostEntries) {
    const std::size_t next = content.find(kItem, at + kItem.size());
    const std::string entry = latex::without_comments(content.substr(at + kItem.size(), next == std::string_view::npos ? next : next - at - kItem.size()));
    line += lines_in(content.substr(counted, at - counted));
    counted = at;
    at = next;
    std::string_view rest = entry;
    while (!rest.empty() && static_cast<unsigned char>(rest.front()) <= ' ') rest.remove_prefix(1);
    int year = 0;
    if (!rest.empty() && rest.front() == '[') {
      std::size_t depth = 0;
      std::size_t end = 0;
      for (std::size_t i = 1; i < rest.size() && end == 0; ++i) {
        if (rest[i] == '{') ++depth;
        if (rest[i] == '}' && depth > 0) --depth;
        if (rest[i] == ']' && depth == 0) end = i;
      }
      if (end == 0) continue;
      year = label_year(rest.substr(1, end - 1));
      rest.remove_prefix(end + 1);
      while (!rest.empty() && static_cast<unsigned char>(rest.front()) <= ' ') rest.remove_prefix(1);
    }
    if (rest.empty() || rest.front() != '{') {
      draft.note(where.file, line, "a \\bibitem without a key");
      continue;
    }
    std::size_t behind = 0;
    const std::string key(braced(rest, 0, behind));
    if (behind == std::string_view::npos || key.empty()) {
      draft.note(where.file, line, "a \\bibitem without a key");
      continue;
    }
    BibEntry item;
    item.reference = parse_printed_reference(rest.substr(behind));
    item.reference.key = key;
    if (year != 0) item.reference.year = year;
    item.type = "bibitem";
    item.note = item.reference.venue;
    item.where = {where.file, line};
    draft.bibliography.push_back(std::move(item));
  }
  draft.printed_bibliography = true;
}

void read_bbl(std::string_view content, const std::string& file, Draft& draft) {
  const std::string repaired = text::is_valid_utf8(content) ? std::string(content) : latin1_to_utf8(content);
  if (repaired.find("\\entry{") != std::string::npos) {
    read_biblatex(repaired, file, draft);
  } else {
    read_bibitems(repaired, {file, 1}, draft);
  }
}

}  // namespace mustcite::audit
