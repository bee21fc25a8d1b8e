#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mustcite::late {

/// A vector in eight bits: value = scale * integer, integers within [-127, 127].
struct ByteVector {
  const std::int8_t* values = nullptr;
  float scale = 0;
  std::int32_t sum = 0;  ///< of the integers
};

/// Rounds a vector into `out`, which has room for `padded(vector.size())` integers; zeros behind.
[[nodiscard]] ByteVector to_bytes(std::span<const float> vector, std::int8_t* out) noexcept;

/// Numbers of a vector in eight bits: a multiple of four.
[[nodiscard]] constexpr std::size_t padded(std::size_t dims) noexcept {
  return (dims + 3) / 4 * 4;
}

/// Vectors side by side in the lanes of a processor, 64 in a block, so that one call multiplies 64 of them
/// with one other vector. Whole numbers: every processor gives the same.
class ByteLanes {
 public:
  static constexpr std::size_t kLanes = 64;

  explicit ByteLanes(std::size_t dims) : groups_(padded(dims) / 4), dims_(dims) {}
  void add(std::span<const float> vector);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t blocks() const noexcept { return (size_ + kLanes - 1) / kLanes; }
  [[nodiscard]] std::size_t dims() const noexcept { return dims_; }
  /// Scale of each lane of a block; 0 behind the last vector.
  [[nodiscard]] const float* scales(std::size_t block) const noexcept {
    return scales_.data() + block * kLanes;
  }

  /// Integer products of the block's vectors with `vector`.
  void products(std::size_t block, const ByteVector& vector, std::int32_t* out) const noexcept;
  /// Its oracle, without any instruction of a processor.
  void products_plain(std::size_t block, const ByteVector& vector, std::int32_t* out) const noexcept;

 private:
  std::size_t groups_;  ///< of four numbers
  std::size_t dims_;
  std::size_t size_ = 0;
  std::vector<std::uint8_t> bytes_;  ///< [block][group][lane][4], shifted by 128
  std::vector<float> scales_;
};

}  // namespace mustcite::late
