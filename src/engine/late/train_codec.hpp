#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "engine/late/byte_lanes.hpp"
#include "engine/late/codec.hpp"

namespace mustcite::late {

struct CodecOptions {
  std::size_t bits = 2;       ///< of a residual's dimension: 1, 2 or 4
  std::size_t centroids = 0;  ///< at most; fewer when the sample is small
  std::size_t rounds = 5;     ///< of k-means
  std::uint64_t seed = 1;
  std::size_t threads = 0;
};

/// Centroids that a collection of so many tokens gets: the power of two nearest to 4 sqrt(tokens), 32768 at
/// most.
[[nodiscard]] std::size_t centroids_for(std::uint64_t tokens) noexcept;

/// Vectors in half precision, row-major: what a codec is made from.
struct Sample {
  std::size_t dims = 0;
  std::vector<std::uint16_t> values;

  [[nodiscard]] std::size_t size() const noexcept { return dims == 0 ? 0 : values.size() / dims; }
};

/// Makes a codec: spherical k-means from centroids drawn by the seed, then borders at the quantiles of all
/// residual numbers and the mean between two borders as value. The same sample gives the same codec on any
/// number of threads. `advance` is told of each round.
[[nodiscard]] Codec train_codec(const Sample& sample, const CodecOptions& options,
                                const std::function<void(std::uint64_t)>& advance);

/// Finds the nearest centroid of vectors. Thread-safe.
class NearestCentroid {
 public:
  explicit NearestCentroid(const Codec& codec);
  /// The code of each of the vectors (row-major); products in eight bits decide, ties by the smaller code.
  void find(std::span<const float> vectors, std::span<std::uint16_t> codes) const;

 private:
  friend Codec train_codec(const Sample&, const CodecOptions&, const std::function<void(std::uint64_t)>&);
  NearestCentroid(std::span<const float> centroids, std::size_t dims);
  ByteLanes lanes_;
};

}  // namespace mustcite::late
