#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/baseline/learner.hpp"
#include "engine/baseline/model_card.hpp"

namespace mustcite::baseline {

/// How far a training is, besides the learner's own state. Always at the end of an epoch.
struct Standing {
  std::size_t stage = 0;
  std::size_t epoch = 0;  ///< done in the stage
  std::size_t best = 0;   ///< epoch of the stage whose weights are kept
  std::size_t worse_in_a_row = 0;
  std::vector<Measurement> measurements;
  double seconds = 0;
  std::uint64_t peak_bytes = 0;
};

/// The folder of a training's checkpoints: state files and `standing.json`, which names them and is replaced
/// with one rename, so that killed at any moment the one before is whole.
class Checkpoints {
 public:
  /// `fingerprint` tells trainings apart.
  Checkpoints(std::filesystem::path folder, std::string fingerprint);
  /// What an earlier process left, with its state loaded into the learner. Throws invalid_input when it is of
  /// another training, corrupt when it is damaged.
  [[nodiscard]] std::optional<Standing> resume(Learner& learner) const;
  void save(const Standing& standing, const Learner& learner) const;
  void load_best(const Standing& standing, Learner& learner) const;
  void remove() const { std::filesystem::remove_all(folder_); }

 private:
  [[nodiscard]] std::filesystem::path state(std::size_t stage, std::size_t epoch) const;

  std::filesystem::path folder_;
  std::string fingerprint_;
};

}  // namespace mustcite::baseline
