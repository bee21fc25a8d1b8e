#pragma once

#include <vector>

#include "engine/rank/views.hpp"

namespace mustcite::rank {

/// Votes of both kinds of neighbours, each divided by its largest, added. Ascending by document.
[[nodiscard]] std::vector<graph::Weighted> joint_votes(const QueryContext& context);

/// A vote divided by the root of how often the document is cited: landmarks get votes from everybody.
[[nodiscard]] float damped(const QueryContext& context, const graph::Weighted& vote);

}  // namespace mustcite::rank
