#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::model {

enum class DType { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean };

/// Bytes of one element.
[[nodiscard]] std::size_t size_of(DType type) noexcept;
/// `float32`, `bfloat16` and so on: for messages and tables.
[[nodiscard]] std::string_view name_of(DType type) noexcept;

/// One named tensor of a file: row-major, contiguous, little-endian. `bytes` may be unaligned and lives as
/// long as its TensorFile.
struct Tensor {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  ///< empty: a scalar
  std::span<const std::byte> bytes;

  /// Number of elements; 1 for a scalar.
  [[nodiscard]] std::size_t elements() const noexcept;
};

/// `[384, 1536]`: for messages.
[[nodiscard]] std::string shape_text(std::span<const std::int64_t> shape);

/// The values of a floating tensor, whatever its width. Throws invalid_input for integers.
[[nodiscard]] std::vector<float> to_float32(const Tensor& tensor);

/// The tensors of a model: `.safetensors`, PyTorch's `.bin` (zip or legacy) or an index of shards of either.
/// Nothing in the file is executed: pickles are read by a machine that knows the few operations and names
/// that state dicts are made of, and refuses every other. Mapped, so opening costs no memory for the weights
/// (but for tensors that a pickle stores with strides: those are copied). Immutable, thread-safe.
class TensorFile {
 public:
  /// `path`: a file, an `*.index.json`, or a folder with `model.safetensors` (or its index), else
  /// `pytorch_model.bin` (or its index). Throws not_found when there is none, invalid_input when it is
  /// damaged, truncated, hostile or of a kind that is not read.
  static TensorFile open(const std::filesystem::path& path);
  TensorFile(TensorFile&&) noexcept;
  TensorFile& operator=(TensorFile&&) noexcept;
  ~TensorFile();

  /// Sorted by name; names are unique.
  [[nodiscard]] std::span<const Tensor> tensors() const noexcept;
  [[nodiscard]] const Tensor* find(std::string_view name) const noexcept;
  /// The files behind it, in reading order: one, or the index and its shards.
  [[nodiscard]] const std::vector<std::filesystem::path>& files() const noexcept;

 private:
  struct Impl;
  explicit TensorFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The file of weights that `TensorFile::open(folder)` takes; nothing when the folder has none.
[[nodiscard]] std::optional<std::filesystem::path> weights_of(const std::filesystem::path& folder);

}  // namespace mustcite::model
