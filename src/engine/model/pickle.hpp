#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/model/tensor_file.hpp"

/// A pickle machine that executes nothing.
namespace mustcite::model::pickle {

/// What a pickle builds. Values refer to each other by pointers into the machine that owns them.
struct Value {
  enum class Kind { none, boolean, integer, real, text, tuple, list, dict, global, storage, tensor };
  Kind kind = Kind::none;
  std::int64_t integer = 0;  ///< and booleans
  std::string_view
      text;  ///< of the pickle's bytes; the key of a storage; `module name` of a global is in `owned`
  std::string owned;
  std::vector<const Value*> items;                             ///< of tuples and lists
  std::vector<std::pair<const Value*, const Value*>> entries;  ///< of dicts
  // Storages and tensors.
  DType dtype = DType::f32;
  std::int64_t numel = 0;  ///< of a storage
  const Value* storage = nullptr;
  std::int64_t offset = 0;  ///< in elements, as are the strides
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

/// Reads one pickle after the other from bytes that outlive it. Knows what state dicts are made of (numbers,
/// texts, tuples, lists, dicts, OrderedDict, tensors and parameters over storages) and refuses every other
/// operation and name by naming it. Memory follows the bytes read: a value is made at most once per
/// operation.
class Machine {
 public:
  Machine(std::span<const std::byte> bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  /// The value of the pickle at the current place. Throws invalid_input.
  const Value* run();
  /// Bytes read so far: after `run` the place behind the pickle.
  [[nodiscard]] std::size_t position() const noexcept { return at_; }

 private:
  [[noreturn]] void refuse(std::string_view why) const;
  std::string_view take(std::size_t count);
  std::string_view line();
  std::uint64_t number(std::size_t width);

  Value* make(Value::Kind kind);
  Value* make_integer(std::int64_t value);
  Value* make_text(std::string_view text);
  void push(Value* value) { stack_.push_back(value); }
  Value* pop();
  /// The values above the last mark, which goes as well.
  std::vector<const Value*> pop_to_mark();
  void remember(std::uint64_t slot);
  void recall(std::uint64_t slot);

  bool step(unsigned char operation);
  bool step_constant(unsigned char operation);
  bool step_container(unsigned char operation);
  bool step_memo(unsigned char operation);
  bool step_object(unsigned char operation);
  void put_entries(Value& dict, const std::vector<const Value*>& flat) const;
  Value* make_tuple(std::size_t count);
  Value* global(std::string_view module, std::string_view name);
  Value* storage(const Value& persistent_id);
  Value* reduce(const Value& function, const Value& arguments);
  Value* ordered_dict(const Value& arguments);
  Value* tensor(const Value& arguments);
  std::vector<std::int64_t> integers(const Value& tuple) const;

  std::span<const std::byte> bytes_;
  std::string where_;
  std::size_t at_ = 0;
  std::deque<Value> values_;
  std::vector<Value*> stack_;
  std::vector<std::size_t> marks_;
  std::vector<Value*> memo_;
};

}  // namespace mustcite::model::pickle
