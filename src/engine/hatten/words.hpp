#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <variant>

#include "engine/baseline/vocabulary.hpp"
#include "engine/hatten/network.hpp"
#include "engine/model/tokenizer.hpp"

namespace mustcite::hatten {

/// Texts as ids of words: pieces of words of an encoder's vocabulary, or whole words of the collection's.
/// Thread-safe.
class WordReader {
 public:
  WordReader(model::Tokenizer tokenizer, std::size_t longest)
      : words_(std::move(tokenizer)), longest_(longest) {}
  WordReader(baseline::Vocabulary vocabulary, std::size_t longest)
      : words_(std::move(vocabulary)), longest_(longest) {}

  [[nodiscard]] PaperWords read(std::string_view title, std::string_view abstract) const {
    return {ids(title), ids(abstract)};
  }
  /// Ids are below.
  [[nodiscard]] std::int64_t size() const;

  /// Writes what `open` needs into the model's folder; `encoder`: where the tokenizer came from.
  void write(const std::filesystem::path& folder, const std::optional<std::filesystem::path>& encoder) const;
  [[nodiscard]] static WordReader open(const std::filesystem::path& folder, std::size_t longest);

 private:
  [[nodiscard]] std::vector<std::int32_t> ids(std::string_view text) const;

  std::variant<model::Tokenizer, baseline::Vocabulary> words_;
  std::size_t longest_;
};

}  // namespace mustcite::hatten
