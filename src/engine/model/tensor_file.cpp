#include "engine/model/tensor_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/model/parsed_tensors.hpp"

namespace mustcite::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMostIndexBytes = std::size_t{64} << 20;

/// In the order in which a folder is searched.
constexpr const char* kWeightFiles[] = {"model.safetensors", "model.safetensors.index.json",
                                        "pytorch_model.bin", "pytorch_model.bin.index.json"};

float half_to_float(std::uint16_t half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1FU;
  const std::uint32_t fraction = half & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
  return sign != 0 ? -magnitude : magnitude;
}

template <typename Stored, typename Convert>
void convert_all(std::span<const std::byte> bytes, std::vector<float>& out, const Convert& convert) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    out[i] = convert(stored);
  }
}

/// A pickle of torch.save or a zip begins in a way that no safetensors header of a sane length does.
bool looks_like_torch(std::span<const std::byte> bytes) {
  constexpr std::byte kProto{0x80};
  if (bytes.size() < 4) return false;
  return std::memcmp(bytes.data(), "PK\3\4", 4) == 0 ||
         (bytes[0] == kProto && bytes[1] <= std::byte{5} && bytes[2] == std::byte{0x8a});
}

}  // namespace

std::size_t size_of(DType type) noexcept {
  switch (type) {
    case DType::f64:
    case DType::i64:
      return 8;
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::f16:
    case DType::bf16:
    case DType::i16:
      return 2;
    case DType::i8:
    case DType::u8:
    case DType::boolean:
      break;
  }
  return 1;
}

std::string_view name_of(DType type) noexcept {
  switch (type) {
    case DType::f64:
      return "float64";
    case DType::f32:
      return "float32";
    case DType::f16:
      return "float16";
    case DType::bf16:
      return "bfloat16";
    case DType::i64:
      return "int64";
    case DType::i32:
      return "int32";
    case DType::i16:
      return "int16";
    case DType::i8:
      return "int8";
    case DType::u8:
      return "uint8";
    case DType::boolean:
      break;
  }
  return "bool";
}

std::size_t Tensor::elements() const noexcept {
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::vector<float> to_float32(const Tensor& tensor) {
  std::vector<float> out(tensor.elements());
  switch (tensor.dtype) {
    case DType::f32:
      if (!out.empty()) std::memcpy(out.data(), tensor.bytes.data(), out.size() * sizeof(float));
      return out;
    case DType::f64:
      convert_all<double>(tensor.bytes, out, [](double value) { return static_cast<float>(value); });
      return out;
    case DType::f16:
      convert_all<std::uint16_t>(tensor.bytes, out, half_to_float);
      return out;
    case DType::bf16:
      convert_all<std::uint16_t>(tensor.bytes, out, [](std::uint16_t value) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
      });
      return out;
    default:
      break;
  }
  fail(ErrorCode::invalid_input,
       "the tensor '{}' holds {} where floating numbers are wanted: the model cannot be used", tensor.name,
       name_of(tensor.dtype));
}

struct TensorFile::Impl {
  std::vector<fs::path> files;
  std::vector<io::MappedFile> mapped;
  std::vector<ParsedTensors> parsed;  ///< owns the copies
  std::vector<Tensor> tensors;

  /// Maps and reads one file of weights; its tensors go to the end of `parsed`.
  void add_file(const fs::path& path) {
    files.push_back(path);
    mapped.emplace_back(path);
    const auto bytes = mapped.back().bytes();
    const bool torch = path.extension() != ".safetensors" || looks_like_torch(bytes);
    parsed.push_back(torch ? parse_torch(bytes, path.string()) : parse_safetensors(bytes, path.string()));
  }

  void add_shards(const fs::path& index) {
    files.push_back(index);
    const Json json = Json::parse(io::read_file(index, kMostIndexBytes), nullptr, false);
    if (!json.is_object() || !json.contains("weight_map") || !json["weight_map"].is_object()) {
      fail(ErrorCode::invalid_input, "cannot read {}: it has no weight_map; fetch the file again",
           index.string());
    }
    std::map<std::string, std::vector<std::string>> names_of_shard;
    for (const auto& [name, shard] : json["weight_map"].items()) {
      if (!shard.is_string() || shard.get_ref<const std::string&>().empty() ||
          fs::path(shard.get<std::string>()).filename() != shard.get<std::string>()) {
        fail(ErrorCode::invalid_input, "cannot read {}: the shard of '{}' is no plain file name",
             index.string(), name);
      }
      names_of_shard[shard.get<std::string>()].push_back(name);
    }
    for (const auto& [shard, names] : names_of_shard) {
      add_file(index.parent_path() / shard);
      ParsedTensors& all = parsed.back();
      std::sort(all.tensors.begin(), all.tensors.end(),
                [](const auto& a, const auto& b) { return a.name < b.name; });
      std::vector<Tensor> listed;
      for (const std::string& name : names) {
        const auto found = std::lower_bound(
            all.tensors.begin(), all.tensors.end(), name,
            [](const Tensor& tensor, const std::string& wanted) { return tensor.name < wanted; });
        if (found == all.tensors.end() || found->name != name) {
          fail(ErrorCode::invalid_input, "cannot read {}: '{}' is not in {}; fetch both again",
               index.string(), name, shard);
        }
        listed.push_back(*found);
      }
      all.tensors = std::move(listed);
    }
  }

  void finish() {
    for (ParsedTensors& part : parsed) {
      for (Tensor& tensor : part.tensors) tensors.push_back(std::move(tensor));
      part.tensors.clear();
    }
    std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  }
};

std::optional<fs::path> weights_of(const fs::path& folder) {
  std::error_code none;
  for (const char* name : kWeightFiles) {
    if (fs::is_regular_file(folder / name, none)) return folder / name;
  }
  return std::nullopt;
}

TensorFile::TensorFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TensorFile::TensorFile(TensorFile&&) noexcept = default;
TensorFile& TensorFile::operator=(TensorFile&&) noexcept = default;
TensorFile::~TensorFile() = default;

TensorFile TensorFile::open(const fs::path& path) {
  fs::path file = path;
  std::error_code none;
  if (fs::is_directory(path, none)) {
    const auto found = weights_of(path);
    if (!found) {
      fail(ErrorCode::not_found,
           "there are no weights in {}: neither model.safetensors nor pytorch_model.bin; `mustcite "
           "model pull` fetches models",
           path.string());
    }
    file = *found;
  } else if (!fs::is_regular_file(path, none)) {
    fail(ErrorCode::not_found, "there is no file of weights {}; check the name", path.string());
  }
  auto impl = std::make_unique<Impl>();
  if (file.string().ends_with(".index.json")) {
    impl->add_shards(file);
  } else {
    impl->add_file(file);
  }
  impl->finish();
  return TensorFile(std::move(impl));
}

std::span<const Tensor> TensorFile::tensors() const noexcept {
  return impl_->tensors;
}

const Tensor* TensorFile::find(std::string_view name) const noexcept {
  const auto found =
      std::lower_bound(impl_->tensors.begin(), impl_->tensors.end(), name,
                       [](const Tensor& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return found != impl_->tensors.end() && found->name == name ? &*found : nullptr;
}

const std::vector<fs::path>& TensorFile::files() const noexcept {
  return impl_->files;
}

}  // namespace mustcite::model
