#pragma once

#include <memory>
#include <string>

#include "engine/dense/retriever.hpp"
#include "engine/rank/methods.hpp"

namespace mustcite::rank {

/// A model's vectors as a method, under the name of its recipe: a document is found when its vector is near
/// the query's. Resources and retriever must outlive it.
[[nodiscard]] std::unique_ptr<Method> make_dense_method(const Resources& resources,
                                                        const dense::Retriever& retriever);

}  // namespace mustcite::rank
