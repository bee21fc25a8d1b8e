#include "core/schema/paper.hpp"

#include <array>
#include <utility>

#include "core/base/error.hpp"

namespace mustcite {
namespace {

constexpr std::array<std::pair<Tier, const char*>, 6> kTiers{{{Tier::all, "all"},
                                                              {Tier::type1, "type1"},
                                                              {Tier::type2, "type2"},
                                                              {Tier::type3, "type3"},
                                                              {Tier::experiments, "experiments"},
                                                              {Tier::must, "must"}}};

}  // namespace

const char* tier_name(Tier tier) noexcept {
  for (const auto& [value, name] : kTiers) {
    if (value == tier) return name;
  }
  return "";
}

Tier parse_tier(const std::string& name) {
  for (const auto& [value, known] : kTiers) {
    if (name == known) return value;
  }
  fail(ErrorCode::usage, "unknown tier '{}': use all, type1, type2, type3, experiments or must", name);
}

bool counts_for(const Citation& citation, Tier tier, const TierRule& rule) noexcept {
  const bool often = citation.mentions.value_or(0) >= rule.type3_threshold;
  const bool in_experiments = citation.exp_mentions.value_or(0) > 0;
  switch (tier) {
    case Tier::all:
      return true;
    case Tier::type3:
      return often;
    case Tier::experiments:
      return in_experiments;
    case Tier::must:
      return often || in_experiments;
    case Tier::type1:
    case Tier::type2:
      break;
  }
  return false;
}

}  // namespace mustcite
