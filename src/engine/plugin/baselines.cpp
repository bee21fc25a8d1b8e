#include "engine/plugin/baselines.hpp"

#include <vector>

#include "core/base/error.hpp"

namespace mustcite::plugin {
namespace {

/// One line a baseline.
const std::vector<Baseline>& baselines() {
  static const std::vector<Baseline> all{};
  return all;
}

}  // namespace

const Baseline& baseline_of(const std::string& name) {
  for (const auto& baseline : baselines()) {
    if (baseline.name == name) return baseline;
  }
  fail(ErrorCode::unavailable, "the neural library of this build does not hold the baseline {}", name);
}

}  // namespace mustcite::plugin
