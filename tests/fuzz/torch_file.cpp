// PyTorch files, zip and legacy: read or refused, nothing executed, every tensor with the bytes its shape
// needs.
//
// An input that begins with a pickle's mark (0x80) but is no legacy file is put behind a legacy file's first
// pickles, so that the machine is reached without a zip archive around it.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/base/error.hpp"
#include "engine/model/parsed_tensors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mustcite;
  std::string input(reinterpret_cast<const char*>(data), size);
  const std::string legacy("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e", 15);
  if (input.starts_with('\x80') && !input.starts_with(legacy)) {
    const std::string version("\x80\x02M\xe9\x03.", 6);
    const std::string system("\x80\x02}q\x00.", 6);
    input = legacy + version + system + input;
  }
  try {
    const model::ParsedTensors parsed = model::parse_torch(std::as_bytes(std::span(input)), "input");
    std::size_t sum = 0;
    for (const model::Tensor& tensor : parsed.tensors) {
      if (tensor.bytes.size() != tensor.elements() * model::size_of(tensor.dtype)) std::abort();
      for (const std::byte byte : tensor.bytes) sum += static_cast<std::size_t>(byte);
    }
    if (sum == static_cast<std::size_t>(-1))
      std::abort();  // reads every byte, so that the sanitizer sees them
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_input) std::abort();
  }
  return 0;
}
