#include "engine/plugin/baselines.hpp"

#include <vector>

#include "core/base/error.hpp"
#include "engine/gnn/ar_gnn.hpp"
#include "engine/gnn/litfm.hpp"
#include "engine/hatten/hatten.hpp"
#include "engine/topics/ktr.hpp"

namespace mustcite::plugin {
namespace {

/// One line a baseline.
const std::vector<Baseline>& baselines() {
  static const std::vector<Baseline> all{
      {"ar-gnn", gnn::make_ar_gnn_learner, gnn::open_ar_gnn},
      {"litfm", gnn::make_litfm_learner, gnn::open_litfm},
      {"hatten-rr", hatten::make_learner, hatten::open_ranker},
      {"ktr", topics::make_learner, topics::open_ranker},
  };
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
