#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/train/run.hpp"

namespace mustcite::train {

/// How far a training is, besides the learner's own state.
struct Standing {
  std::size_t step = 0;
  double loss_sum = 0;  ///< since the last measurement
  std::size_t loss_count = 0;
  std::size_t worse_in_a_row = 0;
  std::vector<Measurement> measurements;

  Recipe::Dev::Metric metric = Recipe::Dev::Metric::recall_100;  ///< what `best` goes by

  /// Where in `measurements` the best one is; ties go to the earlier.
  [[nodiscard]] std::size_t best() const noexcept;
};

/// The folder of a training's checkpoints. A checkpoint is a state file and `standing.json`, which names it
/// and is replaced with one rename: killed at any moment, the one before is whole.
class Checkpoints {
 public:
  /// `fingerprint` tells jobs apart. An empty folder: nothing is kept.
  Checkpoints(std::filesystem::path folder, std::string fingerprint);

  /// What was left by an earlier process, with its state loaded into the learner. Throws invalid_input when
  /// it belongs to another job, corrupt when it is damaged.
  [[nodiscard]] std::optional<Standing> resume(Learner& learner) const;
  void save(const Standing& standing, const Learner& learner) const;

  /// The weights of the best measurement.
  void save_best(const Learner& learner, std::size_t step) const;
  void load_best(Learner& learner, std::size_t step) const;
  void remove() const;

 private:
  [[nodiscard]] std::filesystem::path state(const std::string& kind, std::size_t step) const;
  void remove_others(const std::string& kind, std::size_t step) const;

  std::filesystem::path folder_;
  std::string fingerprint_;
};

}  // namespace mustcite::train
