#include "engine/dense/topic_query.hpp"

#include "engine/model/fitted_text.hpp"

namespace mustcite::dense {

std::string fitted_query_text(const Recipe& recipe, const TextParts& parts, const model::Tokenizer& tokenizer,
                              std::size_t max_length) {
  if (parts.topic.empty()) return query_text(recipe, parts);
  const model::QueryParts whole{parts.title, parts.abstract, parts.topic};
  return model::fitted_query(tokenizer, max_length, whole, [&](const model::QueryParts& fitted) {
    return query_text(recipe, {fitted.title, fitted.abstract, fitted.topic});
  });
}

}  // namespace mustcite::dense
