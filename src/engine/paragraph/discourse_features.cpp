#include <algorithm>
#include <array>

#include "core/base/hash.hpp"
#include "core/text/normalise.hpp"
#include "engine/paragraph/discourse.hpp"
#include "engine/paragraph/marks.hpp"

namespace mustcite::paragraph {
namespace {

constexpr std::size_t kMostWords = 120;

/// A sentence as the features see it: words and marks in order, marks as "<label>" and the like.
struct Facts {
  std::vector<std::string> words;
  std::array<std::size_t, 4> marks{};  ///< by MarkForm
  std::size_t works = 0;               ///< named by all marks
  bool begins_with_mark = false;
  bool ends_with_mark = false;
  bool named_early = false;   ///< names within the first five words
  bool ours = false;          ///< we, our, this paper
  bool pronoun = false;       ///< begins with they, it, this, these, their
  bool begins_low = false;    ///< with a small letter: a piece of a sentence
  bool begins_digit = false;  ///< a heading, or a row of a table
  bool stops = false;         ///< ends with a stop
  bool display = false;       ///< speaks of a table, a figure, a step
  [[nodiscard]] std::size_t citations() const { return marks[0] + marks[1] + marks[2]; }
};

const char* placeholder(MarkForm form) {
  constexpr std::array<const char*, 4> kNames{"<label>", "<bracketed>", "<named>", "<year>"};
  return kNames[static_cast<std::size_t>(form)];
}

void add_words(std::string_view text, std::vector<std::string>& words) {
  const std::string lower = text::to_lower(text);
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (const char c : lower) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 'a' && byte <= 'z') || byte >= 0x80) {
      word += c;
    } else if (byte >= '0' && byte <= '9') {
      if (word.empty() || word.back() != '#') word += '#';  // numbers are alike
    } else {
      finish();
      if (c == '?' || c == ':' || c == ';' || c == '(') words.emplace_back(1, c);
    }
  }
  finish();
}

bool one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* known) { return word == known; });
}

Facts facts_of(const std::string& sentence) {
  Facts facts;
  const auto marks = find_marks(sentence);
  std::size_t at = 0;
  for (const Mark& mark : marks) {
    add_words(std::string_view(sentence).substr(at, mark.begin - at), facts.words);
    if (mark.form == MarkForm::named && facts.words.size() < 5) facts.named_early = true;
    if (mark.form != MarkForm::year && facts.words.empty()) facts.begins_with_mark = true;
    facts.words.emplace_back(placeholder(mark.form));
    ++facts.marks[static_cast<std::size_t>(mark.form)];
    facts.works += mark.works;
    at = mark.end;
  }
  add_words(std::string_view(sentence).substr(at), facts.words);
  facts.ends_with_mark = !facts.words.empty() && facts.words.back().starts_with('<');
  for (std::size_t i = 0; i < facts.words.size(); ++i) {
    const auto& word = facts.words[i];
    if (one_of(word, {"we", "our", "us", "ours"}) ||
        (one_of(word, {"paper", "work"}) && i > 0 && facts.words[i - 1] == "this"))
      facts.ours = true;
  }
  facts.pronoun = !facts.words.empty() && one_of(facts.words.front(), {"they", "it", "this", "these", "their",
                                                                       "its", "he", "she", "such"});
  facts.display = std::any_of(facts.words.begin(), facts.words.end(), [](const std::string& word) {
    return one_of(word, {"table", "figure", "fig", "step", "example", "section", "equation"});
  });
  const auto first = sentence.find_first_not_of(" \t\"'(");
  if (first != std::string::npos) {
    facts.begins_low = sentence[first] >= 'a' && sentence[first] <= 'z';
    facts.begins_digit = sentence[first] >= '0' && sentence[first] <= '9';
  }
  const auto last = sentence.find_last_not_of(" \t\"')");
  facts.stops = last != std::string::npos && sentence[last] == '.';
  if (facts.words.size() > kMostWords) facts.words.resize(kMostWords);
  return facts;
}

std::size_t bucket(std::size_t count) {
  return count < 4 ? count : count < 6 ? 4 : count < 10 ? 5 : count < 20 ? 6 : count < 35 ? 7 : 8;
}

/// Features are texts in writing and hashes in the sequence.
class Writer {
 public:
  explicit Writer(learn::CrfSequence& out) : out_(out) {}

