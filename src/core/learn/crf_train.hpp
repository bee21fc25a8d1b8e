#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/learn/crf.hpp"

namespace mustcite::learn {

struct CrfOptions {
  /// Half of the squared weights times this is added to the negative log-likelihood of all sequences.
  double regularisation = 1;
  /// Passes over the sequences.
  int rounds = 12;
  /// The weights are averaged over the ends of so many last rounds.
  int averaged = 5;
  /// Features seen less often are left out.
  std::uint32_t least_count = 2;
  /// Features whose greatest weight is below this are left out of the model.
  float least_weight = 0.06F;
  std::uint64_t seed = 1;
};

/// How training goes, after each round.
struct CrfRound {
  int number = 0;   ///< from 1
  double loss = 0;  ///< mean negative log-likelihood of a sequence during the round
};

/// Trains by stochastic gradients: one step a sequence in a seeded random order, with steps that shrink as
/// 1 / (1 + regularisation · t) (Bottou, 2010); the first step size is the best of several tried on a sample.
/// The same sequences, options and seed give the same model. Throws invalid_input when there are no
/// sequences, a label is out of range, or a sequence lacks labels.
[[nodiscard]] CrfModel train_crf(std::span<const CrfSequence> sequences, std::vector<std::string> labels,
                                 const CrfOptions& options,
                                 const std::function<void(const CrfRound&)>& after_round = {});

}  // namespace mustcite::learn
