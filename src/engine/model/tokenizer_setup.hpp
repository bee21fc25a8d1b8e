#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/added_tokens.hpp"
#include "engine/model/bert_words.hpp"
#include "engine/model/word_pieces.hpp"

namespace mustcite::model {

/// Everything that the files of a folder say of a tokenizer.
struct TokenizerSetup {
  Vocabulary vocabulary;
  std::vector<AddedToken> added;
  NormaliserOptions normaliser;
  std::string prefix = "##";
  std::size_t most_characters = 100;
  std::int32_t unknown = 0;
  std::int32_t cls = 0;
  std::int32_t sep = 0;
  std::int32_t pad = 0;
  std::optional<std::int32_t> mask;
};

/// From `tokenizer.json`, else `vocab.txt`; `tokenizer_config.json` may change how texts are normalised, as
/// it does in transformers. Throws not_found and invalid_input.
[[nodiscard]] TokenizerSetup read_tokenizer(const std::filesystem::path& folder);

/// From the text of a tokenizer.json.
[[nodiscard]] TokenizerSetup parse_tokenizer(std::string_view json, std::string_view where);

}  // namespace mustcite::model
