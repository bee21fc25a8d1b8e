#include "engine/model/fitted_text.hpp"

#include <algorithm>
#include <vector>

namespace mustcite::model {
namespace {

constexpr std::size_t kAround = 2;  // [CLS] and [SEP]

/// Tokens of a text, counted to one beyond `most`.
std::size_t count(const Tokenizer& tokenizer, std::string_view text, std::size_t most) {
  return tokenizer.tokenize(text, most + 1).size();
}

/// Where the first words of a text end, from none to all. A word has at least one token, so those behind
/// `most` words are never needed.
std::vector<std::size_t> word_ends(std::string_view text, std::size_t most) {
  std::vector<std::size_t> ends{0};
  for (std::size_t at = 0; at < text.size() && ends.size() <= most + 1;) {
    at = text.find_first_not_of(' ', at);
    if (at == std::string_view::npos) break;
    at = std::min(text.find(' ', at), text.size());
    ends.push_back(at);
  }
  return ends;
}

/// The longest beginning of `text`, in whole words, for which `fits` holds. Precondition: longer ones fit
/// less.
template <typename Fits>
std::string_view longest(std::string_view text, std::size_t most_words, const Fits& fits) {
  const auto ends = word_ends(text, most_words);
  std::size_t low = 0;
  std::size_t high = ends.size() - 1;
  while (low < high) {
    const std::size_t middle = low + (high - low + 1) / 2;
    if (fits(text.substr(0, ends[middle]))) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return text.substr(0, ends[low]);
}

}  // namespace

std::string fitted_query(const Tokenizer& tokenizer, std::size_t max_length, const QueryParts& parts,
                         const std::function<std::string(const QueryParts&)>& form) {
  const std::size_t room = max_length > kAround ? max_length - kAround : 1;
  QueryParts kept = parts;
  const auto fits = [&](const QueryParts& some) { return count(tokenizer, form(some), room) <= room; };
  const std::size_t of_topic = room / 2;
  kept.topic = longest(parts.topic, of_topic,
                       [&](std::string_view topic) { return count(tokenizer, topic, of_topic) <= of_topic; });
  // A text of thousands of words need not be joined to know that it is too long.
  kept.abstract = longest(parts.abstract, room, [](std::string_view) { return true; });
  if (fits(kept)) return form(kept);
  kept.abstract = longest(kept.abstract, room, [&](std::string_view abstract) {
    return fits({kept.title, abstract, kept.topic});
  });
  if (fits(kept)) return form(kept);
  kept.title = longest(kept.title, room, [&](std::string_view title) {
    return fits({title, kept.abstract, kept.topic});
  });
  return form(kept);
}

}  // namespace mustcite::model
