#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "engine/baseline/ranker.hpp"
#include "engine/baseline/train.hpp"
#include "engine/gnn/ar_gnn.hpp"
#include "engine/gnn/litfm.hpp"
#include "testing/error_code.hpp"
#include "testing/killer.hpp"
#include "testing/temp_folder.hpp"
#include "unit/train/demo_world.hpp"

// The two baselines on the demo corpus that ships, with hashed features.
namespace mustcite::gnn {
namespace {

namespace fs = std::filesystem;
using baseline::Card;
using baseline::Data;
using baseline::Recipe;
using baseline::Request;

constexpr const char* kTraining = R"(
[training]
batch = 16
rate = 0.003
patience = 0
held_out = 0.25
documents = 400
features = "hashed"
)";

struct Kind {
  std::string name;
  std::string model;
};

void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.name;
}

class GraphBaselines : public ::testing::TestWithParam<Kind> {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing::TempFolder();
    test::DemoWorld().build(folder_->path());
    snapshot_ = new snapshot::Snapshot(snapshot::Snapshot::open(folder_->path()));
    text_ = new index::SparseIndex(index::SparseIndex::open(folder_->path() / "text", snapshot_->digest()));
    graph_ = new graph::CitationGraph(*snapshot_);
    world_ = new baseline::World{snapshot_, graph_, text_, folder_->path(), {}, 1};
  }
  static void TearDownTestSuite() {
    delete world_;
    delete graph_;
    delete text_;
    delete snapshot_;
    delete folder_;
  }

  static Data data(std::size_t epochs = 6, std::uint64_t seed = 1, const std::string& model = {}) {
    auto recipe = baseline::parse_recipe(std::string(kTraining) + "[model]\n" + GetParam().model + model,
                                         GetParam().name);
    recipe.training.epochs = epochs;
    recipe.training.seed = seed;
    return baseline::make_data(*world_, recipe);
  }
  static std::unique_ptr<baseline::Learner> learner(const Data& data) {
    return data.recipe.baseline == "litfm" ? make_litfm_learner(data) : make_ar_gnn_learner(data);
  }
  static std::unique_ptr<baseline::Ranker> open(const fs::path& folder) {
    const auto card = baseline::read_card(folder);
    baseline::check_card(card, folder, snapshot_->digest());
    return card.baseline == "litfm" ? open_litfm(folder, card, *world_) : open_ar_gnn(folder, card, *world_);
  }
  static Card train(const Data& data, const fs::path& out, Progress& progress) {
    const auto made = learner(data);
    baseline::TrainOptions options;
    options.out = out;
    return baseline::train(data, *made, options, progress);
  }
  static Request request(const Data& data, std::size_t depth) {
    Request request;
    request.title = data.held_out.front().title;
    request.abstract = data.held_out.front().abstract;
    request.venue = data.held_out.front().venue;
    request.as_of = data.all;
    request.depth = depth;
    return request;
  }

  static testing::TempFolder* folder_;
  static snapshot::Snapshot* snapshot_;
  static index::SparseIndex* text_;
  static graph::CitationGraph* graph_;
  static baseline::World* world_;
};

testing::TempFolder* GraphBaselines::folder_ = nullptr;
snapshot::Snapshot* GraphBaselines::snapshot_ = nullptr;
index::SparseIndex* GraphBaselines::text_ = nullptr;
graph::CitationGraph* GraphBaselines::graph_ = nullptr;
baseline::World* GraphBaselines::world_ = nullptr;