  void add(std::string_view kind, std::string_view a = {}, std::string_view b = {}) {
    key_.assign(kind);
    for (const auto part : {a, b}) {
      key_ += '\t';
      key_ += part;
    }
    const auto hash = checksum64(std::as_bytes(std::span(key_.data(), key_.size())));
    out_.features.push_back(static_cast<std::uint32_t>(hash >> 32));
  }
  void add(std::string_view kind, std::size_t number, std::string_view b = {}) {
    add(kind, std::to_string(number), b);
  }
  void finish() {
    // A word that comes twice is one feature.
    const auto begin = out_.features.begin() + out_.begins.back();
    std::sort(begin, out_.features.end());
    out_.features.erase(std::unique(begin, out_.features.end()), out_.features.end());
    out_.begins.push_back(static_cast<std::uint32_t>(out_.features.size()));
  }

 private:
  learn::CrfSequence& out_;
  std::string key_;
};

/// None, one work in passing, one that is spoken of, several.
const char* mark_class(const Facts& facts) {
  if (facts.citations() == 0) return "none";
  if (facts.works > 1) return facts.marks[2] > 0 ? "several-named" : "several";
  return facts.marks[2] > 0 ? "named" : "one";
}

void own_features(const Facts& facts, Writer& out) {
  out.add("bias");
  const char* kind = mark_class(facts);
  out.add("marks", kind);
  for (std::size_t form = 0; form < facts.marks.size(); ++form)
    out.add("form", form, std::to_string(bucket(facts.marks[form])));
  out.add("works", bucket(facts.works));
  out.add("length", bucket(facts.words.size()), kind);
  if (facts.begins_with_mark) out.add("begins-with-mark");
  if (facts.ends_with_mark) out.add("ends-with-mark", kind);
  if (facts.named_early) out.add("named-early");
  if (facts.ours) out.add("ours", kind);
  if (facts.pronoun) out.add("pronoun", kind);
  if (facts.begins_low) out.add("begins-low", kind);
  if (facts.begins_digit) out.add("begins-digit", kind);
  if (!facts.stops) out.add("no-stop", kind);
  if (facts.display) out.add("display", kind);
  const auto& words = facts.words;
  for (std::size_t i = 0; i < words.size(); ++i) {
    out.add("w", words[i]);
    out.add("w-m", words[i], kind);
    if (i + 1 < words.size()) out.add("ww", words[i], words[i + 1]);
    if (i + 2 < words.size() && i < 6) out.add("www", words[i] + ' ' + words[i + 1], words[i + 2]);
    if (i < 3) out.add("begin", i, words[i]);
  }
  if (words.size() > 1) out.add("begin-pair", words[0], words[1]);
  if (!words.empty()) out.add("last", words.back());
}

void neighbour_features(const Facts* facts, std::string_view side, Writer& out) {
  if (facts == nullptr) {
    out.add(side, "nothing");
    return;
  }
  out.add(side, "marks", mark_class(*facts));
  if (facts->ours) out.add(side, "ours");
  if (facts->display) out.add(side, "display");
  if (!facts->stops) out.add(side, "no-stop");
  if (facts->pronoun) out.add(side, "pronoun");
  if (facts->named_early) out.add(side, "named-early");
  for (std::size_t i = 0; i < std::min<std::size_t>(2, facts->words.size()); ++i)
    out.add(side, "begin", facts->words[i]);
}

}  // namespace

learn::CrfSequence discourse_features(std::span<const std::string> sentences) {
  std::vector<Facts> facts;
  facts.reserve(sentences.size());
  for (const auto& sentence : sentences) facts.push_back(facts_of(sentence));
  learn::CrfSequence sequence;
  Writer out(sequence);
  std::size_t citing = 0;  // sentences that cite
  for (const Facts& one : facts) citing += one.citations() > 0 ? 1 : 0;
  const std::size_t share = citing == 0 ? 0 : 1 + citing * 3 / facts.size();
  bool cited_before = false;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const Facts& own = facts[i];
    const Facts* before = i > 0 ? &facts[i - 1] : nullptr;
    const Facts* behind = i + 1 < facts.size() ? &facts[i + 1] : nullptr;
    own_features(own, out);
    neighbour_features(before, "before", out);
    neighbour_features(behind, "behind", out);
    const char* kind = mark_class(own);
    out.add("place", std::min<std::size_t>(i, 4), kind);
    out.add("place-behind", std::min<std::size_t>(facts.size() - 1 - i, 3), kind);
    out.add("sentences", bucket(facts.size()), kind);
    out.add("share-that-cites", share, kind);
    if (facts.size() == 1) out.add("alone", kind, own.stops ? "stop" : "");
    out.add(cited_before ? "cited-before" : "nothing-cited-before", kind);
    if (before != nullptr)
      out.add("pair-before", mark_class(*before), std::string(kind) + (own.pronoun ? " p" : ""));
    if (behind != nullptr) out.add("pair-behind", kind, mark_class(*behind));
    cited_before = cited_before || own.citations() > 0;
    out.finish();
  }
  return sequence;
}

}  // namespace mustcite::paragraph
