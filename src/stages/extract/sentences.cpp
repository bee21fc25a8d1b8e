#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_set>

#include "core/text/unicode.hpp"
#include "stages/extract/document.hpp"

namespace mustcite::extract {
namespace {

/// Words, without their stop, that a stop does not end a sentence behind. "etc" may: it is followed by a
/// capital then.
const std::unordered_set<std::string_view> kAbbreviations{
    "e.g",  "i.e", "et al", "al",  "cf",  "vs",   "resp", "viz",  "w.r.t", "wrt",  "a.k.a", "s.t",  "approx",
    "ca",   "fig", "figs",  "eq",  "eqs", "eqn",  "eqns", "sec",  "secs",  "sect", "tab",   "tabs", "ch",
    "chap", "app", "appx",  "alg", "ref", "refs", "thm",  "lem",  "prop",  "def",  "cor",   "ex",   "no",
    "nos",  "vol", "pp",    "pg",  "ed",  "eds",  "proc", "conf", "dr",    "mr",   "mrs",   "ms",   "prof",
    "st",   "jr",  "sr",    "inc", "ltd", "dept", "univ", "u.s",  "u.k",   "ph.d", "i.i.d", "iid"};

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t';
}

class Splitter {
 public:
  explicit Splitter(const Document& document) : text_(document.text) {
    for (const auto& mention : document.mentions) masks_.push_back(mention.span);
    std::sort(masks_.begin(), masks_.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  }

  void split(Span part, std::vector<Span>& out) {
    std::size_t begin = skip_space(part.begin, part.end);
    std::size_t at = begin;
    while (at < part.end) {
      const Span* mask = mask_at(at);
      if (mask != nullptr) {
        at = std::max(at + 1, std::min(mask->end, part.end));
        continue;
      }
      const std::size_t end = sentence_end(at, begin, part.end);
      if (end == 0) {
        ++at;
        continue;
      }
      add(begin, end, out);
      begin = skip_space(end, part.end);
      at = begin;
    }
    if (begin < part.end) add(begin, part.end, out);
  }

 private:
  /// Where the sentence that this character closes ends, or 0 when it closes none.
  std::size_t sentence_end(std::size_t at, std::size_t begin, std::size_t limit) const {
    if (text_.compare(at, 2, "\n\n") == 0) return at;
    const char c = text_[at];
    if (c != '.' && c != '!' && c != '?') return 0;
    std::size_t after = at + 1;
    after = skip_closers(after, limit);
    // "…in NLP.[12] The…": a marker glued behind the stop belongs to the sentence.
    bool marker = false;
    while (after < limit) {
      const std::size_t open = text_[after] == '[' || text_[after] == '(' ? after + 1 : after;
      const Span* mask = mask_at(open);
      if (mask == nullptr) break;
      after = mask->end;
      while (after < limit &&
             std::string_view("])},;0123456789").find(text_[after]) != std::string_view::npos)
        ++after;
      marker = true;
    }
    if (after >= limit) return after;
    if (!is_space(text_[after])) return 0;
    if (text_.compare(after, 2, "\n\n") == 0) return after;
    if (c == '.' && !marker && is_abbreviation(at, begin, skip_space(after, limit))) return 0;
    return starts_sentence(skip_space(after, limit), limit) ? after : 0;
  }

  std::size_t skip_closers(std::size_t at, std::size_t limit) const {
    while (at < limit) {
      if (text_[at] == ')' || text_[at] == ']' || text_[at] == '"' || text_[at] == '\'') {
        ++at;
      } else if (text_.compare(at, 3, "”") == 0 || text_.compare(at, 3, "’") == 0) {
        at += 3;
      } else {
        break;
      }
    }
    return at;
  }

  bool is_abbreviation(std::size_t stop, std::size_t begin, std::size_t next) const {
    std::size_t word = stop;
    while (word > begin && !is_space(text_[word - 1]) && text_[word - 1] != '(' && text_[word - 1] != '[')
      --word;
    std::string lower(text_.substr(word, stop - word));
    const bool initial = lower.size() == 1 && std::isupper(static_cast<unsigned char>(lower[0])) != 0;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    // "…as in Smith et al. The…" does end: "al" holds only before a small letter, a bracket or a year.
    if (lower == "al")
      return next < text_.size() && std::isupper(static_cast<unsigned char>(text_[next])) == 0;
    return initial || kAbbreviations.contains(lower);
  }

  bool starts_sentence(std::size_t at, std::size_t limit) const {
    if (at >= limit) return true;
    if (std::isdigit(static_cast<unsigned char>(text_[at])) != 0 ||
        std::string_view("([\"'`$").find(text_[at]) != std::string_view::npos)
      return true;
    const char32_t code = text::decode(text_, at);
    if (code == text::kMalformed) return true;
    return !text::is_letter(code) || text::is_upper(code);
  }

  std::size_t skip_space(std::size_t at, std::size_t limit) const {
    while (at < limit && is_space(text_[at])) ++at;
    return at;
  }

  const Span* mask_at(std::size_t at) const {
    auto next = std::upper_bound(masks_.begin(), masks_.end(), at,
                                 [](std::size_t offset, const Span& mask) { return offset < mask.begin; });
    if (next == masks_.begin()) return nullptr;
    --next;
    return at < next->end ? &*next : nullptr;
  }

  void add(std::size_t begin, std::size_t end, std::vector<Span>& out) const {
    while (end > begin && is_space(text_[end - 1])) --end;
    if (end > begin) out.push_back({begin, end});
  }

  std::string_view text_;
  std::vector<Span> masks_;
};

}  // namespace

void set_sentences(Document& document) {
  document.sentences.clear();
  if (document.sections.empty())
    document.sections.push_back({"", {}, SectionKind::other, {0, document.text.size()}});
  Splitter splitter(document);
  for (const auto& section : document.sections) {
    // A heading is no sentence: contexts do not begin with it.
    const bool printed =
        !section.heading.empty() &&
        document.text.compare(section.span.begin, section.heading.size(), section.heading) == 0;
    splitter.split({section.span.begin + (printed ? section.heading.size() : 0), section.span.end},
                   document.sentences);
  }
  for (auto& mention : document.mentions) mention.section = section_at(document, mention.span.begin);
}

}  // namespace mustcite::extract
