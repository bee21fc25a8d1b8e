#include "engine/model/pickle.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/error.hpp"

namespace mustcite::model::pickle {
namespace {

using Kind = Value::Kind;

/// The operations that state dicts are made of, by their names in Python's pickletools.
enum Operation : unsigned char {
  kMark = '(',
  kStop = '.',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersId = 'Q',
  kReduce = 'R',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kEmptyList = ']',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kSetItems = 'u',
  kEmptyDict = '}',
  kEmptyTuple = ')',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kShortBinUnicode = 0x8c,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95
};

constexpr std::uint64_t kNewestProtocol = 5;
/// Values of one pickle: the weights of the largest models make a tenth of it.
constexpr std::size_t kMostValues = 1000000;

}  // namespace

void Machine::refuse(std::string_view why) const {
  fail(ErrorCode::invalid_input,
       "cannot read the pickle in {}: {}; use a model that ships model.safetensors, or fetch the file "
       "again",
       where_, why);
}

std::string_view Machine::take(std::size_t count) {
  if (count > bytes_.size() - at_) refuse("it is cut off");
  const std::string_view taken(reinterpret_cast<const char*>(bytes_.data()) + at_, count);
  at_ += count;
  return taken;
}

std::string_view Machine::line() {
  constexpr std::size_t kMostName = 1000;
  const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_,
                              std::min(kMostName, bytes_.size() - at_));
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) refuse("a name in it has no end");
  return take(end + 1).substr(0, end);
}

std::uint64_t Machine::number(std::size_t width) {
  const std::string_view raw = take(width);
  std::uint64_t value = 0;
  std::memcpy(&value, raw.data(), width);
  return value;
}

Value* Machine::make(Kind kind) {
  if (values_.size() >= kMostValues) refuse("it makes more values than weights need");
  values_.emplace_back();
  values_.back().kind = kind;
  return &values_.back();
}

Value* Machine::make_integer(std::int64_t value) {
  Value* const made = make(Kind::integer);
  made->integer = value;
  return made;
}

Value* Machine::make_text(std::string_view text) {
  Value* const made = make(Kind::text);
  made->text = text;
  return made;
}

Value* Machine::pop() {
  if (stack_.empty() || (!marks_.empty() && marks_.back() == stack_.size()))
    refuse("it takes a value where there is none");
  Value* const top = stack_.back();
  stack_.pop_back();
  return top;
}

std::vector<const Value*> Machine::pop_to_mark() {
  if (marks_.empty()) refuse("it goes back to a mark where there is none");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<const Value*> items(first, stack_.end());
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return items;
}

void Machine::remember(std::uint64_t slot) {
  if (stack_.empty() || slot > kMostValues) refuse("it remembers more values than weights need");
  if (slot >= memo_.size()) memo_.resize(slot + 1, nullptr);
  memo_[slot] = stack_.back();
}

void Machine::recall(std::uint64_t slot) {
  if (slot >= memo_.size() || memo_[slot] == nullptr) refuse("it recalls a value that it has not seen");
  push(memo_[slot]);
}

const Value* Machine::run() {
  stack_.clear();
  marks_.clear();
  memo_.clear();
  for (;;) {
    const auto operation = static_cast<unsigned char>(take(1)[0]);
    if (operation == kStop) break;
    if (!step(operation)) {
      refuse(fmt::format(
          "it uses the operation 0x{:02x} at byte {}, which weights do not need and which is not executed",
          operation, at_ - 1));
    }
  }
  return pop();
}

bool Machine::step(unsigned char operation) {
  if (operation == kProto) {
    if (number(1) > kNewestProtocol) refuse("it is of a newer protocol than is read");
    return true;
  }
  if (operation == kFrame) {  // says only how the bytes were written
    static_cast<void>(number(8));
    return true;
  }
  return step_constant(operation) || step_container(operation) || step_memo(operation) ||
         step_object(operation);
}

