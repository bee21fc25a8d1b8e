#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "core/base/error.hpp"
#include "engine/model/parsed_tensors.hpp"
#include "engine/model/pickle.hpp"
#include "engine/model/zip_directory.hpp"

namespace mustcite::model {
namespace {

using pickle::Value;
using Kind = Value::Kind;

constexpr std::size_t kMostPickle = std::size_t{64} << 20;
constexpr std::string_view kLegacyMagic("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e", 15);
constexpr std::int64_t kLegacyVersion = 1001;

using Storages = std::map<std::string_view, std::span<const std::byte>>;

class TorchReader {
 public:
  TorchReader(std::span<const std::byte> bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  ParsedTensors read() {
    const std::string_view start(reinterpret_cast<const char*>(bytes_.data()),
                                 std::min<std::size_t>(bytes_.size(), kLegacyMagic.size()));
    if (start.starts_with("PK")) {
      read_zip();
    } else if (start == kLegacyMagic) {
      read_legacy();
    } else {
      refuse("it is neither a zip archive of torch.save nor a file of its legacy format");
    }
    return std::move(parsed_);
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    fail(ErrorCode::invalid_input,
         "cannot read {}: {}; fetch the file again, or use a model that ships model.safetensors", where_,
         why);
  }

  void read_zip() {
    const auto entries = read_zip_directory(bytes_, where_);
    // The archive has one folder, named after the file that was saved: NAME/data.pkl, NAME/data/0, ….
    const auto data = std::find_if(entries.begin(), entries.end(), [](const ZipEntry& entry) {
      return entry.name == "data.pkl" || entry.name.ends_with("/data.pkl");
    });
    if (data == entries.end()) refuse("its zip archive has no data.pkl");
    if (data->bytes.size() > kMostPickle) refuse("its data.pkl is larger than weights need");
    const auto* const raw = reinterpret_cast<const Bytef*>(data->bytes.data());
    if (crc32(0, raw, static_cast<uInt>(data->bytes.size())) != data->crc)
      refuse("the checksum of its data.pkl does not hold");
    const std::string folder = data->name.substr(0, data->name.size() - std::strlen("data.pkl"));
    Storages storages;
    for (const ZipEntry& entry : entries) {
      if (entry.name == folder + "byteorder" && as_text(entry.bytes).starts_with("big"))
        refuse("it was saved on a machine of the other byte order");
      if (!entry.name.starts_with(folder + "data/")) continue;
      const std::string_view key = std::string_view(entry.name).substr(folder.size() + 5);
      if (!storages.emplace(key, entry.bytes).second) refuse("its zip archive has a storage twice");
    }
    pickle::Machine machine(data->bytes, where_);
    take_state(*machine.run(), storages);
  }

  /// Five pickles (magic number, version, machine, state, keys of the storages), then each storage: its
  /// number of elements in 64 bits, and the elements.
  void read_legacy() {
    pickle::Machine machine(bytes_.subspan(kLegacyMagic.size()), where_);
    const Value* const version = machine.run();
    if (version->kind != Kind::integer || version->integer != kLegacyVersion)
      refuse("it is of an unknown legacy version");
    const Value* const system = machine.run();
    for (const auto& [key, value] : system->entries) {
      if (key->text == "little_endian" && value->integer == 0)
        refuse("it was saved on a machine of the other byte order");
    }
    const Value* const state = machine.run();
    const Value* const keys = machine.run();
    if (keys->kind != Kind::list) refuse("it does not list its storages");
    std::map<std::string_view, DType> types;
    collect_types(*state, types);
    std::size_t at = kLegacyMagic.size() + machine.position();
    Storages storages;
    for (const Value* key : keys->items) {
      const auto type = types.find(key->text);
      if (key->kind != Kind::text || type == types.end()) refuse("it lists a storage that no tensor uses");
      std::uint64_t count = 0;
      if (bytes_.size() - at < sizeof(count)) refuse("it is cut off");
      std::memcpy(&count, bytes_.data() + at, sizeof(count));
      at += sizeof(count);
      const std::size_t width = size_of(type->second);
      if (count > (bytes_.size() - at) / width) refuse("it is cut off within its tensors");
      storages[key->text] = bytes_.subspan(at, count * width);
      at += count * width;
    }
    take_state(*state, storages);
  }

  static std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  /// The dict of tensors: the value itself, or what it keeps under the name that training scripts use.
  const Value& state_of(const Value& value) const {
    if (value.kind != Kind::dict) refuse("it holds no dict of tensors but a whole program's object");
    for (const char* name : {"state_dict", "model_state_dict"}) {
      for (const auto& [key, inner] : value.entries) {
        if (key->kind == Kind::text && key->text == name && inner->kind == Kind::dict) return *inner;
      }
    }
    return value;
  }

  void collect_types(const Value& value, std::map<std::string_view, DType>& types) const {
    // A storage that only other values of a checkpoint (an optimizer's) use is listed as well.
    std::vector<const Value*> open{&value};
    std::set<const Value*> seen;
    while (!open.empty()) {
      const Value* const next = open.back();
      open.pop_back();
      if (!seen.insert(next).second) continue;
      if (next->kind == Kind::tensor) types[next->storage->text] = next->dtype;
      open.insert(open.end(), next->items.begin(), next->items.end());
      for (const auto& [key, inner] : next->entries) open.push_back(inner);
    }
  }

  void take_state(const Value& value, const Storages& storages) {
    std::set<std::string_view> names;
    for (const auto& [key, inner] : state_of(value).entries) {
      if (inner->kind != Kind::tensor) continue;
      if (key->kind != Kind::text) refuse("it has a tensor whose name is no text");
      if (!names.insert(key->text).second) refuse(fmt::format("it has the tensor '{}' twice", key->text));
      const auto storage = storages.find(inner->storage->text);
      if (storage == storages.end()) refuse(fmt::format("the storage of '{}' is missing", key->text));
      take_tensor(std::string(key->text), *inner, storage->second);
    }
    if (parsed_.tensors.empty()) refuse("it holds no tensor");
  }

  void take_tensor(std::string name, const Value& value, std::span<const std::byte> storage) {
    const std::size_t width = size_of(value.dtype);
    const auto size = bytes_of_shape(value.shape, width);
    const auto offset = static_cast<std::uint64_t>(value.offset);
    if (!size || *size > storage.size() || offset > storage.size() / width)
      refuse(fmt::format("'{}' with shape {} is larger than its storage", name, shape_text(value.shape)));
    Tensor tensor{std::move(name), value.dtype, value.shape, {}};
    if (*size == 0 || contiguous(value)) {
      if (*size > storage.size() - offset * width)
        refuse(fmt::format("'{}' lies beyond its storage", tensor.name));
      tensor.bytes = storage.subspan(offset * width, *size);
    } else {
      tensor.bytes = gathered(tensor.name, value, storage, *size);
    }
    parsed_.tensors.push_back(std::move(tensor));
  }

  static bool contiguous(const Value& value) {
    std::int64_t expected = 1;
    for (std::size_t i = value.shape.size(); i-- > 0;) {
      if (value.shape[i] != 1 && value.strides[i] != expected) return false;
      expected *= value.shape[i];
    }
    return true;
  }

  /// A row-major copy of a tensor that is stored transposed or otherwise strided.
  std::span<const std::byte> gathered(const std::string& name, const Value& value,
                                      std::span<const std::byte> storage, std::size_t size) {
    const std::size_t width = size_of(value.dtype);
    const std::uint64_t elements = storage.size() / width;
    std::uint64_t last = static_cast<std::uint64_t>(value.offset);
    for (std::size_t i = 0; i < value.shape.size(); ++i) {
      const auto steps = static_cast<std::uint64_t>(value.shape[i] - 1);
      const auto stride = static_cast<std::uint64_t>(value.strides[i]);
      if (steps != 0 && stride > elements / steps)
        last = elements;
      else
        last += steps * stride;
      if (last >= elements) refuse(fmt::format("'{}' lies beyond its storage", name));
    }
    copied_ += size;
    if (copied_ > 2 * bytes_.size()) refuse("its tensors overlap more than weights do");
    auto& copy = parsed_.copies.emplace_back(size);
    std::vector<std::int64_t> index(value.shape.size(), 0);
    std::int64_t from = value.offset;
    for (std::size_t to = 0; to < size; to += width) {
      std::memcpy(copy.data() + to, storage.data() + static_cast<std::size_t>(from) * width, width);
      for (std::size_t i = index.size(); i-- > 0;) {
        from += value.strides[i];
        if (++index[i] < value.shape[i]) break;
        from -= value.strides[i] * value.shape[i];
        index[i] = 0;
      }
    }
    return copy;
  }

  std::span<const std::byte> bytes_;
  std::string where_;
  ParsedTensors parsed_;
  std::size_t copied_ = 0;
};

}  // namespace

ParsedTensors parse_torch(std::span<const std::byte> bytes, std::string_view where) {
  return TorchReader(bytes, where).read();
}

}  // namespace mustcite::model
