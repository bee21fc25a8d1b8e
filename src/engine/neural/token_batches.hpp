#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace mustcite::neural {

/// Places of texts that are computed together.
using TextBatch = std::vector<std::size_t>;

/// The order in which texts are computed: longest first, so that texts of one batch are of like length and no
/// thread gets a long one last. `length(i)` gives the tokens of a text.
template <typename Length>
[[nodiscard]] std::vector<std::size_t> longest_first(std::size_t texts, const Length& length) {
  std::vector<std::size_t> order(texts);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return length(a) > length(b); });
  return order;
}

/// Batches of at most `tokens` tokens (or of one text); `padded`: each text counts as long as the longest.
template <typename Length>
[[nodiscard]] std::vector<TextBatch> token_batches(const std::vector<std::size_t>& order,
                                                   const Length& length, std::size_t tokens, bool padded) {
  std::vector<TextBatch> all;
  std::size_t used = 0;
  std::size_t longest = 0;
  for (const std::size_t place : order) {
    if (all.empty() || used + (padded ? longest : length(place)) > tokens) {
      all.emplace_back();
      used = 0;
      longest = length(place);
    }
    all.back().push_back(place);
    used += padded ? longest : length(place);
  }
  return all;
}

}  // namespace mustcite::neural
