#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/late/byte_lanes.hpp"

namespace mustcite::late {

/// A query's vectors laid out for MaxSim: 64 of them in the lanes of a processor, multiplied with one token
/// of a document at a time.
class QueryLanes {
 public:
  static constexpr std::size_t kLanes = ByteLanes::kLanes;

  QueryLanes(std::span<const float> query, std::size_t dims);

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }
  [[nodiscard]] std::size_t blocks() const noexcept { return bytes_.blocks(); }
  [[nodiscard]] const ByteLanes& bytes() const noexcept { return bytes_; }

  /// MaxSim with `count` vectors, row-major; 0 when there is none. Sums run in a fixed order: the same on
  /// every processor.
  [[nodiscard]] float max_sim(const float* vectors, std::size_t count) const;
  /// About the same from vectors in eight bits: whole numbers until the end.
  [[nodiscard]] float max_sim(std::span<const ByteVector> vectors) const;

 private:
  std::size_t dims_;
  ByteLanes bytes_;
  std::vector<float> wide_;  ///< [block][dimension][lane]
};

}  // namespace mustcite::late
