#include "engine/hatten/words.hpp"

namespace mustcite::hatten {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVocabulary = "words.txt";
constexpr const char* kTokenizer = "words";

}  // namespace

std::vector<std::int32_t> WordReader::ids(std::string_view text) const {
  if (const auto* tokenizer = std::get_if<model::Tokenizer>(&words_))
    return tokenizer->tokenize(text, longest_);
  return std::get<baseline::Vocabulary>(words_).encode(text, longest_);
}

std::int64_t WordReader::size() const {
  if (const auto* tokenizer = std::get_if<model::Tokenizer>(&words_)) {
    return static_cast<std::int64_t>(tokenizer->vocab_size());
  }
  return static_cast<std::int64_t>(std::get<baseline::Vocabulary>(words_).size());
}

void WordReader::write(const fs::path& folder, const std::optional<fs::path>& encoder) const {
  if (const auto* vocabulary = std::get_if<baseline::Vocabulary>(&words_)) {
    vocabulary->write(folder / kVocabulary);
    return;
  }
  fs::create_directories(folder / kTokenizer);
  for (const char* name :
       {"tokenizer.json", "vocab.txt", "tokenizer_config.json", "special_tokens_map.json"}) {
    if (fs::exists(*encoder / name)) fs::copy_file(*encoder / name, folder / kTokenizer / name);
  }
}

WordReader WordReader::open(const fs::path& folder, std::size_t longest) {
  if (fs::exists(folder / kVocabulary)) return {baseline::Vocabulary::read(folder / kVocabulary), longest};
  return {model::Tokenizer::open(folder / kTokenizer), longest};
}

}  // namespace mustcite::hatten
