#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/baseline/model_card.hpp"
#include "engine/baseline/world.hpp"
#include "engine/index/sparse_index.hpp"

namespace mustcite::baseline {

using index::Scored;

/// A query as baselines see it: no authors and no citations of its own.
struct Request {
  std::string title;
  std::string abstract;
  std::string topic;  ///< topic sentence; may be empty
  std::string venue;  ///< may be empty
  AsOf as_of;
  std::span<const DocId> exclude;  ///< ascending: rows that never come back
  std::size_t depth = 100;
};

/// A trained baseline that answers. Thread-safe.
class Ranker {
 public:
  virtual ~Ranker() = default;
  [[nodiscard]] virtual const Card& card() const = 0;
  /// The best `depth` of the documents as of the request's date: falling score, ties by row.
  [[nodiscard]] virtual std::vector<Scored> rank(const Request& request) const = 0;
  /// Told of requests that will come, so that texts are encoded together. Nothing needs it.
  virtual void prepare(std::span<const Request> requests) const { static_cast<void>(requests); }
};

}  // namespace mustcite::baseline
