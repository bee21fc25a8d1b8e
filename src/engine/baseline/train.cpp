#include "engine/baseline/train.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "core/io/file.hpp"
#include "engine/baseline/checkpoint.hpp"
#include "engine/baseline/held_out.hpp"

namespace mustcite::baseline {
namespace {

std::uint64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

class Training {
 public:
  Training(const Data& data, Learner& learner, const TrainOptions& options, Progress& progress)
      : data_(data),
        learner_(learner),
        options_(options),
        progress_(progress),
        held_out_(data),
        stages_(learner.stages()),
        checkpoints_(std::filesystem::path(options.out) += ".training", fingerprint()) {}

  Card run() {
    if (auto left = checkpoints_.resume(learner_)) {
      standing_ = std::move(*left);
      before_ = standing_.seconds;
    } else {
      enter(0);
    }
    while (true) {
      while (!stage_done()) epoch();
      checkpoints_.load_best(standing_, learner_);
      if (standing_.stage + 1 >= stages_.size()) break;
      enter(standing_.stage + 1);
    }
    return publish();
  }

 private:
  [[nodiscard]] std::string fingerprint() const {
    return sha256_hex(fmt::format("{}\n{}\n{}\n{} {}\n{} weights", data_.recipe.source,
                                  data_.world.snapshot->digest(), data_.features->digest(),
                                  data_.train.size(), data_.held_out.size(), learner_.weights()));
  }

  [[nodiscard]] bool stage_done() const {
    const std::size_t patience = data_.recipe.training.patience;
    return standing_.epoch >= stages_[standing_.stage].epochs ||
           (patience > 0 && standing_.worse_in_a_row >= patience);
  }

  void enter(std::size_t stage) {
    standing_.stage = stage;
    standing_.epoch = standing_.best = standing_.worse_in_a_row = 0;
    measure(0);
    save();
  }

  void epoch() {
    const Stage& stage = stages_[standing_.stage];
    progress_.begin(fmt::format("{} {}/{}", stage.name, standing_.epoch + 1, stage.epochs),
                    data_.train.size());
    const double loss = learner_.epoch(standing_.stage, standing_.epoch, progress_);
    progress_.finish();
    if (!std::isfinite(loss)) {
      fail(ErrorCode::invalid_input, "training {} came to a loss of {}: lower the rate", data_.recipe.name,
           loss);
    }
    ++standing_.epoch;
    measure(loss);
    save();
  }

  void measure(double loss) {
    Measurement now;
    now.stage = stages_[standing_.stage].name;
    now.epoch = standing_.epoch;
    now.loss = loss;
    if (!held_out_.empty()) held_out_.measure(learner_, standing_.stage, now);
    standing_.measurements.push_back(now);
    const auto& all = standing_.measurements;
    // Those of this stage are the last epoch + 1.
    const auto& best = all[all.size() - 1 - standing_.epoch + standing_.best];
    if (standing_.epoch == 0) {
      standing_.best = 0;
    } else if (held_out_.empty() || figure(now) > figure(best)) {
      standing_.best = standing_.epoch;
      standing_.worse_in_a_row = 0;
    } else {
      ++standing_.worse_in_a_row;
    }
    if (options_.on_measurement) options_.on_measurement(now);
  }

  /// What the stage is after.
  [[nodiscard]] double figure(const Measurement& measurement) const {
    return stages_[standing_.stage].goal == Goal::mrr ? measurement.mrr : measurement.recall_100;
  }

  void save() {
    standing_.seconds = before_ + elapsed();
    standing_.peak_bytes = std::max(standing_.peak_bytes, peak_bytes());
    checkpoints_.save(standing_, learner_);
  }

  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  Card publish() {
    io::StagedDirectory staged(options_.out);
    learner_.write(staged.path());
    Card card;
    card.name = data_.recipe.name;
    card.baseline = data_.recipe.baseline;
    card.recipe = data_.recipe.source;
    card.seed = data_.recipe.training.seed;
    card.until = data_.until;
    card.snapshot = data_.world.snapshot->digest();
    card.release = options_.release;
    card.revision = options_.revision;
    card.features = data_.features->name();
    card.features_digest = data_.features->digest();
    card.train_examples = data_.train.size();
    card.held_out_examples = data_.held_out.size();
    card.weights = learner_.weights();
    card.measurements = standing_.measurements;
    card.seconds = before_ + elapsed();
    card.peak_bytes = std::max(standing_.peak_bytes, peak_bytes());
    write_card(card, staged.path());
    staged.publish();
    checkpoints_.remove();
    return read_card(options_.out);
  }

  const Data& data_;
  Learner& learner_;
  const TrainOptions& options_;
  Progress& progress_;
  HeldOut held_out_;
  std::vector<Stage> stages_;
  Checkpoints checkpoints_;
  Standing standing_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double before_ = 0;  ///< seconds of the calls before
};

}  // namespace

Card train(const Data& data, Learner& learner, const TrainOptions& options, Progress& progress) {
  return Training(data, learner, options, progress).run();
}

}  // namespace mustcite::baseline
