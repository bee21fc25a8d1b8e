#include "engine/graph/keywords.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "core/text/analyzer.hpp"

namespace mustcite::graph {
namespace {

constexpr std::size_t kLongest = 3;
constexpr std::uint32_t kTitleWeight = 3;

const text::Analyzer& plain() {
  static const auto analyzer = text::make_analyzer("plain");
  return *analyzer;
}

/// Words that may be part of a keyword: no stop word, no number, more than a letter.
class KeywordWords {
 public:
  bool operator()(const std::string& word) {
    const auto known = known_.find(word);
    if (known != known_.end()) return known->second;
    const bool digits = std::all_of(word.begin(), word.end(), [](char c) { return c < 'a' || c > 'z'; });
    const bool good = word.size() > 1 && !digits && !english_->terms(word).empty();
    return known_.emplace(word, good).first->second;
  }

 private:
  std::unique_ptr<text::Analyzer> english_ = text::make_analyzer("english");
  std::unordered_map<std::string, bool> known_;
};

std::string joined(const std::vector<std::string>& words, std::size_t begin, std::size_t count) {
  std::string phrase = words[begin];
  for (std::size_t i = 1; i < count; ++i) phrase.append(" ").append(words[begin + i]);
  return phrase;
}

/// Each phrase of the titles with the number of titles that hold it.
std::unordered_map<std::string, std::uint32_t> count_titles(const snapshot::Snapshot& snapshot,
                                                            std::uint32_t documents) {
  KeywordWords may_be;
  std::unordered_map<std::string, std::uint32_t> counts;
  std::vector<std::string> phrases;
  for (std::uint32_t row = 0; row < documents; ++row) {
    const auto words = plain().terms(snapshot.document(DocId{row}).title);
    phrases.clear();
    for (std::size_t begin = 0; begin < words.size(); ++begin) {
      for (std::size_t n = 1; n <= kLongest && begin + n <= words.size() && may_be(words[begin + n - 1]); ++n)
        phrases.push_back(joined(words, begin, n));
    }
    std::sort(phrases.begin(), phrases.end());
    phrases.erase(std::unique(phrases.begin(), phrases.end()), phrases.end());
    for (auto& phrase : phrases) ++counts[std::move(phrase)];
  }
  return counts;
}

}  // namespace

Keywords::Keywords(std::vector<std::string> phrases, std::vector<std::uint32_t> frequencies,
                   std::uint32_t documents, const std::string& where)
    : phrases_(std::move(phrases)), frequencies_(std::move(frequencies)), documents_(documents) {
  for (std::uint32_t id = 0; id < phrases_.size(); ++id) {
    if (!ids_.emplace(phrases_[id], id).second)
      fail(ErrorCode::corrupt, "reading {}: the keyword '{}' stands twice", where, phrases_[id]);
  }
}

Keywords Keywords::mine(const snapshot::Snapshot& snapshot, std::uint32_t documents,
                        const KeywordOptions& options) {
  std::vector<std::pair<std::uint32_t, std::string>> ordered;
  for (auto& [phrase, titles] : count_titles(snapshot, documents)) {
    if (titles >= options.min_titles) ordered.emplace_back(titles, phrase);
  }
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<std::string> phrases;
  for (auto& [titles, phrase] : ordered) phrases.push_back(std::move(phrase));
  Keywords all(std::move(phrases), {}, documents, "the titles");
  // In how many documents each stands, whole texts now.
  constexpr std::size_t kBlock = 4096;
  all.frequencies_.assign(all.size(), 0);
  std::vector<std::vector<std::uint32_t>> found(kBlock);
  for (std::uint32_t begin = 0; begin < documents; begin += kBlock) {
    const std::size_t count = std::min<std::size_t>(kBlock, documents - begin);
    parallel_for(count, options.threads, [&](std::size_t i, std::size_t) {
      const auto view = snapshot.document(DocId{begin + static_cast<std::uint32_t>(i)});
      std::unordered_map<std::uint32_t, std::uint32_t> counts;
      all.count(plain().terms(view.title), 1, counts);
      all.count(plain().terms(view.abstract), 1, counts);
      found[i].clear();
      for (const auto& [id, times] : counts) found[i].push_back(id);
    });
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::uint32_t id : found[i]) ++all.frequencies_[id];
    }
  }
  std::vector<std::string> kept;
  std::vector<std::uint32_t> frequencies;
  const double most_documents = options.max_share * documents;
  for (std::uint32_t id = 0; id < all.size() && kept.size() < options.most; ++id) {
    const bool single = all.phrases_[id].find(' ') == std::string::npos;
    if (all.frequencies_[id] == 0 || (single && all.frequencies_[id] > std::max(most_documents, 20.0)))
      continue;
    kept.push_back(all.phrases_[id]);
    frequencies.push_back(all.frequencies_[id]);
  }
  Keywords result(std::move(kept), std::move(frequencies), documents, "the titles");
  result.per_text_ = options.per_text;
  return result;
}

