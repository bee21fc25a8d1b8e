#include "core/text/analyzer.hpp"

#include <libstemmer.h>

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "core/base/error.hpp"
#include "core/text/normalise.hpp"
#include "core/text/unicode.hpp"

namespace mustcite::text {
namespace {

/// What a byte means to the scanner: the lower-case character of a term, a joint inside a term, or nothing.
constexpr char kBreak = 0;

constexpr std::array<char, 256> term_bytes() {
  std::array<char, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = static_cast<char>(c);
  for (int c = 'a'; c <= 'z'; ++c) {
    table[static_cast<std::size_t>(c)] = static_cast<char>(c);
    table[static_cast<std::size_t>(c - 'a' + 'A')] = static_cast<char>(c);
  }
  return table;
}
constexpr std::array<char, 256> kTermBytes = term_bytes();

constexpr char term_byte(char c) noexcept {
  return kTermBytes[static_cast<unsigned char>(c)];
}
constexpr bool is_joint(char c) noexcept {
  return c == '-' || c == '_';
}

/// Calls `visit(term, last)` for each `[a-z0-9]+(?:[-_][a-z0-9]+)*` of the lower-cased bytes; `last` is where
/// the part after the last joint begins. `term` is valid during the call.
template <typename Visit>
void scan(std::string_view text, std::string& term, const Visit& visit) {
  const std::size_t size = text.size();
  std::size_t i = 0;
  while (i < size) {
    if (term_byte(text[i]) == kBreak) {
      ++i;
      continue;
    }
    term.clear();
    std::size_t last = 0;
    while (i < size) {
      if (const char c = term_byte(text[i]); c != kBreak) {
        term.push_back(c);
        ++i;
      } else if (is_joint(text[i]) && i + 1 < size && term_byte(text[i + 1]) != kBreak) {
        term.push_back(text[i]);
        last = term.size();
        ++i;
      } else {
        break;
      }
    }
    visit(term, last);
  }
}

class PlainAnalyzer final : public Analyzer {
 public:
  void analyze(std::string_view text, std::vector<std::string>& terms) const override {
    std::string term;
    scan(text, term, [&](const std::string& found, std::size_t) { terms.push_back(found); });
  }
  [[nodiscard]] std::string name() const override { return "plain-1"; }
};

constexpr std::size_t kLongestStopWord = 5;

/// The function words that say nothing about a paper's subject.
bool is_stop_word(std::string_view term) noexcept {
  if (term.size() > kLongestStopWord) return false;
  constexpr std::array<std::string_view, 43> words{
      "a",   "an",   "and", "are",  "as",    "at",    "be",   "been",  "but",   "by",   "can",
      "for", "from", "has", "have", "in",    "into",  "is",   "it",    "its",   "not",  "of",
      "on",  "or",   "our", "such", "than",  "that",  "the",  "their", "these", "they", "this",
      "to",  "was",  "we",  "were", "which", "while", "will", "with",  "also",  "both"};
  for (const std::string_view word : words) {
    if (term == word) return true;
  }
  return false;
}

/// One per thread: libstemmer objects are not thread-safe, and most words come again and again, so a
/// direct-mapped cache (a newer word takes the slot) saves most stemming.
class Stemmer {
 public:
  Stemmer() : stemmer_(sb_stemmer_new("porter", "UTF_8"), &sb_stemmer_delete), slots_(kSlots) {
    if (stemmer_ == nullptr) fail(ErrorCode::internal, "libstemmer has no Porter stemmer");
  }

  /// The entry of a term: its stemmed form, empty for a stop word. Valid until the next call.
  const std::string& entry(const std::string& term, std::size_t last) {
    Slot& slot = slots_[hash(term) & (kSlots - 1)];
    if (slot.term != term) {
      slot.entry.assign(term, 0, last);
      const int size = static_cast<int>(term.size() - last);
      const auto* bytes = reinterpret_cast<const sb_symbol*>(term.data() + last);
      if (!is_stop_word(term)) {
        const sb_symbol* stem = sb_stemmer_stem(stemmer_.get(), bytes, size);
        if (stem == nullptr) throw std::bad_alloc();
        slot.entry.append(reinterpret_cast<const char*>(stem),
                          static_cast<std::size_t>(sb_stemmer_length(stemmer_.get())));
      }
      slot.term = term;
      // A word of megabytes is no word: keep the cache small.
      if (term.size() > kLongestCached) {
        spare_.swap(slot.entry);
        slot = Slot{};
        return spare_;
      }
    }
    return slot.entry;
  }

 private:
  static constexpr std::size_t kSlots = 1 << 14;
  static constexpr std::size_t kLongestCached = 64;
  struct Slot {
    std::string term;
    std::string entry;
  };

  static std::size_t hash(std::string_view term) noexcept {
    std::uint64_t value = 0xcbf29ce484222325ULL;
    for (const char c : term) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    return static_cast<std::size_t>(value ^ (value >> 29));
  }

  std::unique_ptr<sb_stemmer, void (*)(sb_stemmer*)> stemmer_;
  std::vector<Slot> slots_;
  std::string spare_;
};

Stemmer& thread_stemmer() {
  thread_local Stemmer stemmer;
  return stemmer;
}

/// Length of the Han character at `text[i]` (CJK unified ideographs and extension A), or 0.
std::size_t han_size(std::string_view text, std::size_t i) noexcept {
  if (i + 2 >= text.size()) return 0;
  const auto b0 = static_cast<unsigned char>(text[i]);
  const auto b1 = static_cast<unsigned char>(text[i + 1]);
  if (b0 < 0xE3 || b0 > 0xE9) return 0;
  const bool han = (b0 == 0xE3 && b1 >= 0x90) || b0 == 0xE4 || (b0 >= 0xE5 && b0 <= 0xE9);
  return han ? 3 : 0;
}

/// Chinese has no spaces between words: neighbouring characters in pairs (a lone one as itself) serve as
/// terms.
void append_han_pairs(std::string_view text, std::vector<std::string>& terms) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (han_size(text, i) == 0) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (han_size(text, i) != 0) i += 3;
    if (i - begin == 3) terms.emplace_back(text.substr(begin, 3));
    for (std::size_t at = begin; at + 6 <= i; at += 3) terms.emplace_back(text.substr(at, 6));
  }
}

class EnglishAnalyzer final : public Analyzer {
 public:
  void analyze(std::string_view text, std::vector<std::string>& terms) const override {
    std::string folded;
    const bool ascii = is_ascii(text);
    if (!ascii) {
      folded = fold(text);
      text = folded;
    }
    Stemmer& stemmer = thread_stemmer();
    std::string term;
    scan(text, term, [&](const std::string& found, std::size_t last) {
      const std::string& stem = stemmer.entry(found, last);
      if (!stem.empty()) terms.push_back(stem);
    });
    if (!ascii) append_han_pairs(text, terms);
  }
  [[nodiscard]] std::string name() const override { return "english-1"; }
};

}  // namespace

std::unique_ptr<Analyzer> make_analyzer(const std::string& name) {
  if (name == "plain" || name == "plain-1") return std::make_unique<PlainAnalyzer>();
  if (name == "english" || name == "english-1") return std::make_unique<EnglishAnalyzer>();
  fail(ErrorCode::usage, "unknown analyzer '{}': use plain or english", name);
}

}  // namespace mustcite::text
