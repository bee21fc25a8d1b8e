#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mustcite::late {

/// How a token's vector is kept: the number of its nearest centroid, and what is left in a few bits a
/// dimension. Immutable, thread-safe.
class Codec {
 public:
  static constexpr std::size_t kMostCentroids = 65536;

  /// `centroids` in half precision, row-major; `weights` are the 2^bits values that a residual's number can
  /// take, and `limits` the 2^bits - 1 borders between them, ascending.
  Codec(std::size_t dims, std::size_t bits, std::vector<std::uint16_t> centroids, std::vector<float> weights,
        std::vector<float> limits);

  [[nodiscard]] std::size_t dims() const noexcept { return dims_; }
  [[nodiscard]] std::size_t bits() const noexcept { return bits_; }
  [[nodiscard]] std::size_t centroids() const noexcept { return halves_.size() / dims_; }
  /// Bytes of a residual.
  [[nodiscard]] std::size_t residual_bytes() const noexcept { return bytes_of(dims_, bits_); }
  [[nodiscard]] static constexpr std::size_t bytes_of(std::size_t dims, std::size_t bits) noexcept {
    return (dims * bits + 7) / 8;
  }
  [[nodiscard]] std::span<const float> centroid(std::size_t code) const {
    return std::span<const float>(wide_).subspan(code * dims_, dims_);
  }
  [[nodiscard]] const std::vector<std::uint16_t>& halves() const noexcept { return halves_; }
  [[nodiscard]] const std::vector<float>& weights() const noexcept { return weights_; }
  [[nodiscard]] const std::vector<float>& limits() const noexcept { return limits_; }

  /// The residual of `vector` against the centroid.
  void compress(std::span<const float> vector, std::size_t code, std::span<std::uint8_t> residual) const;
  /// The vector again, made unit length.
  void decompress(std::size_t code, std::span<const std::uint8_t> residual, std::span<float> out) const;

 private:
  std::size_t dims_;
  std::size_t bits_;
  std::vector<std::uint16_t> halves_;
  std::vector<float> wide_;
  std::vector<float> weights_;
  std::vector<float> limits_;
  std::vector<float> table_;  ///< the values that each byte stands for, 8 / bits of them
};

}  // namespace mustcite::late
