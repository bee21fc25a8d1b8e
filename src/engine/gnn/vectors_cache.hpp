#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/baseline/world.hpp"

namespace mustcite::gnn {

/// Vectors of all documents as of a date, made once a date; the last few dates are kept. Thread-safe: a
/// second thread that asks for the same date waits.
class VectorsCache {
 public:
  using Vectors = std::shared_ptr<const std::vector<float>>;
  template <typename Make>
  Vectors get(const baseline::AsOf& as_of, const Make& make) {
    const std::lock_guard lock(mutex_);
    for (const auto& [date, vectors] : kept_) {
      if (date == as_of) return vectors;
    }
    kept_.emplace_back(as_of, std::make_shared<const std::vector<float>>(make()));
    if (kept_.size() > kMost) kept_.pop_front();
    return kept_.back().second;
  }

 private:
  static constexpr std::size_t kMost = 3;
  std::mutex mutex_;
  std::deque<std::pair<baseline::AsOf, Vectors>> kept_;
};

}  // namespace mustcite::gnn
