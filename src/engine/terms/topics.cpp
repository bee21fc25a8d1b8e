#include "engine/terms/topics.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace mustcite::terms {
namespace {

constexpr const char* kAnalyzer = "english";
constexpr unsigned kStemBits = 16;
constexpr float kTitleWeight = 3;

/// Underscores and hyphens join the words of one term elsewhere; here each word counts alone.
std::string spaced(std::string_view text) {
  std::string result(text);
  std::replace(result.begin(), result.end(), '_', ' ');
  std::replace(result.begin(), result.end(), '-', ' ');
  return result;
}

}  // namespace

std::string topic_key(std::string_view phrase) {
  std::string key;
  for (const auto& stem : text::make_analyzer(kAnalyzer)->terms(spaced(phrase))) {
    if (!key.empty()) key += ' ';
    key += stem;
  }
  return key;
}

Topics::Topics(const std::vector<std::string>& phrases)
    : analyzer_(text::make_analyzer(kAnalyzer)), phrases_(phrases) {
  if (phrases.size() > kMost) {
    fail(ErrorCode::invalid_input,
         "{} topics are too many: at most {} are taken; raise the frequency that a topic needs",
         phrases.size(), kMost);
  }
  for (std::uint32_t topic = 0; topic < phrases.size(); ++topic) {
    const auto terms = analyzer_->terms(spaced(phrases[topic]));
    if (terms.empty() || terms.size() > kMostWords) {
      fail(ErrorCode::invalid_input,
           "the topic '{}' has {} words: it needs one to {}, stop words not counted", phrases[topic],
           terms.size(), kMostWords);
    }
    std::uint64_t key = 0;
    for (const auto& term : terms) {
      const auto word = words_.emplace(term, static_cast<std::uint32_t>(words_.size() + 1)).first->second;
      key = key << kStemBits | word;
    }
    if (!by_key_.emplace(key, topic).second) {
      fail(ErrorCode::invalid_input, "the topic '{}' comes twice (its stems do)", phrases[topic]);
    }
  }
}

std::vector<std::uint32_t> Topics::stems(std::string_view text) const {
  std::vector<std::uint32_t> result;
  for (const auto& term : analyzer_->terms(spaced(text))) {
    const auto found = words_.find(term);
    result.push_back(found == words_.end() ? 0 : found->second);
  }
  return result;
}

void Topics::count(std::string_view text, float weight,
                   std::unordered_map<std::uint32_t, float>& found) const {
  const auto words = stems(text);
  for (std::size_t i = 0; i < words.size();) {
    std::size_t taken = 0;
    std::uint32_t topic = kNone;
    std::uint64_t key = 0;
    for (std::size_t n = 0; n < kMostWords && i + n < words.size() && words[i + n] != 0; ++n) {
      key = key << kStemBits | words[i + n];
      if (const auto at = by_key_.find(key); at != by_key_.end()) {
        taken = n + 1;
        topic = at->second;
      }
    }
    if (taken > 0) found[topic] += weight;
    i += std::max<std::size_t>(taken, 1);
  }
}

std::vector<TopicMention> Topics::mentions(std::string_view text) const {
  return mentions({}, text);
}

std::vector<TopicMention> Topics::mentions(std::string_view title, std::string_view abstract) const {
  std::unordered_map<std::uint32_t, float> found;
  count(title, kTitleWeight, found);
  count(abstract, 1, found);
  std::vector<TopicMention> result;
  result.reserve(found.size());
  for (const auto& [topic, times] : found) result.push_back({topic, times});
  std::sort(result.begin(), result.end(),
            [](const TopicMention& a, const TopicMention& b) { return a.topic < b.topic; });
  return result;
}

std::uint32_t Topics::find(std::string_view phrase) const {
  const auto words = stems(phrase);
  if (words.empty() || words.size() > kMostWords) return kNone;
  std::uint64_t key = 0;
  for (const auto word : words) {
    if (word == 0) return kNone;
    key = key << kStemBits | word;
  }
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? kNone : found->second;
}

TopicTable::TopicTable(const Topics& topics, const snapshot::Snapshot& snapshot) : topics_(topics.size()) {
  begin_.reserve(snapshot.size() + 1);
  for (std::uint32_t row = 0; row < snapshot.size(); ++row) {
    const auto document = snapshot.document(DocId{row});
    for (const auto& mention : topics.mentions(document.title, document.abstract))
      mentions_.push_back(mention);
    begin_.push_back(mentions_.size());
  }
}

TopicTable::TopicTable(std::uint32_t topics, const std::vector<std::vector<TopicMention>>& rows)
    : topics_(topics) {
  for (const auto& row : rows) {
    mentions_.insert(mentions_.end(), row.begin(), row.end());
    begin_.push_back(mentions_.size());
  }
}

std::vector<std::uint32_t> TopicTable::frequencies(std::uint32_t documents) const {
  std::vector<std::uint32_t> result(topics_, 0);
  for (std::size_t i = 0; i < begin_[std::min(documents, rows())]; ++i) ++result[mentions_[i].topic];
  return result;
}

std::vector<TopicMention> main_topics(std::span<const TopicMention> mentions,
                                      std::span<const std::uint32_t> frequencies, std::uint32_t documents,
                                      std::size_t most) {
  std::vector<TopicMention> result;
  for (const auto& mention : mentions) {
    const double rarity = std::log((1.0 + documents) / (1.0 + frequencies[mention.topic]));
    const double weight = (1 + std::log(static_cast<double>(mention.times))) * rarity;
    if (weight > 0) result.push_back({mention.topic, static_cast<float>(weight)});
  }
  std::sort(result.begin(), result.end(), [](const TopicMention& a, const TopicMention& b) {
    return a.times != b.times ? a.times > b.times : a.topic < b.topic;
  });
  if (result.size() > most) result.resize(most);
  float sum = 0;
  for (const auto& mention : result) sum += mention.times;
  for (auto& mention : result) mention.times /= sum;
  return result;
}

}  // namespace mustcite::terms
