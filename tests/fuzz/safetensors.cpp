// Safetensors files: read or refused, and every tensor lies inside the file with the bytes its shape needs.

#include <cstdint>
#include <cstdlib>

#include "core/base/error.hpp"
#include "engine/model/parsed_tensors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mustcite;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    const model::ParsedTensors parsed = model::parse_safetensors(bytes, "input");
    for (const model::Tensor& tensor : parsed.tensors) {
      if (tensor.bytes.size() != tensor.elements() * model::size_of(tensor.dtype)) std::abort();
      if (!tensor.bytes.empty() && (tensor.bytes.data() < bytes.data() ||
                                    tensor.bytes.data() + tensor.bytes.size() > bytes.data() + bytes.size()))
        std::abort();
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_input) std::abort();
  }
  return 0;
}
