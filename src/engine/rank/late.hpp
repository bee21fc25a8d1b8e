#pragma once

#include <memory>
#include <string>

#include "engine/late/retriever.hpp"
#include "engine/rank/methods.hpp"

namespace mustcite::rank {

/// Late interaction as a method, under the name of its recipe: a document is found when its tokens' vectors
/// are near to those of the query's tokens (MaxSim). With `exhaustive` every document is scored. Resources
/// and retriever must outlive it.
[[nodiscard]] std::unique_ptr<Method> make_late_method(const Resources& resources,
                                                       const late::Retriever& retriever, bool exhaustive);

}  // namespace mustcite::rank
