#include "apps/audit/sentences.hpp"

#include <algorithm>
#include <array>

#include "core/text/normalise.hpp"

namespace mustcite::audit {
namespace {

constexpr std::size_t kReach = 600;
constexpr std::size_t kLongestAbstract = 20'000;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// True when the stop at `at` ends an abbreviation or an initial rather than a sentence.
bool is_abbreviation(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && !is_space(text[begin - 1]) && text[begin - 1] != '(' && at - begin < 12) --begin;
  const std::string_view word = text.substr(begin, at - begin);
  if (word.size() == 1) return true;
  constexpr std::array<std::string_view, 20> kShort{"al",  "e.g", "i.e", "cf",  "vs",  "Fig",  "Figs", "Eq",  "Eqs", "Sec",
                                                    "Tab", "No",  "resp", "etc", "approx", "w.r.t", "Dr", "Prof", "App", "Alg"};
  return std::find(kShort.begin(), kShort.end(), word) != kShort.end();
}

bool ends_sentence(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '\n') return at + 1 < text.size() && text[at + 1] == '\n';
  if (c != '.' && c != '!' && c != '?') return false;
  if (at + 1 < text.size() && !is_space(text[at + 1])) return false;
  if (c == '.' && is_abbreviation(text, at)) return false;
  if (at + 2 < text.size() && text[at + 2] >= 'a' && text[at + 2] <= 'z') return false;
  return true;
}

}  // namespace

std::pair<std::size_t, std::size_t> sentence_around(std::string_view text, std::size_t begin, std::size_t end) {
  begin = std::min(begin, text.size());
  end = std::clamp(end, begin, text.size());
  std::size_t first = begin;
  while (first > 0 && begin - first < kReach && !ends_sentence(text, first - 1)) --first;
  while (first < begin && (is_space(text[first]) || (static_cast<unsigned char>(text[first]) & 0xC0U) == 0x80)) ++first;
  std::size_t last = end;
  while (last < text.size() && last - end < kReach && !ends_sentence(text, last)) ++last;
  if (last < text.size() && text[last] != '\n') ++last;
  while (last > end && last < text.size() && (static_cast<unsigned char>(text[last]) & 0xC0U) == 0x80) --last;
  while (last > end && is_space(text[last - 1])) --last;
  return {first, last};
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string result;
  for (const char c : text) {
    if (result.size() >= most) break;
    if (!is_space(c)) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  // A cut may have split the last character.
  std::size_t tail = result.size();
  while (tail > 0 && (static_cast<unsigned char>(result[tail - 1]) & 0xC0U) == 0x80) --tail;
  if (tail > 0 && !text::is_valid_utf8(std::string_view(result).substr(tail - 1))) result.resize(tail - 1);
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::string without_markers(const Draft& draft, std::size_t begin, std::size_t end) {
  std::string result;
  std::size_t at = begin;
  // Mentions stand in the order of the text.
  auto mention = std::lower_bound(draft.mentions.begin(), draft.mentions.end(), begin,
                                  [](const DraftMention& m, std::size_t b) { return m.begin < b; });
  for (; mention != draft.mentions.end() && mention->begin < end; ++mention) {
    if (mention->begin < at || mention->end > end) continue;
    result += draft.text.substr(at, mention->begin - at);
    at = mention->end;
  }
  result += draft.text.substr(at, end - at);
  return one_line(result, kLongestAbstract);
}

void append_section(Draft& draft, Section section) {
  constexpr std::size_t kMostSections = 20'000;
  constexpr std::size_t kLongestPath = 2'000;
  constexpr std::size_t kReachBack = 500;
  if (draft.sections.size() >= kMostSections) return;
  std::size_t looked_at = 0;
  for (auto it = draft.sections.rbegin(); it != draft.sections.rend() && looked_at < kReachBack; ++it, ++looked_at) {
    if (it->level >= section.level) continue;
    if (it->path.size() < kLongestPath) section.path = it->path + " > ";
    if (section.kind == SectionKind::other && it->kind != SectionKind::abstract) section.kind = it->kind;
    break;
  }
  section.path += section.title;
  draft.sections.push_back(std::move(section));
}

void finish_sections(Draft& draft) {
  auto& sections = draft.sections;
  // White space that was taken back may have held the beginning of an empty section: it begins where the next one does.
  std::size_t next = draft.text.size();
  for (auto it = sections.rbegin(); it != sections.rend(); ++it) next = it->begin = std::min(it->begin, next);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i].end = i + 1 < sections.size() ? sections[i + 1].begin : draft.text.size();
    if (draft.abstract.empty() && sections[i].kind == SectionKind::abstract) {
      draft.abstract = without_markers(draft, sections[i].begin, sections[i].end);
    }
  }
}

void place_mentions(Draft& draft) {
  std::size_t section = kNoSection;
  for (auto& mention : draft.mentions) {
    mention.begin = std::min(mention.begin, draft.text.size());
    mention.end = std::clamp(mention.end, mention.begin, draft.text.size());
    while (section + 1 < draft.sections.size() && draft.sections[section + 1].begin <= mention.begin) ++section;
    mention.section = mention.silent ? kNoSection : section;
    std::tie(mention.sentence_begin, mention.sentence_end) = sentence_around(draft.text, mention.begin, mention.end);
  }
}

}  // namespace mustcite::audit
