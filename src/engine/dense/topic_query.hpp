#pragma once

#include <cstddef>
#include <string>

#include "engine/dense/recipe.hpp"
#include "engine/model/tokenizer.hpp"

namespace mustcite::dense {

/// `query_text` within the model's length, for queries with a topic sentence: the end of the abstract gives
/// way, so that the topic sentence, which stands behind it, is read whole.
[[nodiscard]] std::string fitted_query_text(const Recipe& recipe, const TextParts& parts,
                                            const model::Tokenizer& tokenizer, std::size_t max_length);

}  // namespace mustcite::dense
