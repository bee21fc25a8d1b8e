#include "apps/reproduce/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace mustcite::reproduce {
namespace {

Verdict judge_number(const Expected& expected, double measured) {
  if (!std::isfinite(measured)) return Verdict::fail;
  if (expected.min && measured < *expected.min) return Verdict::fail;
  if (expected.max && measured > *expected.max) return Verdict::fail;
  if (!expected.value) return Verdict::ok;
  const double value = std::get<double>(*expected.value);
  if (measured == value) return Verdict::ok;
  const double tolerance = std::max(expected.absolute, expected.relative * std::abs(value));
  return std::abs(measured - value) <= tolerance ? Verdict::within_tolerance : Verdict::fail;
}

}  // namespace

std::string to_text(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.10g}", *number);
  return fmt::format("\"{}\"", std::get<std::string>(value));
}

std::string expectation(const Expected& expected) {
  std::string text;
  if (expected.value) {
    text = to_text(*expected.value);
    if (expected.absolute > 0) text += fmt::format(" ± {:g}", expected.absolute);
    if (expected.relative > 0) text += fmt::format(" ± {:g} %", expected.relative * 100);
  }
  if (expected.min) text += fmt::format("{}at least {:.10g}", text.empty() ? "" : ", ", *expected.min);
  if (expected.max) text += fmt::format("{}at most {:.10g}", text.empty() ? "" : ", ", *expected.max);
  return text;
}

Measurement measure(const Expected& expected, const std::string& json, const std::string& source) {
  Measurement result;
  result.name = expected.name;
  result.expectation = expectation(expected);
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  if (parsed.is_discarded()) {
    result.problem = fmt::format("{} is no JSON", source);
    return result;
  }
  nlohmann::json found;
  try {
    found = parsed.at(nlohmann::json::json_pointer(expected.pointer));
  } catch (const nlohmann::json::exception&) {
    result.problem = fmt::format("{} has nothing at {}", source, expected.pointer);
    return result;
  }
  const bool wants_text = expected.value && std::holds_alternative<std::string>(*expected.value);
  if (wants_text ? !found.is_string() : !found.is_number()) {
    result.problem = fmt::format("{} has a {} at {}, not a {}", source, found.type_name(), expected.pointer,
                                 wants_text ? "string" : "number");
    return result;
  }
  if (wants_text) {
    result.measured = found.get<std::string>();
    result.verdict = *result.measured == *expected.value ? Verdict::ok : Verdict::fail;
  } else {
    result.measured = found.get<double>();
    result.verdict = judge_number(expected, found.get<double>());
  }
  return result;
}

}  // namespace mustcite::reproduce
