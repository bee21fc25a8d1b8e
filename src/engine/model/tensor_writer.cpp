#include "engine/model/tensor_writer.hpp"

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/io/file.hpp"

namespace mustcite::model {
namespace {

std::string_view safetensors_name(DType type) {
  switch (type) {
    case DType::f64:
      return "F64";
    case DType::f32:
      return "F32";
    case DType::f16:
      return "F16";
    case DType::bf16:
      return "BF16";
    case DType::i64:
      return "I64";
    case DType::i32:
      return "I32";
    case DType::i16:
      return "I16";
    case DType::i8:
      return "I8";
    case DType::u8:
      return "U8";
    case DType::boolean:
      return "BOOL";
  }
  fail(ErrorCode::internal, "a type of tensors without a name");
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, std::span<const Tensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  auto header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t offset = 0;
  for (const auto& tensor : tensors) {
    const std::size_t end = offset + tensor.bytes.size();
    header[tensor.name] = {
        {"dtype", safetensors_name(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // readers that map the file want aligned numbers
  std::filesystem::path staged = path;
  staged += ".part";
  io::FileWriter file(staged);
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i)
    length[i] = static_cast<char>(std::uint64_t{text.size()} >> (8 * i) & 0xff);
  file.write(length);
  file.write(text);
  for (const auto& tensor : tensors) file.write(tensor.bytes);
  file.close();
  std::error_code error;
  std::filesystem::rename(staged, path, error);
  if (error) fail(ErrorCode::unavailable, "cannot put {} in place: {}", path.string(), error.message());
}

}  // namespace mustcite::model
