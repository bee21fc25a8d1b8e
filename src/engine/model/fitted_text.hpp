#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "engine/model/tokenizer.hpp"

namespace mustcite::model {

/// A query of three parts. `form` joins them to the text that the model reads.
struct QueryParts {
  std::string_view title;
  std::string_view abstract;
  std::string_view topic;
};

/// The text of a query that a model reads whole: at most `max_length` tokens, special ones included. What is
/// too long gives way at a space: first the end of the abstract, then that of the title. The topic stands
/// last in the text and would be cut first by the model: it always survives, up to half of the length. Work
/// follows `max_length`.
[[nodiscard]] std::string fitted_query(const Tokenizer& tokenizer, std::size_t max_length,
                                       const QueryParts& parts,
                                       const std::function<std::string(const QueryParts&)>& form);

}  // namespace mustcite::model
