#include "apps/reproduce/substitution.hpp"

#include <tuple>

namespace mustcite::reproduce {
namespace {

/// The next `{lower-case word}` at or after `from`: its begin and end, or npos.
std::pair<std::size_t, std::size_t> next_word(std::string_view text, std::size_t from) {
  for (std::size_t open = text.find('{', from); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    const std::size_t close = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", open + 1);
    if (close != std::string_view::npos && close > open + 1 && text[close] == '}') return {open, close + 1};
  }
  return {std::string_view::npos, std::string_view::npos};
}

const std::filesystem::path* place_of(std::string_view word, const Places& places) {
  if (word == "{mustcite}") return &places.mustcite;
  if (word == "{work}") return &places.work;
  if (word == "{shared}") return &places.shared;
  if (word == "{source}") return &places.source;
  return nullptr;
}

}  // namespace

std::optional<std::string> unknown_placeholder(std::string_view text) {
  const Places none;
  for (auto [begin, end] = next_word(text, 0); begin != std::string_view::npos;
       std::tie(begin, end) = next_word(text, end)) {
    const auto word = text.substr(begin, end - begin);
    if (place_of(word, none) == nullptr) return std::string(word);
  }
  return std::nullopt;
}

std::string substitute(std::string_view text, const Places& places) {
  std::string result;
  std::size_t done = 0;
  for (auto [begin, end] = next_word(text, 0); begin != std::string_view::npos;
       std::tie(begin, end) = next_word(text, end)) {
    const auto* place = place_of(text.substr(begin, end - begin), places);
    result += text.substr(done, begin - done);
    result += place == nullptr ? std::string(text.substr(begin, end - begin)) : place->string();
    done = end;
  }
  return result + std::string(text.substr(done));
}

}  // namespace mustcite::reproduce
