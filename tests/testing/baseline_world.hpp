#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/io/file.hpp"
#include "engine/baseline/learner.hpp"
#include "engine/baseline/ranker.hpp"
#include "engine/baseline/train.hpp"
#include "testing/temp_folder.hpp"
#include "unit/train/demo_world.hpp"

namespace mustcite::test {

/// The demo corpus as an index that published baselines learn from.
class BaselineWorld {
 public:
  BaselineWorld() {
    DemoWorld().build(folder_.path());
    snapshot_ = std::make_unique<snapshot::Snapshot>(snapshot::Snapshot::open(folder_.path()));
    text_ =
        std::make_unique<index::SparseIndex>(index::SparseIndex::open(folder_ / "text", snapshot_->digest()));
    graph_ = std::make_unique<graph::CitationGraph>(*snapshot_);
    world_ = {snapshot_.get(), graph_.get(), text_.get(), folder_.path(), {}, 1};
  }

  [[nodiscard]] const baseline::World& world() const noexcept { return world_; }
  [[nodiscard]] std::filesystem::path out(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] baseline::Data data(const std::string& toml, const std::string& name) const {
    return baseline::make_data(world_, baseline::parse_recipe(toml, name));
  }

  /// A paper that cites in the evidence, as a request as of its year.
  [[nodiscard]] static baseline::Request request_of(const baseline::Example& example) {
    baseline::Request request;
    request.title = example.title;
    request.abstract = example.abstract;
    request.as_of = example.as_of;
    request.depth = 20;
    return request;
  }

 private:
  testing::TempFolder folder_;
  std::unique_ptr<snapshot::Snapshot> snapshot_;
  std::unique_ptr<index::SparseIndex> text_;
  std::unique_ptr<graph::CitationGraph> graph_;
  baseline::World world_;
};

/// Numbers of a state file as text: equal for equal weights and moments, to the bit.
inline std::string state_of(const baseline::Learner& learner) {
  const testing::TempFolder folder;
  learner.save_state(folder / "state");
  return io::read_file(folder / "state");
}

/// The share of the older documents that score below a cited one, mean over cited papers and examples: a half
/// where scores know nothing. Of the first few examples: enough to tell, and a matter of seconds.
inline double share_below(baseline::Learner& learner, std::size_t stage,
                          std::span<const baseline::Example> examples) {
  examples = examples.first(std::min<std::size_t>(examples.size(), 40));
  double sum = 0;
  for (const auto& example : examples) {
    std::vector<DocId> documents;
    for (std::uint32_t row = 0; row < example.older; ++row) documents.push_back(DocId{row});
    std::vector<float> scores(documents.size());
    learner.score(stage, std::span(&example, 1), documents, scores);
    double below = 0;
    for (const DocId doc : example.positives) {
      const float own = scores[doc.value];
      below +=
          static_cast<double>(std::count_if(scores.begin(), scores.end(), [&](float s) { return s < own; })) /
          static_cast<double>(scores.size());
    }
    sum += below / static_cast<double>(example.positives.size());
  }
  return sum / static_cast<double>(examples.size());
}

}  // namespace mustcite::test
