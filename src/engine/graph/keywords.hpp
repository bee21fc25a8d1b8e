#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/snapshot/snapshot.hpp"

namespace mustcite::graph {

struct KeywordOptions {
  std::size_t most = 20000;      ///< keywords kept: those in most titles
  std::uint32_t min_titles = 4;  ///< fewer titles: no keyword
  double max_share = 0.02;       ///< a single word in more of the documents is no keyword
  std::size_t per_text = 10;     ///< keywords of one text
  std::size_t threads = 0;
};

/// Keywords of papers, mined from titles: phrases of one to three words without a stop word, a number or a
/// single letter among them, that stand in enough titles. A text's keywords are the ones it holds that say
/// most about it: (times, one in the title counts three) times ln(documents / documents with it), the longest
/// match only. Immutable, thread-safe.
class Keywords {
 public:
  /// From documents [0, documents): nothing newer is looked at. Few documents may give none.
  static Keywords mine(const snapshot::Snapshot& snapshot, std::uint32_t documents,
                       const KeywordOptions& options = {});
  /// Written by `write`. Throws not_found, or corrupt for a broken line or a phrase that stands twice.
  static Keywords read(const std::filesystem::path& file);
  /// One line a keyword: phrase, tab, documents with it; the first line holds the number of documents.
  void write(const std::filesystem::path& file) const;

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(phrases_.size()); }
  [[nodiscard]] const std::string& phrase(std::uint32_t id) const { return phrases_[id]; }
  [[nodiscard]] std::uint32_t documents_with(std::uint32_t id) const { return frequencies_[id]; }
  /// The keywords of a text, ascending.
  [[nodiscard]] std::vector<std::uint32_t> of(std::string_view title, std::string_view abstract) const;

 private:
  Keywords() = default;
  Keywords(std::vector<std::string> phrases, std::vector<std::uint32_t> frequencies, std::uint32_t documents,
           const std::string& where);
  /// Every keyword in the words, longest match first, with how often it stands there.
  void count(const std::vector<std::string>& words, std::uint32_t weight,
             std::unordered_map<std::uint32_t, std::uint32_t>& counts) const;

  std::vector<std::string> phrases_;
  std::vector<std::uint32_t> frequencies_;
  std::uint32_t documents_ = 0;
  std::size_t per_text_ = 10;
  std::unordered_map<std::string, std::uint32_t> ids_;
};

}  // namespace mustcite::graph
