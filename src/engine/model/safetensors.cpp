#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.hpp"
#include "engine/model/parsed_tensors.hpp"

namespace mustcite::model {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeader = std::uint64_t{32} << 20;
constexpr std::size_t kMostDims = 16;

[[noreturn]] void refuse(std::string_view where, std::string_view why) {
  fail(ErrorCode::invalid_input, "cannot read {}: {}; fetch the file again", where, why);
}

DType parse_dtype(const std::string& name, std::string_view where) {
  if (name == "F32") return DType::f32;
  if (name == "F16") return DType::f16;
  if (name == "BF16") return DType::bf16;
  if (name == "F64") return DType::f64;
  if (name == "I64") return DType::i64;
  if (name == "I32") return DType::i32;
  if (name == "I16") return DType::i16;
  if (name == "I8") return DType::i8;
  if (name == "U8") return DType::u8;
  if (name == "BOOL") return DType::boolean;
  fail(ErrorCode::invalid_input,
       "cannot read {}: it has numbers of the kind '{}', which are not read; convert it to float32", where,
       name);
}

/// The header as JSON; a name that comes twice is refused, since readers disagree on which one counts.
Json parse_header(std::string_view text, std::string_view where) {
  std::set<std::string> names;
  bool repeated = false;
  Json header = Json::parse(
      text,
      [&](int depth, Json::parse_event_t event, Json& value) {
        if (event == Json::parse_event_t::key && depth == 1)
          repeated |= !names.insert(value.get<std::string>()).second;
        return true;
      },
      false);
  if (!header.is_object()) refuse(where, "its header is no JSON object");
  if (repeated) refuse(where, "its header names a tensor twice");
  return header;
}

struct Place {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::uint64_t whole_number(const Json& value, std::string_view where) {
  if (!value.is_number_unsigned()) refuse(where, "its header has a size or offset that is no whole number");
  return value.get<std::uint64_t>();
}

/// One entry of the header; the place of its bytes goes to `place`.
Tensor parse_entry(const std::string& name, const Json& entry, std::string_view where, Place& place) {
  if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string() ||
      !entry.contains("shape") || !entry["shape"].is_array() || !entry.contains("data_offsets") ||
      !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2) {
    refuse(where, fmt::format("its header describes '{}' incompletely", name));
  }
  Tensor tensor;
  tensor.name = name;
  tensor.dtype = parse_dtype(entry["dtype"].get<std::string>(), where);
  if (entry["shape"].size() > kMostDims) refuse(where, fmt::format("'{}' has too many dimensions", name));
  for (const Json& size : entry["shape"]) {
    const std::uint64_t value = whole_number(size, where);
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      refuse(where, fmt::format("'{}' is too large", name));
    tensor.shape.push_back(static_cast<std::int64_t>(value));
  }
  place = {whole_number(entry["data_offsets"][0], where), whole_number(entry["data_offsets"][1], where)};
  const auto size = bytes_of_shape(tensor.shape, size_of(tensor.dtype));
  if (place.begin > place.end || !size || *size != place.end - place.begin) {
    refuse(where, fmt::format("the place of '{}' does not fit its shape {}", name, shape_text(tensor.shape)));
  }
  return tensor;
}

}  // namespace

ParsedTensors parse_safetensors(std::span<const std::byte> bytes, std::string_view where) {
  if (bytes.size() < kLengthBytes) refuse(where, "it is too short for a safetensors file");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMostHeader) {
    refuse(where,
           fmt::format(
               "its header claims {} bytes, more than the {} that are read: it is damaged or no safetensors "
               "file",
               length, kMostHeader));
  }
  if (length > bytes.size() - kLengthBytes) refuse(where, "it is cut off within its header");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length);
  const auto data = bytes.subspan(kLengthBytes + length);
  const Json header = parse_header(text, where);

  ParsedTensors parsed;
  std::vector<std::pair<Place, std::string>> places;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    Place place;
    Tensor tensor = parse_entry(name, entry, where, place);
    if (place.end > data.size()) {
      refuse(where, fmt::format("it is cut off: '{}' ends at byte {} of {}", name, place.end, data.size()));
    }
    tensor.bytes = data.subspan(place.begin, place.end - place.begin);
    places.emplace_back(place, name);
    parsed.tensors.push_back(std::move(tensor));
  }
  std::sort(places.begin(), places.end(), [](const auto& a, const auto& b) {
    return a.first.begin != b.first.begin ? a.first.begin < b.first.begin : a.first.end < b.first.end;
  });
  std::uint64_t at = 0;
  for (const auto& [place, name] : places) {
    if (place.begin != at)
      refuse(where, fmt::format("'{}' does not begin where the tensor before it ends", name));
    at = place.end;
  }
  if (at != data.size())
    refuse(where, fmt::format("{} bytes at its end belong to no tensor", data.size() - at));
  return parsed;
}

}  // namespace mustcite::model
