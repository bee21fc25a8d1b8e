#pragma once

#include <span>
#include <vector>

#include "engine/baseline/ranker.hpp"

namespace mustcite::baseline {

/// The best `request.depth` of documents [0, request.as_of.documents) by the product of their vector with the
/// query's, `request.exclude` left out. `vectors` holds one row of query.size() numbers for each of them.
[[nodiscard]] std::vector<Scored> nearest(std::span<const float> vectors, std::span<const float> query,
                                          const Request& request);

}  // namespace mustcite::baseline
