#pragma once

#include <memory>

#include "engine/baseline/ranker.hpp"
#include "engine/rank/methods.hpp"

namespace mustcite::rank {

/// A trained baseline as a method, under its model's name. It sees title, abstract, topic and venue of a
/// query, and citations strictly older than its date; for a query without a date whose own paper is known to
/// cite, those older than that paper. Queries of a date that the training has seen beyond are refused.
/// Resources and ranker must outlive it.
[[nodiscard]] std::unique_ptr<Method> make_baseline_method(const Resources& resources,
                                                           const baseline::Ranker& ranker);

}  // namespace mustcite::rank
