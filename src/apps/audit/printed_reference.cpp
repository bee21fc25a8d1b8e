#include <algorithm>
#include <cctype>

#include "apps/audit/bibliography.hpp"
#include "apps/audit/sentences.hpp"
#include "core/text/identifiers.hpp"
#include "core/text/normalise.hpp"
#include "core/text/printed_years.hpp"

namespace mustcite::audit {
namespace {

std::string_view trimmed(std::string_view text, std::string_view also = "") {
  const auto drop = [&](char c) { return static_cast<unsigned char>(c) <= ' ' || also.find(c) != std::string_view::npos; };
  while (!text.empty() && drop(text.front())) text.remove_prefix(1);
  while (!text.empty() && drop(text.back())) text.remove_suffix(1);
  return text;
}

/// "A.", "J. K.", "J.-P.", "JK": no family name by itself.
bool is_initials(std::string_view name) {
  std::size_t letters = 0;
  bool dotted = false;
  for (const char c : name) {
    if (c >= 'a' && c <= 'z') return false;
    letters += (c >= 'A' && c <= 'Z') ? 1 : 0;
    dotted = dotted || c == '.';
  }
  return letters > 0 && (dotted ? letters <= 4 : letters <= 2);
}

bool is_filler(std::string_view part) {
  const std::string lower = text::fold(trimmed(part, ".,;&"));
  return lower.empty() || lower == "et al" || lower == "others" || lower == "and" || lower == "eds" || lower == "ed";
}

std::vector<std::string> blocks_of(std::string_view printed) {
  constexpr std::string_view kBlock = "\\newblock";
  std::vector<std::string> blocks;
  std::size_t from = 0;
  while (from <= printed.size()) {
    const std::size_t next = std::min(printed.find(kBlock, from), printed.size());
    const std::string block = text::clean(printed.substr(from, next - from));
    if (!block.empty()) blocks.push_back(block);
    from = next + kBlock.size();
  }
  return blocks;
}

/// End of the sentence that starts at `from`: behind ". " where the stop ends no initial or abbreviation.
std::size_t stop_behind(std::string_view text, std::size_t from) {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] != '.' && text[at] != '?' && text[at] != '!') continue;
    if (at + 1 < text.size() && text[at + 1] != ' ') continue;
    if (text[at] == '.') {
      std::size_t begin = at;
      while (begin > from && text[begin - 1] != ' ' && text[begin - 1] != '-' && text[begin - 1] != '.') --begin;
      if (at - begin <= 1) continue;
      const std::string_view word = text.substr(begin, at - begin);
      if (word == "al" && at + 2 < text.size() && std::islower(static_cast<unsigned char>(text[at + 2])) != 0) continue;
      if (word == "Jr" || word == "vs" || word == "St") continue;
    }
    return at + 1;
  }
  return text.size();
}

/// The first quoted part of at least three words, or nothing.
std::string_view quoted_title(std::string_view text) {
  for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>{"“", "”"}, {"``", "''"}, {"\"", "\""}}) {
    const std::size_t begin = text.find(open);
    if (begin == std::string_view::npos) continue;
    const std::size_t end = text.find(close, begin + open.size());
    if (end == std::string_view::npos) continue;
    const std::string_view inside = text.substr(begin + open.size(), end - begin - open.size());
    if (std::count(inside.begin(), inside.end(), ' ') >= 2) return inside;
  }
  return {};
}

/// "Smith, A. and Doe, B. 2019" or "… (2019)": the year at the end of an author block.
std::string_view without_year(std::string_view authors) {
  authors = trimmed(authors, ".,");
  std::size_t end = authors.size();
  if (end > 0 && authors[end - 1] == ')') --end;
  if (end > 4 && authors[end - 1] >= 'a' && authors[end - 1] <= 'z') --end;  // 2019a
  if (end < 4) return authors;
  const std::string_view year = authors.substr(end - 4, 4);
  if (!std::all_of(year.begin(), year.end(), [](char c) { return c >= '0' && c <= '9'; })) return authors;
  return trimmed(authors.substr(0, end - 4), "(.,[");
}

