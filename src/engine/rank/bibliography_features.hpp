#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/rank/features.hpp"
#include "engine/rank/view.hpp"

namespace mustcite::rank {

/// What a candidate has in common with the works that the query already cites, beside what the views of
/// bibliography_views() say: their authors, the names of methods and datasets that they mention, their venues
/// and years.
[[nodiscard]] const std::vector<FeatureInfo>& bibliography_features();

/// Writes these columns, in order, for `docs`; `next` gives one after another. Everything is unknown (NaN)
/// without a bibliography.
void write_bibliography_features(const QueryContext& context, std::span<const DocId> docs,
                                 const std::function<std::span<float>()>& next);

}  // namespace mustcite::rank
