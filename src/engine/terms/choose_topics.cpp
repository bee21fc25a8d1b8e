#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "engine/terms/topics.hpp"

namespace mustcite::terms {
namespace {

constexpr std::size_t kLongest = 3;

/// A phrase over all titles: in how many, and how it is spelt there.
struct Found {
  std::uint32_t titles = 0;
  std::uint32_t last = 0xffffffff;  ///< the last title that held it
  std::map<std::string, std::uint32_t> spellings;
  std::vector<std::string> stems;
};

using Phrases = std::map<std::string, Found>;

struct Word {
  std::string stem;
  std::string spelling;
};

/// Runs of words between punctuation, split at stop words as well: a phrase lies within one.
std::vector<std::vector<Word>> runs(const text::Analyzer& analyzer, std::string_view title) {
  std::vector<std::vector<Word>> result(1);
  std::string word;
  const auto finish = [&](bool breaks) {
    if (!word.empty()) {
      const auto terms = analyzer.terms(word);
      if (terms.size() == 1) {
        result.back().push_back({terms.front(), word});
      } else if (!result.back().empty()) {
        result.emplace_back();
      }
      word.clear();
    }
    if (breaks && !result.back().empty()) result.emplace_back();
  };
  for (const char c : title) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = byte >= 0x80 || std::isalnum(byte) != 0;
    if (letter) {
      word += byte < 0x80 ? static_cast<char>(std::tolower(byte)) : c;
    } else {
      finish(c != ' ' && c != '-' && c != '\t' && c != '\n');
    }
  }
  finish(true);
  return result;
}

/// In how many titles each stem stands.
std::unordered_map<std::string, std::uint32_t> count_stems(const text::Analyzer& analyzer,
                                                           const snapshot::Snapshot& snapshot,
                                                           std::uint32_t documents) {
  std::unordered_map<std::string, std::uint32_t> counts;
  for (std::uint32_t row = 0; row < documents; ++row) {
    std::set<std::string> stems;
    for (const auto& run : runs(analyzer, snapshot.document(DocId{row}).title)) {
      for (const auto& word : run) stems.insert(word.stem);
    }
    for (const auto& stem : stems) ++counts[stem];
  }
  return counts;
}

/// Words and phrases whose words each stand in `min_titles` titles: the others cannot be topics, and there
/// are very many of them.
Phrases count_phrases(const snapshot::Snapshot& snapshot, std::uint32_t documents, std::uint32_t min_titles) {
  const auto analyzer = text::make_analyzer("english");
  const auto counts = count_stems(*analyzer, snapshot, documents);
  Phrases phrases;
  for (std::uint32_t row = 0; row < documents; ++row) {
    for (const auto& run : runs(*analyzer, snapshot.document(DocId{row}).title)) {
      for (std::size_t begin = 0; begin < run.size(); ++begin) {
        std::string key;
        std::string spelling;
        std::vector<std::string> stems;
        for (std::size_t n = 0; n < kLongest && begin + n < run.size(); ++n) {
          const Word& word = run[begin + n];
          if (counts.at(word.stem) < min_titles) break;
          key += (n > 0 ? " " : "") + word.stem;
          spelling += (n > 0 ? " " : "") + word.spelling;
          stems.push_back(word.stem);
          auto& found = phrases[key];
          if (found.titles == 0) found.stems = stems;
          if (found.last != row) ++found.titles;
          found.last = row;
          ++found.spellings[spelling];
        }
      }
    }
  }
  return phrases;
}

/// Normalised pointwise mutual information of the phrase against its words: 1 when they only come together.
double cohesion(const Phrases& phrases, const Found& found, double titles) {
  double independent = 0;
  for (const auto& stem : found.stems) independent += std::log(phrases.at(stem).titles / titles);
  const double together = std::log(found.titles / titles);
  if (together >= 0) return 1;
  return (together - independent) / (-together * static_cast<double>(found.stems.size() - 1));
}

bool is_word(const std::string& stem) {
  const bool digits = std::all_of(stem.begin(), stem.end(), [](char c) { return c >= '0' && c <= '9'; });
  return stem.size() > 1 && !digits;
}

std::string spelling_of(const Found& found) {
  const auto best = std::max_element(found.spellings.begin(), found.spellings.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return best->first;
}

}  // namespace

std::vector<std::string> choose_topics(const snapshot::Snapshot& snapshot, const TopicChoice& choice) {
  const std::uint32_t documents =
      choice.documents == 0 ? snapshot.size() : std::min(choice.documents, snapshot.size());
  const Phrases phrases = count_phrases(snapshot, documents, choice.min_titles);
  std::vector<std::pair<std::uint32_t, const std::string*>> kept;
  for (const auto& [key, found] : phrases) {
    if (found.titles < choice.min_titles || found.titles > choice.most_share * documents) continue;
    if (!std::all_of(found.stems.begin(), found.stems.end(), is_word)) continue;
    if (found.stems.size() > 1 && cohesion(phrases, found, documents) < choice.cohesion) continue;
    kept.emplace_back(found.titles, &key);
  }
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : *a.second < *b.second;
  });
  std::vector<std::string> result;
  std::set<std::string> keys;
  for (const auto& [titles, key] : kept) {
    if (result.size() == std::min(choice.most, Topics::kMost)) break;
    std::string spelling = spelling_of(phrases.at(*key));
    // A rare spelling may read differently as a whole (a stop word among the letters): such a one is no
    // topic.
    if (topic_key(spelling) == *key && keys.insert(*key).second) result.push_back(std::move(spelling));
  }
  return result;
}

}  // namespace mustcite::terms
