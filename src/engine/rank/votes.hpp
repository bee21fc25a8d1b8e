#pragma once

#include <vector>

#include "engine/rank/views.hpp"

namespace mustcite::rank {

/// Votes of both kinds of neighbours, each divided by its largest, added. Ascending by document.
[[nodiscard]] std::vector<graph::Weighted> joint_votes(const QueryContext& context);

/// One entry per document, with the sum of its weights. Ascending by document.
[[nodiscard]] std::vector<graph::Weighted> added_up(std::vector<graph::Weighted> parts);

/// A vote divided by the root of how often the document is cited: landmarks get votes from everybody.
[[nodiscard]] float damped(const QueryContext& context, const graph::Weighted& vote);

}  // namespace mustcite::rank
