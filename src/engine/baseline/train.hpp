#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/base/progress.hpp"
#include "engine/baseline/learner.hpp"
#include "engine/baseline/model_card.hpp"

/// How does a published baseline learn from the evidence of a release?
namespace mustcite::baseline {

struct TrainOptions {
  std::filesystem::path out;  ///< the model's folder; checkpoints lie in `out`.training until it is done
  std::string release;        ///< name, for the card
  std::string revision;       ///< digest of its manifest, for the card
  /// Called after each measurement; may be empty.
  std::function<void(const Measurement&)> on_measurement;
};

/// Runs every stage of the learner, keeps the weights that were best on the held-out examples (the last ones
/// without such), and publishes the folder with one rename. Killed and called again with the same data, it
/// goes on after the last whole epoch and ends with the same weights, given the same number of threads.
/// Interrupted (Ctrl-C), what the epoch did so far is lost and the epochs before stay. Throws Error.
Card train(const Data& data, Learner& learner, const TrainOptions& options, Progress& progress);

}  // namespace mustcite::baseline
