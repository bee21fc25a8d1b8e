#include <array>

#include "core/base/error.hpp"
#include "engine/model/pickle.hpp"

/// What the names in a state dict stand for.
namespace mustcite::model::pickle {
namespace {

using Kind = Value::Kind;

constexpr std::size_t kMostDims = 16;

struct StorageType {
  std::string_view name;
  DType dtype;
};

constexpr std::array<StorageType, 10> kStorages{{{"torch FloatStorage", DType::f32},
                                                 {"torch HalfStorage", DType::f16},
                                                 {"torch BFloat16Storage", DType::bf16},
                                                 {"torch DoubleStorage", DType::f64},
                                                 {"torch LongStorage", DType::i64},
                                                 {"torch IntStorage", DType::i32},
                                                 {"torch ShortStorage", DType::i16},
                                                 {"torch CharStorage", DType::i8},
                                                 {"torch ByteStorage", DType::u8},
                                                 {"torch BoolStorage", DType::boolean}}};

constexpr std::string_view kOrderedDict = "collections OrderedDict";
constexpr std::string_view kTensor = "torch._utils _rebuild_tensor";
constexpr std::string_view kTensor2 = "torch._utils _rebuild_tensor_v2";
constexpr std::string_view kParameter = "torch._utils _rebuild_parameter";

/// A name from the file, fit for a message.
std::string printable(std::string_view name) {
  constexpr std::size_t kMost = 80;
  std::string shown;
  for (const char c : name.substr(0, kMost)) shown += c >= ' ' && c <= '~' ? c : '?';
  return name.size() > kMost ? shown + "…" : shown;
}

}  // namespace

Value* Machine::global(std::string_view module, std::string_view name) {
  Value* const made = make(Kind::global);
  made->owned = std::string(module) + " " + std::string(name);
  bool known = made->owned == kOrderedDict || made->owned == kTensor || made->owned == kTensor2 ||
               made->owned == kParameter;
  for (const StorageType& type : kStorages) known |= made->owned == type.name;
  if (!known) {
    refuse(fmt::format("it wants to call {}.{}, which weights do not need and which is not executed",
                       printable(module), printable(name)));
  }
  return made;
}

/// ('storage', type, key, device, number of elements), and in legacy files a view, which is none in any that
/// are met.
Value* Machine::storage(const Value& id) {
  const auto& items = id.items;
  if (id.kind != Kind::tuple || items.size() < 5 || items.size() > 6 || items[0]->kind != Kind::text ||
      items[0]->text != "storage" || items[1]->kind != Kind::global || items[2]->kind != Kind::text ||
      items[4]->kind != Kind::integer || items[4]->integer < 0) {
    refuse("it refers to something outside that is no storage");
  }
  if (items.size() == 6 && items[5]->kind != Kind::none)
    refuse("it has a storage that is a view of another one");
  Value* const made = make(Kind::storage);
  made->text = items[2]->text;
  made->numel = items[4]->integer;
  for (const StorageType& type : kStorages) {
    if (type.name == items[1]->owned) {
      made->dtype = type.dtype;
      return made;
    }
  }
  refuse("it has a storage of no known type");
}

Value* Machine::reduce(const Value& function, const Value& arguments) {
  if (function.kind != Kind::global || arguments.kind != Kind::tuple) refuse("it calls what is no function");
  if (function.owned == kOrderedDict) return ordered_dict(arguments);
  if (function.owned == kTensor || function.owned == kTensor2) return tensor(arguments);
  if (function.owned == kParameter) {
    if (arguments.items.empty() || arguments.items[0]->kind != Kind::tensor)
      refuse("it makes a parameter of what is no tensor");
    Value* const made = make(Kind::tensor);
    *made = *arguments.items[0];
    return made;
  }
  refuse("it calls a type of storage");
}

/// OrderedDict(), or OrderedDict([[key, value], …]) as Python 2 wrote it.
Value* Machine::ordered_dict(const Value& arguments) {
  Value* const made = make(Kind::dict);
  if (arguments.items.empty()) return made;
  if (arguments.items.size() > 1 || arguments.items[0]->kind != Kind::list)
    refuse("it makes an OrderedDict of what is no list");
  for (const Value* pair : arguments.items[0]->items) {
    if ((pair->kind != Kind::list && pair->kind != Kind::tuple) || pair->items.size() != 2)
      refuse("it makes an OrderedDict of what are no pairs");
    made->entries.emplace_back(pair->items[0], pair->items[1]);
  }
  return made;
}

/// (storage, offset, shape, strides, …).
Value* Machine::tensor(const Value& arguments) {
  const auto& items = arguments.items;
  if (items.size() < 4 || items[0]->kind != Kind::storage || items[1]->kind != Kind::integer ||
      items[1]->integer < 0)
    refuse("it makes a tensor of what is no storage");
  Value* const made = make(Kind::tensor);
  made->storage = items[0];
  made->dtype = items[0]->dtype;
  made->offset = items[1]->integer;
  made->shape = integers(*items[2]);
  made->strides = integers(*items[3]);
  if (made->shape.size() != made->strides.size() || made->shape.size() > kMostDims)
    refuse("a tensor's shape and strides do not match");
  return made;
}

std::vector<std::int64_t> Machine::integers(const Value& tuple) const {
  if (tuple.kind != Kind::tuple) refuse("a tensor's shape is no tuple");
  if (tuple.items.size() > kMostDims) refuse("a tensor has too many dimensions");
  std::vector<std::int64_t> numbers;
  for (const Value* item : tuple.items) {
    if (item->kind != Kind::integer || item->integer < 0) refuse("a tensor's shape is not made of sizes");
    numbers.push_back(item->integer);
  }
  return numbers;
}

}  // namespace mustcite::model::pickle
