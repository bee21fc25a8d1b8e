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

std::string_view bare(std::string_view word) {
  return word.substr(1, word.size() - 2);
}

}  // namespace

Words Places::words() const {
  return {{"mustcite", mustcite.string()},
          {"work", work.string()},
          {"shared", shared.string()},
          {"source", source.string()}};
}

std::optional<std::string> unknown_placeholder(std::string_view text, const Words& known) {
  for (auto [begin, end] = next_word(text, 0); begin != std::string_view::npos;
       std::tie(begin, end) = next_word(text, end)) {
    const auto word = text.substr(begin, end - begin);
    if (!known.contains(bare(word))) return std::string(word);
  }
  return std::nullopt;
}

std::string substitute(std::string_view text, const Words& words) {
  std::string result;
  std::size_t done = 0;
  for (auto [begin, end] = next_word(text, 0); begin != std::string_view::npos;
       std::tie(begin, end) = next_word(text, end)) {
    const auto word = text.substr(begin, end - begin);
    const auto found = words.find(bare(word));
    result += text.substr(done, begin - done);
    result += found == words.end() ? std::string(word) : found->second;
    done = end;
  }
  return result + std::string(text.substr(done));
}

}  // namespace mustcite::reproduce
