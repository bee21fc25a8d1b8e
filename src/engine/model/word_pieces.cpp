#include "engine/model/word_pieces.hpp"

#include <algorithm>
#include <span>

#include "core/base/hash.hpp"

namespace mustcite::model {

std::size_t WordPieces::Hash::operator()(std::string_view text) const noexcept {
  return checksum64(std::as_bytes(std::span(text)));
}

WordPieces::WordPieces(const Vocabulary& vocabulary, const std::string& prefix, std::int32_t unknown,
                       std::size_t most_characters)
    : unknown_(unknown), most_characters_(most_characters) {
  first_.reserve(vocabulary.size());
  for (const auto& [token, id] : vocabulary) {
    first_.emplace(token, id);
    longest_first_ = std::max(longest_first_, token.size());
    if (!token.starts_with(prefix)) continue;
    following_.emplace(token.substr(prefix.size()), id);
    longest_following_ = std::max(longest_following_, token.size() - prefix.size());
  }
}

std::size_t WordPieces::longest(const Map& map, std::size_t longest_token, std::string_view rest,
                                std::int32_t& id) {
  for (std::size_t length = std::min(longest_token, rest.size()); length > 0; --length) {
    // Never in the middle of a character.
    if (length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xC0U) == 0x80U) continue;
    const auto found = map.find(rest.substr(0, length));
    if (found == map.end()) continue;
    id = found->second;
    return length;
  }
  return 0;
}

void WordPieces::append(std::string_view word, std::size_t characters, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  std::size_t at = 0;
  while (characters <= most_characters_ && at < word.size()) {
    std::int32_t id = 0;
    const std::size_t length = at == 0 ? longest(first_, longest_first_, word, id)
                                       : longest(following_, longest_following_, word.substr(at), id);
    if (length == 0) break;
    ids.push_back(id);
    at += length;
  }
  if (at == word.size() && characters <= most_characters_) return;
  ids.resize(before);
  ids.push_back(unknown_);
}

}  // namespace mustcite::model
