#pragma once

#include "engine/rank/train.hpp"

namespace mustcite::rank {

/// Enough for a ranker of the small world: seconds, one tier, always the same.
inline TrainOptions small_training() {
  TrainOptions options;
  options.first_year = 2016;
  options.last_year = 2019;
  options.rounds = 10;
  options.depth = 60;
  options.tiers = {Tier::must};
  options.threads = 1;
  return options;
}

}  // namespace mustcite::rank
