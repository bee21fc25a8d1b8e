#pragma once

#include <span>
#include <vector>

#include "engine/dense/recipe.hpp"
#include "engine/rank/view.hpp"

namespace mustcite::rank {

/// What an encoder reads of a query; views of its texts.
[[nodiscard]] inline dense::TextParts texts_of(const Query& query) {
  return {query.title, query.abstract, query.topic};
}
[[nodiscard]] inline std::vector<dense::TextParts> texts_of(std::span<const Query> queries) {
  std::vector<dense::TextParts> texts;
  for (const Query& query : queries) texts.push_back(texts_of(query));
  return texts;
}

}  // namespace mustcite::rank
