#include "engine/baseline/settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/config.hpp"
#include "core/base/error.hpp"

namespace mustcite::baseline {

const Settings::Value* Settings::find(const std::string& key) const {
  known_.insert(key);
  const auto at = values_.find(key);
  return at == values_.end() ? nullptr : &at->second;
}

void Settings::refuse(const std::string& key, const std::string& wanted) const {
  fail(ErrorCode::invalid_input, "{}: {} must be {}", where_, key, wanted);
}

double Settings::number(const std::string& key, double otherwise, double low, double high) const {
  const Value* value = find(key);
  if (value == nullptr) return otherwise;
  double number = low - 1;
  if (const auto* real = std::get_if<double>(value)) number = *real;
  if (const auto* whole = std::get_if<std::int64_t>(value)) number = static_cast<double>(*whole);
  if (!(number >= low && number <= high)) refuse(key, fmt::format("a number from {} to {}", low, high));
  return number;
}

std::size_t Settings::count(const std::string& key, std::size_t otherwise, std::size_t low,
                            std::size_t high) const {
  const Value* value = find(key);
  if (value == nullptr) return otherwise;
  const auto* whole = std::get_if<std::int64_t>(value);
  if (whole == nullptr || *whole < 0 || static_cast<std::size_t>(*whole) < low ||
      static_cast<std::size_t>(*whole) > high) {
    refuse(key, fmt::format("a whole number from {} to {}", low, high));
  }
  return static_cast<std::size_t>(*whole);
}

std::string Settings::text(const std::string& key, const std::string& otherwise) const {
  const Value* value = find(key);
  if (value == nullptr) return otherwise;
  const auto* text = std::get_if<std::string>(value);
  if (text == nullptr) refuse(key, "a text");
  return *text;
}

std::string Settings::choice(const std::string& key, const std::string& otherwise,
                             const std::vector<std::string>& choices) const {
  const std::string chosen = text(key, otherwise);
  if (std::find(choices.begin(), choices.end(), chosen) == choices.end())
    refuse(key, fmt::format("one of {}", fmt::join(choices, ", ")));
  return chosen;
}

bool Settings::flag(const std::string& key, bool otherwise) const {
  const Value* value = find(key);
  if (value == nullptr) return otherwise;
  const auto* flag = std::get_if<bool>(value);
  if (flag == nullptr) refuse(key, "true or false");
  return *flag;
}

void Settings::finish() const {
  const std::vector<std::string> known(known_.begin(), known_.end());
  for (const auto& [key, value] : values_) {
    if (known_.contains(key)) continue;
    const auto near = nearest_name(key, known);
    fail(ErrorCode::invalid_input, "{} has no key '{}'{}", where_, key,
         near ? fmt::format("; did you mean '{}'?", *near)
              : fmt::format("; it has {}", fmt::join(known, ", ")));
  }
}

}  // namespace mustcite::baseline