bool Machine::step_constant(unsigned char operation) {
  switch (operation) {
    case kNone:
      push(make(Kind::none));
      return true;
    case kNewTrue:
    case kNewFalse:
      push(make(Kind::boolean));
      stack_.back()->integer = operation == kNewTrue ? 1 : 0;
      return true;
    case kBinInt:
      push(make_integer(static_cast<std::int32_t>(number(4))));
      return true;
    case kBinInt1:
      push(make_integer(static_cast<std::int64_t>(number(1))));
      return true;
    case kBinInt2:
      push(make_integer(static_cast<std::int64_t>(number(2))));
      return true;
    case kLong1: {
      const std::string_view raw = take(number(1));
      if (raw.size() > 8) refuse("it has a number of more than 64 bits");
      std::uint64_t value = !raw.empty() && (raw.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
      std::memcpy(&value, raw.data(), raw.size());
      push(make_integer(static_cast<std::int64_t>(value)));
      return true;
    }
    case kBinFloat:
      static_cast<void>(take(8));  // no number with a fraction says anything of a tensor
      push(make(Kind::real));
      return true;
    case kBinUnicode:
    case kBinString:
      push(make_text(take(number(4))));
      return true;
    case kShortBinUnicode:
    case kShortBinString:
      push(make_text(take(number(1))));
      return true;
    default:
      return false;
  }
}

bool Machine::step_container(unsigned char operation) {
  switch (operation) {
    case kMark:
      marks_.push_back(stack_.size());
      return true;
    case kEmptyTuple:
      push(make(Kind::tuple));
      return true;
    case kEmptyList:
      push(make(Kind::list));
      return true;
    case kEmptyDict:
      push(make(Kind::dict));
      return true;
    case kTuple1:
    case kTuple2:
    case kTuple3:
      push(make_tuple(operation - kTuple1 + std::size_t{1}));
      return true;
    case kTuple: {
      auto items = pop_to_mark();
      push(make(Kind::tuple));
      stack_.back()->items = std::move(items);
      return true;
    }
    case kAppend:
    case kAppends: {
      const auto items = operation == kAppends ? pop_to_mark() : std::vector<const Value*>{pop()};
      if (stack_.empty() || stack_.back()->kind != Kind::list) refuse("it appends to what is no list");
      auto& list = stack_.back()->items;
      list.insert(list.end(), items.begin(), items.end());
      return true;
    }
    case kSetItem: {
      const Value* const value = pop();
      const Value* const key = pop();
      if (stack_.empty()) refuse("it sets an item of nothing");
      put_entries(*stack_.back(), {key, value});
      return true;
    }
    case kSetItems: {
      const auto items = pop_to_mark();
      if (stack_.empty()) refuse("it sets an item of nothing");
      put_entries(*stack_.back(), items);
      return true;
    }
    default:
      return false;
  }
}

bool Machine::step_memo(unsigned char operation) {
  switch (operation) {
    case kBinPut:
      remember(number(1));
      return true;
    case kLongBinPut:
      remember(number(4));
      return true;
    case kMemoize:
      remember(memo_.size());
      return true;
    case kBinGet:
      recall(number(1));
      return true;
    case kLongBinGet:
      recall(number(4));
      return true;
    default:
      return false;
  }
}

bool Machine::step_object(unsigned char operation) {
  switch (operation) {
    case kGlobal: {
      const std::string_view module = line();
      push(global(module, line()));
      return true;
    }
    case kStackGlobal: {
      const Value* const name = pop();
      const Value* const module = pop();
      if (name->kind != Kind::text || module->kind != Kind::text)
        refuse("it names a function by what is no text");
      push(global(module->text, name->text));
      return true;
    }
    case kBinPersId:
      push(storage(*pop()));
      return true;
    case kReduce: {
      const Value* const arguments = pop();
      const Value* const function = pop();
      push(reduce(*function, *arguments));
      return true;
    }
    case kBuild:
      // State dicts carry `_metadata` (versions of modules) this way; it says nothing of the weights.
      static_cast<void>(pop());
      if (stack_.empty() || stack_.back()->kind != Kind::dict) refuse("it builds an object that is no dict");
      return true;
    default:
      return false;
  }
}

Value* Machine::make_tuple(std::size_t count) {
  std::vector<const Value*> items(count);
  for (std::size_t i = count; i-- > 0;) items[i] = pop();
  Value* const tuple = make(Kind::tuple);
  tuple->items = std::move(items);
  return tuple;
}

void Machine::put_entries(Value& dict, const std::vector<const Value*>& flat) const {
  if (dict.kind != Kind::dict || flat.size() % 2 != 0) refuse("it sets items of what is no dict");
  for (std::size_t i = 0; i < flat.size(); i += 2) dict.entries.emplace_back(flat[i], flat[i + 1]);
}

}  // namespace mustcite::model::pickle
