#include "stages/extract/nougat/failure_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/text/normalise.hpp"
#include "stages/extract/mentions.hpp"

namespace mustcite::extract::nougat {
namespace {

/// A word that more entries hold tells none of them.
constexpr std::size_t kCommonWord = 200;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Brackets that hold numbers only, and brackets that hold alpha tags.
std::pair<std::size_t, std::size_t> count_brackets(std::string_view text) {
  std::size_t numbers = 0;
  std::size_t tags = 0;
  for (std::size_t open = text.find('['); open != std::string_view::npos; open = text.find('[', open + 1)) {
    const std::string_view rest = text.substr(open + 1, 60);
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos || close == 0) continue;
    const std::string_view inside = rest.substr(0, close);
    const bool numeric = inside.find_first_not_of("0123456789,;- –") == std::string_view::npos &&
                         inside.find_first_of("0123456789") != std::string_view::npos && inside[0] != '0';
    const auto digits = std::count_if(inside.begin(), inside.end(), is_digit);
    if (numeric)
      ++numbers;
    else if (inside[0] >= 'A' && inside[0] <= 'Z' && digits >= 2 && digits <= 12)
      ++tags;
  }
  return {numbers, tags};
}

/// Words of an entry that tell it from others.
std::vector<std::string> words_of(const std::string& raw) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text::fold(raw) + " ") {
    if ((c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80) {
      word += c;
      continue;
    }
    if (word.size() >= 4) words.push_back(word);
    word.clear();
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

/// Which entry of the other reader each entry of this one is; -1: none.
std::vector<int> matched(const Document& from, const Document& to) {
  std::unordered_map<std::string, std::vector<std::size_t>> holders;
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < to.references.size(); ++i) {
    const auto words = words_of(to.references[i].fields.raw);
    sizes.push_back(words.size());
    for (const auto& word : words) holders[word].push_back(i);
  }
  std::vector<int> match(from.references.size(), -1);
  for (std::size_t i = 0; i < from.references.size(); ++i) {
    const auto words = words_of(from.references[i].fields.raw);
    std::map<std::size_t, double> score;
    for (const auto& word : words) {
      const auto at = holders.find(word);
      if (at == holders.end() || at->second.size() > kCommonWord) continue;
      // Rare words tell more.
      for (const std::size_t other : at->second) score[other] += 1.0 / static_cast<double>(at->second.size());
    }
    const auto best = std::max_element(score.begin(), score.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (best == score.end()) continue;
    std::size_t shared = 0;
    for (const auto& word : words) {
      const auto at = holders.find(word);
      if (at != holders.end() && std::binary_search(at->second.begin(), at->second.end(), best->first))
        ++shared;
    }
    const std::size_t smaller = std::min(words.size(), sizes[best->first]);
    if (smaller >= 3 && shared * 2 >= smaller) match[i] = static_cast<int>(best->first);
  }
  return match;
}

std::vector<std::size_t> counts_of(const Document& document) {
  std::vector<std::size_t> counts(document.references.size(), 0);
  for (const auto& mention : document.mentions) {
    for (const std::uint32_t reference : mention.references) ++counts[reference];
  }
  return counts;
}

void note_moved(Document& nougat, const Document& native, const std::vector<int>& match,
                const Thresholds& thresholds) {
  std::size_t compared = 0;
  std::size_t moved = 0;
  std::string example;
  for (std::size_t i = 0; i < match.size(); ++i) {
    if (match[i] < 0) continue;
    const auto& here = nougat.references[i].label;
    const auto& there = native.references[static_cast<std::size_t>(match[i])].label;
    if (here.empty() || there.empty()) continue;
    ++compared;
    if (here == there) continue;
    ++moved;
    if (example.empty()) example = fmt::format("[{}] is [{}] in the PDF", here, there);
  }
  if (moved < thresholds.least_moved ||
      static_cast<double>(moved) < thresholds.moved_share * static_cast<double>(compared))
    return;
  nougat.problems.push_back(
      {ProblemKind::renumbered_references,
       fmt::format("{} of {} entries carry another number than in the PDF: {}", moved, compared, example)});
}

/// Marks that the PDF does not have: a reader that invents cites other works, or the same ones elsewhere.
void note_other_counts(Document& nougat, const Document& native, const std::vector<int>& match,
                       const Thresholds& thresholds) {
  const auto here = counts_of(nougat);
  const auto there = counts_of(native);
  std::size_t all = 0;
  std::size_t more = 0;
  for (std::size_t i = 0; i < match.size(); ++i) {
    all += here[i];
    const std::size_t known = match[i] < 0 ? 0 : there[static_cast<std::size_t>(match[i])];
    more += here[i] > known ? here[i] - known : 0;
  }
  if (more < thresholds.least_invented ||
      static_cast<double>(more) < thresholds.invented_share * static_cast<double>(all))
    return;
  nougat.problems.push_back(
      {ProblemKind::invented_citations, fmt::format("{} of {} mentions are not in the PDF", more, all)});
}

/// Letters of a heading without its number.
std::string heading_key(const std::string& heading) {
  std::string key;
  for (const char c : text::fold(heading)) {
    if (c >= 'a' && c <= 'z') key += c;
  }
  return key;
}

void note_lost_text(Document& nougat, const Document& native, const Thresholds& thresholds) {
  std::string lost;
  std::size_t count = 0;
  std::vector<std::string> keys;
  for (const auto& section : nougat.sections) keys.push_back(heading_key(section.heading));
  for (const auto& section : native.sections) {
    const std::string key = heading_key(section.heading);
    const bool numbered = !section.heading.empty() && is_digit(section.heading[0]);
    if (!numbered || section.path.size() != 1 || key.size() < 4) continue;
    const bool met = std::any_of(keys.begin(), keys.end(), [&](const std::string& other) {
      return other.find(key) != std::string::npos ||
             (other.size() >= 8 && key.find(other) != std::string::npos);
    });
    if (met) continue;
    ++count;
    if (count <= 3) lost += (lost.empty() ? "" : ", ") + section.heading;
  }
  if (count > 0)
    nougat.problems.push_back(
        {ProblemKind::missing_pages, fmt::format("{} sections of the PDF are missing: {}", count, lost)});
  if (static_cast<double>(nougat.text.size()) <
      thresholds.lost_text_share * static_cast<double>(native.text.size()))
    nougat.problems.push_back(
        {ProblemKind::missing_pages,
         fmt::format("the text has {} bytes, that of the PDF {}", nougat.text.size(), native.text.size())});
}

/// The longest run in which each word is the one `period` words before it, in words.
std::size_t longest_loop(const std::vector<std::string_view>& words, std::size_t period) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (std::size_t i = period; i < words.size(); ++i) {
    run = words[i] == words[i - period] ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string loop_of(const std::string& paragraph) {
  std::vector<std::string_view> words;
  const std::string_view text = paragraph;
  for (std::size_t at = 0; at < text.size() && words.size() < 20'000;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  for (std::size_t period = 1; period <= 24 && period * 4 < words.size(); ++period) {
    const std::size_t loop = longest_loop(words, period);
    if (loop >= 24 && loop >= period * 6)
      return fmt::format("{} words repeat themselves {} times", period, loop / period + 1);
  }
  return {};
}

}  // namespace

void compare_with_native(Document& nougat, const Document& native, const Thresholds& thresholds) {
  note_lost_text(nougat, native, thresholds);
  if (nougat.references.empty() || native.references.empty()) return;
  const auto match = matched(nougat, native);
  note_moved(nougat, native, match, thresholds);
  note_other_counts(nougat, native, match, thresholds);
  const auto known = static_cast<std::size_t>(
      std::count_if(match.begin(), match.end(), [](int other) { return other >= 0; }));
  if (native.references.size() >= 5 && known * 2 < native.references.size())
    nougat.problems.push_back(
        {ProblemKind::no_references,
         fmt::format("{} of the {} entries of the PDF are in the list", known, native.references.size())});
}

void note_mismatch(Document& document, const std::string& body, double tag_share,
                   const Thresholds& thresholds) {
  const auto [numbers, tags] = count_brackets(body);
  if (tag_share > thresholds.tag_share && numbers > tags)
    document.problems.push_back(
        {ProblemKind::alpha_tag_mismatch,
         fmt::format(
             "{:.0f} % of the entries carry tags, but the text cites by number {} times and by tag {} "
             "times",
             tag_share * 100, numbers, tags)});
  // Names and years that no entry has, in numbered lists too: the text rules count them only when asked.
  Document by_name;
  by_name.text = body;
  by_name.references = document.references;
  TextMentions named;
  find_author_year(by_name, named);
  const std::size_t unknown = named.unlinked.size();
  const bool numeric = document.style == ReferenceStyle::numeric;
  const std::size_t all = unknown + named.mentions.size() + (numeric ? document.mentions.size() : 0);
  if (unknown < thresholds.least_invented ||
      static_cast<double>(unknown) < thresholds.invented_share * static_cast<double>(all))
    return;
  const Span first = named.unlinked.front();
  document.problems.push_back(
      {ProblemKind::invented_citations,
       fmt::format("{} of {} marks name no entry of the list, the first one is \"{}\"", unknown, all,
                   body.substr(first.begin, std::min<std::size_t>(60, first.end - first.begin)))});
}

void note_repetition(Document& document, const std::vector<std::string>& paragraphs) {
  std::unordered_map<std::string, std::size_t> seen;
  for (const auto& paragraph : paragraphs) {
    if (const std::string loop = loop_of(paragraph); !loop.empty()) {
      document.problems.push_back({ProblemKind::repetition, loop});
      break;
    }
    if (paragraph.size() < 80) continue;
    if (++seen[paragraph] == 3) {
      document.problems.push_back({ProblemKind::repetition, "one paragraph comes three times or more"});
      break;
    }
  }
  std::unordered_map<std::string, std::size_t> entries;
  for (const auto& entry : document.references) {
    const std::string key = text::title_key(entry.fields.raw);
    if (key.size() < 30 || ++entries[key] < 3) continue;
    document.problems.push_back({ProblemKind::repetition, "one entry of the list comes three times or more"});
    break;
  }
}

}  // namespace mustcite::extract::nougat
