#include "engine/baseline/vocabulary.hpp"

#include <algorithm>
#include <set>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"

namespace mustcite::baseline {

Vocabulary::Vocabulary(std::vector<std::string> words, const std::string& where)
    : words_(std::move(words)), analyzer_(text::make_analyzer("plain")) {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (!ids_.emplace(words_[i], static_cast<std::int32_t>(i) + kFirstWord).second)
      fail(ErrorCode::corrupt, "reading {}: the word '{}' stands twice", where, words_[i]);
  }
}

Vocabulary Vocabulary::build(const snapshot::Snapshot& snapshot, std::uint32_t documents, std::size_t words,
                             std::uint32_t min_documents) {
  const auto analyzer = text::make_analyzer("plain");
  std::unordered_map<std::string, std::uint32_t> counts;
  std::vector<std::string> terms;
  for (std::uint32_t row = 0; row < documents; ++row) {
    const auto view = snapshot.document(DocId{row});
    terms.clear();
    analyzer->analyze(view.title, terms);
    analyzer->analyze(view.abstract, terms);
    std::sort(terms.begin(), terms.end());
    terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
    for (auto& term : terms) ++counts[std::move(term)];
  }
  std::vector<std::pair<std::uint32_t, std::string>> ordered;
  for (auto& [word, count] : counts) {
    if (count >= min_documents) ordered.emplace_back(count, word);
  }
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  if (ordered.size() > words) ordered.resize(words);
  std::vector<std::string> chosen;
  for (auto& [count, word] : ordered) chosen.push_back(std::move(word));
  return Vocabulary(std::move(chosen), "the documents");
}

Vocabulary Vocabulary::read(const std::filesystem::path& file) {
  io::LineReader lines(file);
  std::vector<std::string> words;
  for (std::string_view line; lines.next(line);) {
    if (!line.empty()) words.emplace_back(line);
  }
  return Vocabulary(std::move(words), file.string());
}

void Vocabulary::write(const std::filesystem::path& file) const {
  std::string text;
  for (const auto& word : words_) text.append(word).push_back('\n');
  io::write_file_atomically(file, text);
}

std::vector<std::int32_t> Vocabulary::encode(std::string_view text, std::size_t most) const {
  std::vector<std::int32_t> ids;
  for (const auto& term : analyzer_->terms(text)) {
    if (ids.size() == most) break;
    const auto at = ids_.find(term);
    ids.push_back(at == ids_.end() ? kUnknown : at->second);
  }
  return ids;
}

}  // namespace mustcite::baseline
