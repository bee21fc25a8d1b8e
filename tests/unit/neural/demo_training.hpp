#pragma once

#include <csignal>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/progress.hpp"
#include "engine/model/model_folder.hpp"
#include "engine/model/tokenizer.hpp"
#include "engine/train/run.hpp"

namespace mustcite::test {

/// Kills the process when training has advanced so often.
class DeadlyProgress final : public Progress {
 public:
  explicit DeadlyProgress(std::size_t steps) : steps_(steps) {}
  void begin(std::string_view stage, std::uint64_t) override { training_ = stage == "training"; }
  void advance(std::uint64_t units) override {
    if (!training_ || units == 0) return;
    if (++seen_ == steps_) std::raise(SIGKILL);
  }
  void finish() override {}

 private:
  std::size_t steps_;
  std::size_t seen_ = 0;
  bool training_ = false;
};

/// The citing papers of the demo corpus from 2019 on, with what they cite.
inline std::vector<train::DevQuery> demo_dev_queries(const snapshot::Snapshot& snapshot) {
  train::ExampleReport report;
  std::vector<train::DevQuery> dev;
  for (const auto& example : train::make_examples(snapshot, Tier::all, 2019, 0, report)) {
    dev.push_back({example.title, example.abstract, std::nullopt, example.positives, {}});
    if (example.paper != snapshot::kNoDoc) dev.back().excluded.push_back(example.paper);
  }
  return dev;
}

/// Trains `base` on the demo corpus in `world` on one thread, keeping a checkpoint of each step beside `out`,
/// and writes the model to `out`. `with_dev` measures it on `demo_dev_queries`.
template <typename MakeLearner>
train::Report train_on_demo(const std::filesystem::path& world, const std::filesystem::path& out,
                            Progress& progress, train::Recipe recipe, const model::ModelFolder& base,
                            MakeLearner make_learner, bool with_dev = true) {
  recipe.learner.threads = 1;
  const auto snapshot = snapshot::Snapshot::open(world);
  const auto text = index::SparseIndex::open(world / "text", snapshot.digest());
  const auto tokenizer = model::Tokenizer::open(base.transformer);
  train::Job job;
  job.recipe = &recipe;
  job.snapshot = &snapshot;
  job.text = &text;
  job.tokenizer = &tokenizer;
  job.model_digest = base.digest;
  if (with_dev) job.dev = demo_dev_queries(snapshot);
  job.checkpoints = std::filesystem::path(out) += ".training";
  job.checkpoint_every = 1;
  job.threads = 1;
  const auto learner = make_learner(base, recipe.learner);
  auto report = train::run(job, *learner, progress);
  std::filesystem::create_directories(out);
  learner->write_model(out);
  return report;
}

}  // namespace mustcite::test