void Keywords::count(const std::vector<std::string>& words, std::uint32_t weight,
                     std::unordered_map<std::uint32_t, std::uint32_t>& counts) const {
  for (std::size_t begin = 0; begin < words.size();) {
    std::size_t taken = 0;
    for (std::size_t n = std::min(kLongest, words.size() - begin); n > 0 && taken == 0; --n) {
      const auto at = ids_.find(joined(words, begin, n));
      if (at == ids_.end()) continue;
      counts[at->second] += weight;
      taken = n;
    }
    begin += std::max<std::size_t>(taken, 1);
  }
}

std::vector<std::uint32_t> Keywords::of(std::string_view title, std::string_view abstract) const {
  std::unordered_map<std::uint32_t, std::uint32_t> counts;
  count(plain().terms(title), kTitleWeight, counts);
  count(plain().terms(abstract), 1, counts);
  std::vector<std::pair<double, std::uint32_t>> weighted;
  for (const auto& [id, times] : counts) {
    const double idf = std::log(static_cast<double>(documents_) / std::max(frequencies_[id], 1U));
    weighted.emplace_back(-static_cast<double>(times) * idf, id);
  }
  std::sort(weighted.begin(), weighted.end());
  if (weighted.size() > per_text_) weighted.resize(per_text_);
  std::vector<std::uint32_t> ids;
  for (const auto& [weight, id] : weighted) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

void Keywords::write(const std::filesystem::path& file) const {
  std::string text = fmt::format("{} documents, {} keywords a text\n", documents_, per_text_);
  for (std::uint32_t id = 0; id < size(); ++id)
    text += fmt::format("{}\t{}\n", phrases_[id], frequencies_[id]);
  io::write_file_atomically(file, text);
}

Keywords Keywords::read(const std::filesystem::path& file) {
  io::LineReader lines(file);
  std::vector<std::string> phrases;
  std::vector<std::uint32_t> frequencies;
  std::string_view line;
  const auto broken = [&] {
    fail(ErrorCode::corrupt, "reading keywords: line {} of {} is broken", lines.line_number(), file.string());
  };
  unsigned documents = 0;
  unsigned per_text = 0;
  if (!lines.next(line) || std::sscanf(std::string(line).c_str(), "%u documents, %u keywords a text",
                                       &documents, &per_text) != 2) {
    broken();
  }
  while (lines.next(line)) {
    const auto tab = line.find('\t');
    std::uint32_t frequency = 0;
    if (tab == std::string_view::npos || tab == 0 ||
        std::from_chars(line.data() + tab + 1, line.data() + line.size(), frequency).ec != std::errc()) {
      broken();
    }
    phrases.emplace_back(line.substr(0, tab));
    frequencies.push_back(frequency);
  }
  Keywords keywords(std::move(phrases), std::move(frequencies), documents, file.string());
  keywords.per_text_ = per_text;
  return keywords;
}

}  // namespace mustcite::graph
