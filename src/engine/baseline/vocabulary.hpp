#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text/analyzer.hpp"
#include "engine/snapshot/snapshot.hpp"

namespace mustcite::baseline {

/// The words that an encoder trained from scratch knows: lower-case terms of the `plain` analyzer by falling
/// document frequency, ties by spelling. Immutable, thread-safe.
class Vocabulary {
 public:
  static constexpr std::int32_t kPadding = 0;
  static constexpr std::int32_t kUnknown = 1;
  static constexpr std::int32_t kFirstWord = 2;

  /// Words of documents [0, documents) that stand in at least `min_documents` of them, at most `words`.
  static Vocabulary build(const snapshot::Snapshot& snapshot, std::uint32_t documents, std::size_t words,
                          std::uint32_t min_documents);
  /// `vocab.txt` in a model's folder, one word a line. Throws not_found, corrupt for a word that stands
  /// twice.
  static Vocabulary read(const std::filesystem::path& file);
  void write(const std::filesystem::path& file) const;

  /// Ids, padding and unknown included.
  [[nodiscard]] std::size_t size() const noexcept { return words_.size() + kFirstWord; }
  /// The id of each of the first `most` words of a text.
  [[nodiscard]] std::vector<std::int32_t> encode(std::string_view text, std::size_t most) const;
  [[nodiscard]] const std::vector<std::string>& words() const noexcept { return words_; }

 private:
  explicit Vocabulary(std::vector<std::string> words, const std::string& where);

  std::vector<std::string> words_;
  std::unordered_map<std::string, std::int32_t> ids_;
  std::shared_ptr<const text::Analyzer> analyzer_;
};

}  // namespace mustcite::baseline
