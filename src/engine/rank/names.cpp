#include "engine/rank/names.hpp"

#include <algorithm>
#include <array>

namespace mustcite::rank {
namespace {

bool is_upper(char c) noexcept {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_alnum(char c) noexcept {
  return is_upper(c) || is_lower(c) || is_digit(c);
}
bool is_inner(char c) noexcept {
  return is_alnum(c) || c == '+' || c == '*';
}
bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n';
}

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (is_upper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string joined_lower(const std::vector<std::string_view>& words) {
  std::string result;
  for (const std::string_view word : words) {
    if (!result.empty()) result += ' ';
    result += lower(word);
  }
  return result;
}

/// A title in capitals says nothing about which words are names.
bool mostly_capitals(std::string_view title) noexcept {
  std::size_t letters = 0, capitals = 0;
  for (const char c : title) {
    letters += is_upper(c) || is_lower(c) ? 1 : 0;
    capitals += is_upper(c) ? 1 : 0;
  }
  return 10 * capitals > 7 * letters;
}

class Miner {
 public:
  void title(std::string_view text) {
    if (mostly_capitals(text)) return;
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos && colon >= 2 && colon <= 40 && colon + 2 < text.size() &&
        is_space(text[colon + 1])) {
      const std::vector<std::string_view> words = name_words(text.substr(0, colon));
      const auto spaces = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon), ' ');
      if (!words.empty() && spaces <= 2)
        add(joined_lower(words), spaces == 0 ? NameKind::prefix : NameKind::phrase);
    }
    for (const std::string_view word : name_words(text)) {
      if (is_name_like(word)) add(lower(word), NameKind::title);
    }
  }

  void abstract(std::string_view text) {
    for (std::size_t open = text.find('('); open != std::string_view::npos; open = text.find('(', open + 1)) {
      const std::string_view word = word_at(text, open + 1);
      const std::size_t end = open + 1 + word.size();
      if (word.size() >= 2 && word.size() <= 16 && end < text.size() && text[end] == ')') introduced(word);
    }
    static constexpr std::array<std::string_view, 12> kVerbs{"called",  "named",   "dubbed", "introduce",
                                                             "present", "propose", "term",   "termed",
                                                             "coin",    "coined",  "as",     "called the"};
    const std::vector<std::string_view> words = name_words(text);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (std::find(kVerbs.begin(), kVerbs.end(), words[i]) == kVerbs.end()) continue;
      const std::size_t next = words[i + 1] == "the" ? i + 2 : i + 1;
      if (next < words.size() && words[next].size() <= 21 &&
          only_space_between(text, words[i], words[i + 1]) &&
          (next == i + 1 || only_space_between(text, words[i + 1], words[next]))) {
        introduced(words[next]);
      }
    }
  }

  std::vector<MinedName> names;

 private:
  void introduced(std::string_view word) {
    if (is_upper(word.front()) && is_name_like(word)) add(lower(word), NameKind::abstract_);
  }

  void add(std::string name, NameKind kind) {
    const auto same = [&](const MinedName& known) { return known.name == name; };
    if (std::none_of(names.begin(), names.end(), same)) names.push_back({std::move(name), kind});
  }

  /// Letters, digits, + and - from `at` on.
  static std::string_view word_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && (is_alnum(text[end]) || text[end] == '+' || text[end] == '-')) ++end;
    return text.substr(at, end - at);
  }

  static bool only_space_between(std::string_view text, std::string_view a, std::string_view b) {
    const auto from = static_cast<std::size_t>(a.data() + a.size() - text.data());
    const auto to = static_cast<std::size_t>(b.data() - text.data());
    return to > from && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(from),
                                    text.begin() + static_cast<std::ptrdiff_t>(to), is_space);
  }
};

}  // namespace

bool is_name_like(std::string_view word) noexcept {
  if (word.size() < 2 || std::all_of(word.begin(), word.end(), is_digit)) return false;
  const auto capitals = std::count_if(word.begin(), word.end(), is_upper);
  const bool digit = std::any_of(word.begin(), word.end(), is_digit);
  const bool small = std::any_of(word.begin(), word.end(), is_lower);
  const std::size_t hyphen = word.find('-');
  if (hyphen != std::string_view::npos) {
    if (digit && small) return true;
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t end = std::min(word.find('-', begin), word.size());
      if (is_name_like(word.substr(begin, end - begin))) return true;
      begin = end + 1;
    }
    return false;
  }
  const bool inner = std::any_of(word.begin() + 1, word.end(), is_upper);
  return capitals >= 2 || inner || (digit && capitals >= 1);
}

std::vector<std::string_view> name_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_alnum(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && (is_inner(text[i]) || ((text[i] == '-' || text[i] == '_') &&
                                                     i + 1 < text.size() && is_inner(text[i + 1])))) {
      ++i;
    }
    words.push_back(text.substr(begin, i - begin));
  }
  return words;
}

std::vector<MinedName> mine_names(std::string_view title, std::string_view abstract) {
  Miner miner;
  miner.title(title);
  miner.abstract(abstract);
  return std::move(miner.names);
}

}  // namespace mustcite::rank
