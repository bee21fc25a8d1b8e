#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include "core/text/normalise.hpp"
#include "core/text/printed_years.hpp"
#include "core/text/unicode.hpp"
#include "stages/extract/mentions.hpp"
#include "stages/extract/near_names.hpp"
#include "stages/extract/reference_names.hpp"

namespace mustcite::extract {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alpha(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// A word of the text, folded; `capital` tells names from other words.
struct Word {
  Span span;
  std::string key;
  bool capital = false;
};

/// Letters, apostrophes and hyphens; "Smith's" gives "smith".
Word word_ending_at(std::string_view text, std::size_t end, std::size_t limit) {
  std::size_t begin = end;
  while (begin > limit) {
    const auto c = static_cast<unsigned char>(text[begin - 1]);
    const bool part = is_alpha(static_cast<char>(c)) || c >= 0x80 || c == '-' || c == '\'';
    if (!part) break;
    --begin;
  }
  Word word;
  word.span = {begin, end};
  std::string_view raw = text.substr(begin, end - begin);
  for (const std::string_view tail : {"’s", "'s", "’", "'"}) {
    if (raw.size() > tail.size() && raw.ends_with(tail)) {
      raw.remove_suffix(tail.size());
      break;
    }
  }
  for (const std::string_view mark : {"–", "—", "“", "‘"}) {
    if (const std::size_t at = raw.rfind(mark); at != std::string_view::npos) {
      word.span.begin += at + mark.size();
      raw.remove_prefix(at + mark.size());
    }
  }
  std::size_t at = 0;
  if (!raw.empty()) {
    const char32_t code = text::decode(raw, at);
    word.capital = code != text::kMalformed && text::is_upper(code);
  }
  word.key = surname_key(raw);
  return word;
}

/// A year in the text with what may stand behind it: "2012", "2012a", then "b" of "2012a,b".
struct YearToken {
  Span span;
  int year = 0;
  char letter = 0;
};

std::vector<YearToken> year_tokens(std::string_view text) {
  std::vector<YearToken> tokens;
  for (std::size_t at = 0; at + 4 <= text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    std::size_t run = at;
    while (run < text.size() && is_digit(text[run])) ++run;
    const std::size_t begin = at;
    at = run;
    if (run - begin != 4) continue;
    const int year = std::stoi(std::string(text.substr(begin, 4)));
    if (year < 1600 || year > 2099) continue;
    if (begin > 0 && (is_alpha(text[begin - 1]) || text[begin - 1] == '.' || text[begin - 1] == '-' ||
                      text[begin - 1] == '/'))
      continue;
    std::size_t end = run;
    char letter = 0;
    if (end < text.size() && text[end] >= 'a' && text[end] <= 'k' &&
        (end + 1 >= text.size() || !is_alpha(text[end + 1])))
      letter = text[end++];
    if (end < text.size() && is_alpha(text[end])) continue;
    tokens.push_back({{begin, end}, year, letter});
    // "2012a,b" and "2012a, b".
    while (letter != 0 && end < text.size() && (text[end] == ',' || text[end] == ';')) {
      std::size_t next = end + 1;
      if (next < text.size() && text[next] == ' ') ++next;
      if (next >= text.size() || text[next] < 'a' || text[next] > 'k' ||
          (next + 1 < text.size() && (is_alpha(text[next + 1]) || is_digit(text[next + 1]))))
        break;
      tokens.push_back({{next, next + 1}, year, text[next]});
      end = next + 1;
    }
    at = end - 1;
  }
  return tokens;
}

bool is_particle(const std::string& key) {
  static constexpr std::array kWords{"van", "von", "der", "den", "de", "di",  "da",  "del", "della", "dos",
                                     "du",  "la",  "le",  "el",  "al", "ten", "ter", "zu",  "bin"};
  return std::find(kWords.begin(), kWords.end(), key) != kWords.end();
}

/// "III" of "Daume III": no name by itself.
bool is_suffix(const std::string& key) {
  return key == "ii" || key == "iii" || key == "iv" || key == "jr" || key == "sr";
}

bool is_joining(const std::string& key) {
  static constexpr std::array kWords{"and", "und", "et", "y", "e"};
  return std::find(kWords.begin(), kWords.end(), key) != kWords.end();
}

/// The names before a year, last word first.
struct Names {
  std::vector<Word> words;  ///< "&" is a word with key "and"
  bool et_al = false;       ///< "et al.", "and others", "and colleagues" stood last; not among the words
  std::size_t end = 0;
};

Names names_before(std::string_view text, std::size_t at) {
  Names names;
  const std::size_t limit = at > 160 ? at - 160 : 0;
  const auto skip = [&](std::string_view characters) {
    while (at > limit && characters.find(text[at - 1]) != std::string_view::npos) --at;
  };
  skip(" ,([\n");
  names.end = at;
  // "Schulman., 2020": a stop before the comma is a slip of the bibliography style.
  const bool slip = at > limit && text[at - 1] == '.' && at < text.size() && text[at] == ',';
  if (at > limit && text[at - 1] == '.') --at;
  Word word = word_ending_at(text, at, limit);
  if (word.key == "al" || word.key == "others" || word.key == "colleagues" || word.key == "coworkers" ||
      word.key == "co-workers" || word.key == "collaborators") {
    std::size_t before = word.span.begin;
    while (before > limit && (text[before - 1] == ' ' || text[before - 1] == '.' || text[before - 1] == '\n'))
      --before;
    const Word joining = word_ending_at(text, before, limit);
    if (joining.key == "et" || joining.key == "and") {
      names.et_al = true;
      at = joining.span.begin;
      skip(" ,\n");
    }
  } else if (at != names.end && !slip) {
    at = names.end;  // the stop ends a sentence or an initial: no name follows it
    return names;
  }
  while (names.words.size() < 40) {
    if (at > limit && text[at - 1] == '&') {
      names.words.push_back({{at - 1, at}, "and", false});
      --at;
      skip(" ,\n");
      continue;
    }
    word = word_ending_at(text, at, limit);
    if (word.key.empty()) break;
    at = word.span.begin;
    if (!is_suffix(word.key) || !word.capital) names.words.push_back(std::move(word));
    std::size_t next = at;
    while (next > limit && (text[next - 1] == ' ' || text[next - 1] == ',' || text[next - 1] == '\n' ||
                            text[next - 1] == '.'))
      --next;
    if (next == at ||
        (next > limit && std::string_view("();[]:").find(text[next - 1]) != std::string_view::npos))
      break;
    at = next;
  }
  return names;
}

/// How names in the text agree with an entry: 0 not at all.
struct Agreement {
  double score = 0;
  std::size_t begin = 0;  ///< of the first name
  std::size_t words = 0;
};

/// Hyphens are no difference: a line's end gives "Le-Cun" and takes "Ben-David" together.
bool same_name(const std::string& word, const std::string& surname) {
  if (word == surname) return true;
  if (word.find('-') == std::string::npos && surname.find('-') == std::string::npos) return false;
  const auto plain = [](std::string name) {
    name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
    return name;
  };
  return plain(word) == plain(surname);
}

Agreement agree(const Names& names, const ReferenceEntry& entry) {
  Agreement agreement;
  const auto& surnames = entry.surnames;
  if (surnames.empty() || names.words.empty()) return agreement;
  const auto& words = names.words;
  const auto take = [&](double score, std::size_t last_word) {
    if (score + 0.04 * static_cast<double>(last_word) <= agreement.score) return;
    // "van den" of "van den Oord" belongs to the marker.
    std::size_t first = last_word;
    while (first + 1 < words.size() && is_particle(words[first + 1].key)) ++first;
    agreement = {score + 0.04 * static_cast<double>(last_word), words[first].span.begin, last_word + 1};
  };
  const double count = static_cast<double>(surnames.size());
  if (names.et_al) {
    // "Smith et al.", "Smith, Doe, et al.": names from the first on.
    for (std::size_t w = 0; w < std::min<std::size_t>(words.size(), 6); ++w) {
      if (!same_name(words[w].key, surnames.front())) continue;
      if (w == 0)
        take(count >= 3 ? 1.0 : count == 2 ? 0.8 : 0.65, w);
      else if (surnames.size() > 1 && same_name(words[w - 1].key, surnames[1]))
        take(1.0, w);
    }
    return agreement;
  }
  if (same_name(words[0].key, surnames.front())) {
    // A name before "and" belongs to it: then this is the last of several.
    std::size_t before = 1;
    while (before < words.size() && is_particle(words[before].key)) ++before;
    const bool last_of_several =
        words.size() > before + 1 && is_joining(words[before].key) && words[before + 1].capital;
    take((count < 1.5 ? 1.0 : 0.5) - (last_of_several ? 0.6 : 0), 0);
  }
  // "Smith and Doe", "Smith, Doe, and Poe": the last name first, then back to the first.
  std::size_t joined = 0;
  std::size_t name = 0;
  for (std::size_t w = 0; w < words.size() && w < 40; ++w) {
    if (is_joining(words[w].key)) {
      ++joined;
      continue;
    }
    if (is_particle(words[w].key)) continue;
    if (joined == 0 && w > 0) break;
    if (joined > 0 && same_name(words[w].key, surnames.front()) && w > 0) {
      const std::size_t printed = name + 1;
      const bool last_fits = surnames.size() >= 2 && std::any_of(surnames.begin() + 1, surnames.end(),
                                                                 [&](const std::string& surname) {
                                                                   return same_name(words[0].key, surname);
                                                                 });
      if (last_fits)
        take(static_cast<double>(printed) == count ? 1.0 : 0.75, w);
      else if (surnames.size() == 1)
        take(0.4, w);
      break;
    }
    if (words[w].capital || words[w].key.size() > 3) ++name;
    if (name > surnames.size() + 1) break;
  }
  return agreement;
}

class AuthorYearFinder {
 public:
  AuthorYearFinder(const Document& document, TextMentions& out) : document_(document), out_(out) {
    for (std::size_t i = 0; i < document.references.size(); ++i) {
      const auto& entry = document.references[i];
      by_year_[entry.fields.year].push_back(static_cast<std::uint32_t>(i));
      for (const auto& year : text::printed_years(entry.fields.raw)) {
        if (year.year != entry.fields.year) other_year_[year.year].push_back(static_cast<std::uint32_t>(i));
      }
    }
  }

  void run() {
    const std::string_view text = document_.text;
    Names names;
    std::size_t last_end = 0;
    bool last_linked = false;
    bool last_named = false;
    for (const auto& token : year_tokens(text)) {
      const bool shares = last_named && joins_years(text.substr(last_end, token.span.begin - last_end));
      if (!shares) names = names_before(text, token.span.begin);
      last_linked = link(token, names, shares);
      last_named = shares ? last_named : last_linked;
      last_end = token.span.end;
    }
  }

 private:
  /// "2010, 2012", "2010a,b", "2010 and 2012", "2010; 2012".
  static bool joins_years(std::string_view between) {
    if (between.size() > 6) return false;
    std::string plain;
    for (const char c : between) {
      if (c != ' ' && c != '\n') plain += c;
    }
    return plain == "," || plain == "and" || plain == "&" || plain == ",and" || plain == ";";
  }

  bool link(const YearToken& token, const Names& names, bool shares) {
    double best = 0.45;
    std::uint32_t chosen = 0;
    std::size_t begin = 0;
    bool tie = false;
    bool found = false;
    const auto weigh = [&](std::uint32_t index, double penalty) {
      const auto& entry = document_.references[index];
      Agreement agreement = agree(names, entry);
      if (agreement.score <= 0) return;
      agreement.score -= penalty;
      if (token.letter != 0 && entry.year_letter != 0)
        agreement.score += entry.year_letter == token.letter ? 0.3 : -0.5;
      if (token.letter == 0 && entry.year_letter != 0) agreement.score -= 0.02;
      if (agreement.score < best + 1e-9) {
        tie = tie || (found && agreement.score > best - 1e-9);
        return;
      }
      tie = false;
      found = true;
      best = agreement.score;
      chosen = index;
      begin = agreement.begin;
    };
    if (const auto at = by_year_.find(token.year); at != by_year_.end()) {
      for (const std::uint32_t index : at->second) weigh(index, 0);
    }
    if (const auto at = other_year_.find(token.year); at != other_year_.end()) {
      for (const std::uint32_t index : at->second) weigh(index, 0.2);
    }
    if (!found && !shares) found = second_look(token, names, chosen, begin);
    if (!found) {
      if (!shares && !names.words.empty() && names.words.front().capital && bracketed(token.span))
        out_.unlinked.push_back({names.words.front().span.begin, token.span.end});
      return false;
    }
    Mention mention;
    mention.span = {shares ? token.span.begin : begin, token.span.end};
    mention.references = {chosen};
    mention.group = group_of(token.span.begin);
    mention.confidence = std::min(0.97, tie ? 0.6 : best >= 0.95 ? 0.95 : best >= 0.7 ? 0.85 : 0.7);
    mention.evidence = static_cast<std::uint8_t>(Evidence::author_year);
    out_.mentions.push_back(std::move(mention));
    return true;
  }

  /// The one entry of the year whose authors nearly agree.
  bool second_look(const YearToken& token, const Names& names, std::uint32_t& chosen,
                   std::size_t& begin) const {
    const auto candidates = by_year_.find(token.year);
    if (candidates == by_year_.end() || names.words.empty() || !names.words[0].capital) return false;
    const auto& words = names.words;
    PrintedNames printed{{words[0].key}, names.et_al};
    begin = words[0].span.begin;
    if (!names.et_al && words.size() > 2 && is_joining(words[1].key) && words[2].capital) {
      printed.names.insert(printed.names.begin(), words[2].key);
      begin = words[2].span.begin;
    }
    std::size_t alike = 0;
    for (const std::uint32_t index : candidates->second) {
      const auto& entry = document_.references[index];
      const bool other_letter =
          token.letter != 0 && entry.year_letter != 0 && token.letter != entry.year_letter;
      if (other_letter || !nearly_agree(printed, entry)) continue;
      ++alike;
      chosen = index;
    }
    return alike == 1;
  }

  bool bracketed(const Span& span) const {
    const char after = span.end < document_.text.size() ? document_.text[span.end] : ' ';
    return after == ')' || after == ']' || after == ';';
  }

  /// Markers inside one pair of brackets share a group.
  std::uint32_t group_of(std::size_t at) {
    const std::string_view text = document_.text;
    std::size_t open = at;
    const std::size_t limit = at > 400 ? at - 400 : 0;
    while (open > limit && text[open - 1] != '(' && text[open - 1] != '[' && text[open - 1] != ')' &&
           text[open - 1] != ']')
      --open;
    const bool inside = open > limit && (text[open - 1] == '(' || text[open - 1] == '[');
    if (!inside || open != last_open_) ++group_;
    last_open_ = inside ? open : 0;
    return group_;
  }

  const Document& document_;
  TextMentions& out_;
  std::unordered_map<int, std::vector<std::uint32_t>> by_year_;
  std::unordered_map<int, std::vector<std::uint32_t>> other_year_;
  std::uint32_t group_ = 0;
  std::size_t last_open_ = 0;
};

}  // namespace

void find_author_year(const Document& document, TextMentions& out) {
  AuthorYearFinder(document, out).run();
}

}  // namespace mustcite::extract
