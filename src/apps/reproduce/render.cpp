#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/reproduce/measure.hpp"
#include "apps/reproduce/reproduce.hpp"

namespace mustcite::reproduce {
namespace {

using Json = nlohmann::ordered_json;

const char* need_name(Need need) {
  switch (need) {
    case Need::shared:
      return "shared";
    case Need::network:
      return "network";
    case Need::neural:
      return "neural";
  }
  return "";
}

/// A verdict's name in JSON.
const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::within_tolerance:
      return "within_tolerance";
    case Verdict::fail:
      return "fail";
    case Verdict::unavailable:
      return "unavailable";
  }
  return "";
}

Json value_json(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::get<std::string>(value);
}

Json outcome_json(const Outcome& outcome) {
  Json json;
  json["claim"] = outcome.claim;
  json["verdict"] = verdict_name(outcome.verdict);
  if (!outcome.problem.empty()) json["problem"] = outcome.problem;
  json["steps_run"] = outcome.steps_run;
  json["steps_resumed"] = outcome.steps_resumed;
  json["seconds"] = outcome.seconds;
  Json& values = json["values"] = Json::array();
  for (const auto& measurement : outcome.measurements) {
    Json entry;
    entry["name"] = measurement.name;
    entry["verdict"] = verdict_name(measurement.verdict);
    entry["measured"] = measurement.measured ? value_json(*measurement.measured) : Json();
    entry["expected"] = measurement.expectation;
    if (!measurement.problem.empty()) entry["problem"] = measurement.problem;
    values.push_back(std::move(entry));
  }
  return json;
}

/// What steps print may be no UTF-8: the report must come out all the same.
std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

const char* label(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "[OK]";
    case Verdict::within_tolerance:
      return "[OK within tolerance]";
    case Verdict::fail:
      return "[FAIL]";
    case Verdict::unavailable:
      return "[UNAVAILABLE]";
  }
  return "";
}

std::string render(const Outcome& outcome) {
  std::string text = fmt::format("{} {}", label(outcome.verdict), outcome.claim);
  if (!outcome.problem.empty()) text += ": " + outcome.problem;
  if (outcome.steps_resumed > 0) text += fmt::format(" ({} steps resumed)", outcome.steps_resumed);
  text += "\n";
  for (const auto& measurement : outcome.measurements) {
    text += fmt::format("  {} {}: {}, expected {}\n", label(measurement.verdict), measurement.name,
                        measurement.measured ? to_text(*measurement.measured) : measurement.problem,
                        measurement.expectation);
  }
  return text;
}

std::string render_json(std::span<const Outcome> outcomes) {
  Json json;
  for (const Verdict verdict :
       {Verdict::ok, Verdict::within_tolerance, Verdict::fail, Verdict::unavailable}) {
    json["counts"][verdict_name(verdict)] = std::count_if(
        outcomes.begin(), outcomes.end(), [&](const Outcome& outcome) { return outcome.verdict == verdict; });
  }
  Json& list = json["claims"] = Json::array();
  for (const auto& outcome : outcomes) list.push_back(outcome_json(outcome));
  return dump(json);
}

std::string render_list(std::span<const Claim> claims, ListFormat format) {
  Json list = Json::array();
  std::size_t width = 0;
  for (const auto& claim : claims) width = std::max(width, claim.name.size());
  std::string text;
  for (const auto& claim : claims) {
    std::string needs;
    Json needs_json = Json::array();
    for (const Need need : claim.needs) {
      needs += fmt::format("{}{}", needs.empty() ? " (needs " : ", ", need_name(need));
      needs_json.push_back(need_name(need));
    }
    if (!needs.empty()) needs += ")";
    text += fmt::format("{:<{}}  {}{}\n", claim.name, width, claim.statement, needs);
    list.push_back({{"claim", claim.name}, {"statement", claim.statement}, {"needs", needs_json}});
  }
  return format == ListFormat::json ? dump(list) : text;
}

bool any_failed(std::span<const Outcome> outcomes) {
  return std::any_of(outcomes.begin(), outcomes.end(),
                     [](const Outcome& outcome) { return outcome.verdict == Verdict::fail; });
}

}  // namespace mustcite::reproduce
