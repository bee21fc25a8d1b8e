#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/index/sparse_index.hpp"

namespace mustcite::index {

/// Orders results: falling score, ties by ascending row.
inline bool better(const Scored& a, const Scored& b) noexcept {
  return a.score != b.score ? a.score > b.score : a.doc < b.doc;
}

/// Keeps the best `depth` of a stream of scores that arrives in ascending order of rows. Most scores cost one
/// comparison; the survivors are cut whenever their buffer is full.
class TopK {
 public:
  explicit TopK(std::size_t depth) : depth_(depth) { kept_.reserve(2 * depth + 1); }

  void offer(std::uint32_t row, float score) {
    // At equal score the earlier row wins, and rows ascend: a later one must be strictly better.
    if (!(score > floor_)) return;
    kept_.push_back({DocId{row}, score});
    if (kept_.size() >= 2 * depth_ + 1) cut();
  }

  /// The best, in order. Leaves this empty.
  [[nodiscard]] std::vector<Scored> take() {
    const std::size_t size = std::min(depth_, kept_.size());
    std::partial_sort(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(size), kept_.end(), better);
    kept_.resize(size);
    floor_ = std::numeric_limits<float>::lowest();
    return std::move(kept_);
  }

  /// Scores at or below this are out already.
  [[nodiscard]] float floor() const noexcept { return floor_; }

 private:
  void cut() {
    if (depth_ == 0) {
      kept_.clear();
      return;
    }
    const auto nth = kept_.begin() + static_cast<std::ptrdiff_t>(depth_ - 1);
    std::nth_element(kept_.begin(), nth, kept_.end(), better);
    floor_ = nth->score;
    kept_.resize(depth_);
  }

  std::size_t depth_;
  float floor_ = std::numeric_limits<float>::lowest();
  std::vector<Scored> kept_;
};

/// True when the sorted list holds the document.
inline bool contains(std::span<const DocId> sorted, DocId doc) noexcept {
  return std::binary_search(sorted.begin(), sorted.end(), doc);
}

}  // namespace mustcite::index