void split_blocks(const std::vector<std::string>& blocks, Reference& reference) {
  reference.authors = split_printed_authors(without_year(blocks[0]));
  reference.title = text::clean_title(trimmed(blocks[1], ".,“”\""));
  if (blocks.size() > 2) reference.venue = std::string(trimmed(blocks[2], ".,"));
}

void split_line(std::string_view line, Reference& reference) {
  if (const std::string_view title = quoted_title(line); !title.empty()) {
    const auto at = static_cast<std::size_t>(title.data() - line.data());
    reference.title = text::clean_title(trimmed(title, ".,"));
    reference.authors = split_printed_authors(without_year(trimmed(line.substr(0, at), "“\"`,. ")));
    reference.venue = std::string(trimmed(line.substr(std::min(line.size(), at + title.size())), "”\"', ."));
    return;
  }
  std::size_t first = stop_behind(line, 0);
  // "Smith, A. (2019). Title. Venue" and "Smith A. 2019. Title. Venue": the year closes the authors.
  std::size_t second = stop_behind(line, first);
  std::string_view authors = line.substr(0, first);
  std::string_view title = trimmed(line.substr(first, second - first), ".");
  if (title.size() <= 7 && text::last_printed_year(title) != 0) {
    first = second;
    second = stop_behind(line, first);
    title = trimmed(line.substr(first, second - first), ".");
  }
  if (title.empty()) return;
  reference.authors = split_printed_authors(without_year(authors));
  reference.title = text::clean_title(title);
  reference.venue = std::string(trimmed(line.substr(second), ". "));
}

}  // namespace

std::vector<std::string> split_printed_authors(std::string_view list) {
  std::vector<std::string> parts;
  std::string text;
  list = list.substr(0, 20'000);
  while (!list.empty()) {
    std::size_t size = 0;
    for (const std::string_view word : {" and ", " & ", ";"}) {
      if (size == 0 && list.starts_with(word)) size = word.size();
    }
    text += size == 0 ? list.front() : ',';
    list.remove_prefix(size == 0 ? 1 : size);
  }
  std::size_t from = 0;
  while (from <= text.size() && parts.size() < 2000) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    std::string_view part = trimmed(std::string_view(text).substr(from, comma - from));
    if (part.starts_with("and ")) part.remove_prefix(4);
    from = comma + 1;
    if (is_filler(part)) continue;
    // Initials belong to the family name before them, unless that has its own already.
    if (is_initials(part) && !parts.empty() && parts.back().find(' ') == std::string::npos) {
      parts.back() = std::string(part) + " " + parts.back();
    } else if (part.ends_with(" et al.") || part.ends_with(" et al")) {
      parts.emplace_back(part.substr(0, part.rfind(" et al")));
    } else if (const std::size_t space = part.rfind(' '); space != std::string_view::npos && is_initials(part.substr(space + 1)) && !is_initials(part.substr(0, space))) {
      parts.push_back(std::string(part.substr(space + 1)) + " " + std::string(part.substr(0, space)));  // "Smith AB"
    } else {
      parts.emplace_back(part);
    }
  }
  return parts;
}

Reference parse_printed_reference(std::string_view printed) {
  Reference reference;
  printed = printed.substr(0, 20'000);
  const std::vector<std::string> blocks = blocks_of(printed);
  for (const auto& block : blocks) {
    if (!reference.raw.empty()) reference.raw += ' ';
    reference.raw += block;
  }
  if (blocks.empty()) return reference;
  // Identifiers stand in \url and \href as well, which cleaning may drop: look at the source.
  reference.doi = text::find_doi(printed);
  reference.arxiv_id = text::find_arxiv_id(printed);
  reference.year = text::last_printed_year(reference.raw);
  if (blocks.size() >= 2) {
    split_blocks(blocks, reference);
  } else {
    split_line(blocks[0], reference);
  }
  return reference;
}

}  // namespace mustcite::audit
