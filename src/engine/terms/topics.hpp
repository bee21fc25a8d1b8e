#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text/analyzer.hpp"
#include "engine/snapshot/snapshot.hpp"

/// Which topics do texts speak of, and how are topics related?
namespace mustcite::terms {

/// How often a text names a topic.
struct TopicMention {
  std::uint32_t topic = 0;
  float times = 0;
};

/// Topics: words and short phrases, told apart by their stems. Immutable, thread-safe.
class Topics {
 public:
  static constexpr std::size_t kMostWords = 4;  ///< of a phrase
  static constexpr std::size_t kMost = 8192;    ///< topics

  /// Phrases in the order of their ids. Throws invalid_input for one without a word or with too many, for a
  /// repeated one, and for too many of them.
  explicit Topics(const std::vector<std::string>& phrases);

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(phrases_.size()); }
  /// As printed.
  [[nodiscard]] const std::string& phrase(std::uint32_t topic) const { return phrases_[topic]; }
  [[nodiscard]] const std::vector<std::string>& phrases() const noexcept { return phrases_; }

  /// The topics that a text names, ascending. Where several begin at one word, the longest counts, and the
  /// words inside it count for no other.
  [[nodiscard]] std::vector<TopicMention> mentions(std::string_view text) const;
  /// The same of a paper: a mention in the title counts three times.
  [[nodiscard]] std::vector<TopicMention> mentions(std::string_view title, std::string_view abstract) const;
  /// The topic of that phrase, by its stems; kNone when there is none.
  [[nodiscard]] std::uint32_t find(std::string_view phrase) const;
  static constexpr std::uint32_t kNone = 0xffffffff;

 private:
  [[nodiscard]] std::vector<std::uint32_t> stems(std::string_view text) const;
  void count(std::string_view text, float weight, std::unordered_map<std::uint32_t, float>& found) const;

  std::unique_ptr<text::Analyzer> analyzer_;
  std::vector<std::string> phrases_;
  std::unordered_map<std::string, std::uint32_t> words_;     ///< stems that some topic contains, from 1 on
  std::unordered_map<std::uint64_t, std::uint32_t> by_key_;  ///< up to four stems of 16 bits
};

/// The stems of a phrase, joined by a space: two phrases of the same stems are one topic. Empty for a phrase
/// of stop words.
[[nodiscard]] std::string topic_key(std::string_view phrase);

struct TopicChoice {
  std::uint32_t documents = 0;    ///< learn from rows [0, documents); 0: all
  std::uint32_t min_titles = 10;  ///< a topic stands in so many titles
  double most_share = 0.03;       ///< of all titles: what is more frequent says too little
  double cohesion = 0.25;         ///< normalised pointwise mutual information of a phrase's words
  std::size_t most = 3000;        ///< those in the most titles, ties by stems
};

/// Chooses topics from titles: words and phrases of two or three words that are frequent, but not everywhere.
/// A phrase is printed as its most frequent spelling.
[[nodiscard]] std::vector<std::string> choose_topics(const snapshot::Snapshot& snapshot,
                                                     const TopicChoice& choice);

/// The topics of every document of a snapshot, row by row.
class TopicTable {
 public:
  TopicTable(const Topics& topics, const snapshot::Snapshot& snapshot);
  /// For tests: the mentions of each document.
  TopicTable(std::uint32_t topics, const std::vector<std::vector<TopicMention>>& rows);

  [[nodiscard]] std::uint32_t rows() const noexcept { return static_cast<std::uint32_t>(begin_.size() - 1); }
  [[nodiscard]] std::uint32_t topics() const noexcept { return topics_; }
  [[nodiscard]] std::span<const TopicMention> row(std::uint32_t row) const {
    return std::span(mentions_).subspan(begin_[row], begin_[row + 1] - begin_[row]);
  }
  /// In how many of rows [0, documents) each topic is named.
  [[nodiscard]] std::vector<std::uint32_t> frequencies(std::uint32_t documents) const;

 private:
  std::uint32_t topics_ = 0;
  std::vector<std::size_t> begin_{0};
  std::vector<TopicMention> mentions_;
};

/// The topics that say the most about a text: by (1 + ln times) * ln((1 + documents) / (1 + frequency)), at
/// most `most`, ties by id; their weights, scaled to the sum 1, stand in `times`. Best first.
[[nodiscard]] std::vector<TopicMention> main_topics(std::span<const TopicMention> mentions,
                                                    std::span<const std::uint32_t> frequencies,
                                                    std::uint32_t documents, std::size_t most);

}  // namespace mustcite::terms
