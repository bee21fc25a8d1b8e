#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/baseline/learner.hpp"
#include "engine/baseline/ranker.hpp"

namespace mustcite::plugin {

/// How one of the published baselines is made.
struct Baseline {
  std::string name;  ///< of baseline::names()
  std::function<std::unique_ptr<baseline::Learner>(const baseline::Data&)> make_learner;
  /// The card was read and checked. The world must outlive the ranker.
  std::function<std::unique_ptr<baseline::Ranker>(const std::filesystem::path& folder, const baseline::Card&,
                                                  const baseline::World&)>
      open;
};

/// Throws unavailable for one that this library does not hold.
[[nodiscard]] const Baseline& baseline_of(const std::string& name);

}  // namespace mustcite::plugin