TEST_P(GraphBaselines, LearnAndAnswerAndResumeToTheSameWeightsAfterAKill) {
  const auto all = data();
  const testing::TempFolder out;
  SilentProgress silent;
  const auto whole = train(all, out / "whole", silent);
  ASSERT_EQ(whole.measurements.size(), 7U);
  EXPECT_LT(whole.measurements.back().loss, whole.measurements[1].loss);

  testing::Killer killer(3);
  EXPECT_THROW(train(all, out / "parts", killer), std::runtime_error);
  ASSERT_TRUE(fs::exists(out / "parts.training"));
  const auto resumed = train(all, out / "parts", silent);
  EXPECT_EQ(resumed.weights_digest, whole.weights_digest);
  EXPECT_EQ(resumed.measurements.size(), whole.measurements.size());
  EXPECT_FALSE(fs::exists(out / "parts.training"));

  const auto other = data(6, 2);
  EXPECT_NE(train(other, out / "other", silent).weights_digest, whole.weights_digest);

  const auto ranker = open(out / "whole");
  const auto found = ranker->rank(request(all, 30));
  ASSERT_EQ(found.size(), 30U);
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_GE(found[i - 1].score, found[i].score);
  auto without_first = request(all, 5);
  const std::vector<DocId> first{found.front().doc};
  without_first.exclude = first;
  const auto rest = ranker->rank(without_first);
  ASSERT_EQ(rest.size(), 5U);
  EXPECT_EQ(rest.front().doc, found[1].doc);
}

TEST_P(GraphBaselines, FullBatchesEqualSamplesThatLeaveNothingOut) {
  const bool litfm = GetParam().name == "litfm";
  const auto with = [&](std::size_t batch, const std::string& neighbours) {
    auto made = data(2, 1,
                     litfm ? "neighbours = " + neighbours + "\n"
                           : "fanout_about = " + neighbours + "\nfanout_citations = " + neighbours +
                                 "\nfanout_papers = " + neighbours + "\n");
    made.recipe.training.batch = batch;
    return made;
  };
  const testing::TempFolder out;
  SilentProgress silent;
  const auto full = train(with(0, "0"), out / "full", silent);
  const auto sampled = train(with(100000, "100000"), out / "sampled", silent);
  EXPECT_EQ(full.weights_digest, sampled.weights_digest);
  const auto fewer = train(with(16, "2"), out / "fewer", silent);
  EXPECT_NE(full.weights_digest, fewer.weights_digest);
}

TEST_P(GraphBaselines, AnswerNothingNewerThanTheDate) {
  const auto all = data(0);
  const testing::TempFolder out;
  SilentProgress silent;
  train(all, out / "model", silent);
  const auto ranker = open(out / "model");
  auto early = request(all, 1000);
  early.as_of = baseline::as_of(*snapshot_, Date{2015, 0, 0});
  const auto found = ranker->rank(early);
  EXPECT_EQ(found.size(), early.as_of.documents);
  for (const auto& one : found) EXPECT_LT(one.doc.value, early.as_of.documents);
  early.as_of = {0, 0};
  EXPECT_TRUE(ranker->rank(early).empty());
}

TEST_P(GraphBaselines, AnswerTextsOfWhichNothingIsKnown) {
  const auto all = data(0);
  const testing::TempFolder out;
  SilentProgress silent;
  train(all, out / "model", silent);
  Request foreign;
  foreign.title = "qqqq zzzz";
  foreign.venue = "nowhere";
  foreign.as_of = all.all;
  foreign.depth = 7;
  const auto found = open(out / "model")->rank(foreign);
  for (const auto& one : found) EXPECT_TRUE(std::isfinite(one.score));
}

TEST_P(GraphBaselines, RefuseDamagedWeightsAndOtherSnapshots) {
  const auto all = data(0);
  const testing::TempFolder out;
  SilentProgress silent;
  train(all, out / "model", silent);
  const auto card = baseline::read_card(out / "model");
  EXPECT_EQ(testing::code_of([&] { baseline::check_card(card, out / "model", "another"); }),
            ErrorCode::corrupt);
  fs::resize_file(out / "model" / baseline::kWeightsFile, 100);
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(open(out / "model")); }), ErrorCode::corrupt);
}

INSTANTIATE_TEST_SUITE_P(All, GraphBaselines,
                         ::testing::Values(Kind{"ar-gnn", "hidden = 16\nsize = 16\n"},
                                           Kind{"ar-gnn-gat", "variant = \"gat\"\nhidden = 16\nsize = 16\n"},
                                           Kind{"ar-gnn-gae", "variant = \"gae\"\nhidden = 16\nsize = 16\n"},
                                           Kind{"ar-gnn-text",
                                                "start = \"text\"\nsize = 0\nhidden = 16\nhard = 2\n"
                                                "temperature = 0.05\nsimilarity = 20\nkeywords = 0\n"},
                                           Kind{"litfm", "hidden = 16\n"}),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace mustcite::gnn
