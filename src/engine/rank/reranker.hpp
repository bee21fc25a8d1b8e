#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "engine/rank/view.hpp"

namespace mustcite::rank {

/// Puts the best results of a method into a new order: slower than a view and asked only about few documents.
class Reranker {
 public:
  virtual ~Reranker() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Results of a list that are put into a new order; what lies behind them stays behind.
  [[nodiscard]] virtual std::size_t depth() const = 0;
  /// `lists[i]` belongs to `queries[i]`: best first, with the method's scores. They come back in the new
  /// order with falling scores of the reranker's own. A list may be shorter than `depth()`, or empty. One
  /// call at a time.
  virtual void rerank(std::span<const Query> queries, std::span<std::vector<Scored>> lists) const = 0;
};

}  // namespace mustcite::rank
