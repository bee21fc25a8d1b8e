#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/model/tensor_file.hpp"

/// Readers of the single kinds of files, on bytes: what TensorFile and the fuzzers call.
namespace mustcite::model {

/// Tensors whose spans point into the bytes that were parsed, or into `copies`.
struct ParsedTensors {
  std::vector<Tensor> tensors;
  std::deque<std::vector<std::byte>> copies;  ///< of tensors stored with strides
};

/// Reads a .safetensors file. The header has at most 32 MiB; the tensors must lie one after the other and
/// fill the file, as the format demands. Throws invalid_input naming `where`.
[[nodiscard]] ParsedTensors parse_safetensors(std::span<const std::byte> bytes, std::string_view where);

/// Reads a file of torch.save: the zip format (entries stored, not compressed) or the legacy one. Throws
/// invalid_input naming `where`.
[[nodiscard]] ParsedTensors parse_torch(std::span<const std::byte> bytes, std::string_view where);

/// Product of the sizes times `width`; nothing for negative sizes or an overflow.
[[nodiscard]] inline std::optional<std::size_t> bytes_of_shape(std::span<const std::int64_t> shape,
                                                               std::size_t width) {
  std::size_t total = width;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    const auto factor = static_cast<std::size_t>(size);
    if (factor != 0 && total > std::numeric_limits<std::size_t>::max() / factor) return std::nullopt;
    total *= factor;
  }
  return total;
}

}  // namespace mustcite::model
