#include "stages/link/similarity.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_set>

#include "core/text/normalise.hpp"

namespace mustcite::link {

std::vector<std::string> title_words(std::string_view title) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text::fold(title.substr(0, 2000))) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
    if (letter) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

double edit_similarity(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 400;
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  if (a.size() > b.size()) std::swap(a, b);
  if (b.empty()) return 1;
  // Levenshtein's recurrence, one row.
  std::array<std::uint16_t, kLongest + 1> row{};
  for (std::size_t i = 0; i <= a.size(); ++i) row[i] = static_cast<std::uint16_t>(i);
  for (std::size_t j = 1; j <= b.size(); ++j) {
    std::uint16_t diagonal = row[0];
    row[0] = static_cast<std::uint16_t>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
      const std::uint16_t above = row[i];
      const auto changed = static_cast<std::uint16_t>(diagonal + (a[i - 1] == b[j - 1] ? 0 : 1));
      row[i] = std::min({static_cast<std::uint16_t>(above + 1), static_cast<std::uint16_t>(row[i - 1] + 1), changed});
      diagonal = above;
    }
  }
  return 1.0 - static_cast<double>(row[a.size()]) / static_cast<double>(b.size());
}

bool is_numbering(std::string_view word) {
  if (word.find_first_of("0123456789") != std::string_view::npos) return true;
  static const std::unordered_set<std::string_view> kNumerals{"ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"};
  return kNumerals.contains(word);
}

bool is_function_word(std::string_view word) {
  static const std::unordered_set<std::string_view> kWords{
      "a", "an", "the", "of", "for", "with", "and", "or", "to", "in", "on", "by", "from", "via", "at", "as", "is", "are", "be",
      "its", "it", "s", "using", "towards", "toward", "into", "through", "that", "this", "de", "la", "der", "und"};
  return kWords.contains(word);
}

std::string bare_title(std::string_view title) {
  if (const std::size_t bar = title.find(" | "); bar != std::string_view::npos && bar > 10) title = title.substr(0, bar);
  if (title.size() > 2 && title.front() == '[' && title[1] >= '0' && title[1] <= '9') {
    const std::size_t close = title.find("] ");
    if (close != std::string_view::npos && close < 24) title.remove_prefix(close + 2);
  }
  std::size_t note = title.rfind("(arXiv:");
  if (note == std::string_view::npos) note = title.rfind("(arxiv:");
  if (note != std::string_view::npos && note > 10) {
    title = title.substr(0, note);
    while (!title.empty() && (title.back() == ' ' || title.back() == '.')) title.remove_suffix(1);
  }
  return std::string(title);
}

TitleParts title_parts(std::string_view title) {
  TitleParts parts;
  for (const std::string_view mark : {":", "?", "!", ". ", " - ", " – ", " — ", "—", " (", "; "}) {
    const std::size_t first = title.find(mark);
    if (first == std::string_view::npos || first + mark.size() >= title.size()) continue;
    if (parts.first.empty() || first < parts.first.size()) parts.first = title.substr(0, first);
    const std::string_view behind = title.substr(title.rfind(mark) + mark.size());
    if (!behind.empty() && (parts.last.empty() || behind.size() < parts.last.size())) parts.last = behind;
  }
  return parts;
}

WordDifference word_difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> only_a;
  std::vector<std::string> only_b = b;
  for (const auto& word : a) {
    const auto found = std::find(only_b.begin(), only_b.end(), word);
    if (found == only_b.end()) {
      only_a.push_back(word);
    } else {
      only_b.erase(found);
    }
  }
  // "pretraining" and "pre", "training": left-overs that are equal when written together are the same words.
  const auto joined = [](const std::vector<std::string>& words) {
    std::string all;
    for (const auto& word : words) all += word;
    return all;
  };
  WordDifference difference;
  if (joined(only_a) == joined(only_b)) return difference;
  const auto total = static_cast<double>(a.size() + b.size());
  for (auto it = only_a.begin(); it != only_a.end();) {
    const auto variant = std::find_if(only_b.begin(), only_b.end(), [&](const std::string& other) {
      return !is_numbering(*it) && !is_numbering(other) && std::min(it->size(), other.size()) >= 4 && edit_similarity(*it, other) >= 0.7;
    });
    if (variant == only_b.end()) {
      ++it;
    } else {
      only_b.erase(variant);
      it = only_a.erase(it);
    }
  }
  difference.shared = (total - static_cast<double>(only_a.size() + only_b.size())) / total;
  std::size_t left = 0;
  std::size_t right = 0;
  for (const auto& word : only_a) {
    difference.numbering = difference.numbering || is_numbering(word);
    left += is_function_word(word) ? 0 : 1;
  }
  for (const auto& word : only_b) {
    difference.numbering = difference.numbering || is_numbering(word);
    right += is_function_word(word) ? 0 : 1;
  }
  difference.replaced = std::min(left, right);
  difference.added = std::max(left, right) - difference.replaced;
  return difference;
}

}  // namespace mustcite::link
