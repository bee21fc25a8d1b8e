#include "engine/train/cross_encoder.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.hpp"
#include "engine/model/tokenizer.hpp"
#include "testing/temp_folder.hpp"
#include "unit/train/demo_world.hpp"

namespace mustcite::train {
namespace {

TEST(PairGroups, HoldAPositiveAndItsNegatives) {
  BatchPlan plan;
  // Query 0: one positive, three negatives. Query 1: two positives that share three negatives in turn.
  plan.tuples = {{0, 0, 0, 1}, {0, 0, 0, 2}, {0, 0, 0, 3}, {1, 4, 0, 6}, {1, 5, 0, 7}, {1, 4, 0, 8}};
  const auto groups = groups_of(plan);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].negatives, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(groups[1].positive, 4U);
  EXPECT_EQ(groups[1].negatives, (std::vector<std::uint32_t>{6, 8}));
  EXPECT_EQ(groups[2].negatives, (std::vector<std::uint32_t>{7}));
}

TEST(PairGroups, ANegativeStandsOnceInAGroup) {
  BatchPlan plan;
  plan.tuples = {{0, 0, 0, 2}, {0, 1, 0, 3}, {0, 0, 0, 2}};
  const auto groups = groups_of(plan);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].negatives, (std::vector<std::uint32_t>{2}));
}

std::vector<Example> examples_named(std::size_t count) {
  std::vector<Example> examples(count);
  for (std::size_t i = 0; i < count; ++i) examples[i].id = "q" + std::to_string(i);
  return examples;
}

TEST(SetAside, TakesAboutItsShareAndTheSameWhateverElseIsThere) {
  auto many = examples_named(2000);
  const auto held = set_aside(many, 0.1, 3);
  EXPECT_EQ(many.size() + held.size(), 2000U);
  EXPECT_NEAR(static_cast<double>(held.size()), 200, 50);  // four standard deviations are 54
  auto few = examples_named(500);
  for (const auto& example : set_aside(few, 0.1, 3)) {
    EXPECT_TRUE(std::any_of(held.begin(), held.end(), [&](const Example& e) { return e.id == example.id; }));
  }
  auto none = examples_named(50);
  EXPECT_TRUE(set_aside(none, 0, 3).empty());
  EXPECT_EQ(none.size(), 50U);
}

/// Scores a pair by what a table says of the document's text.
class TableLearner final : public Learner {
 public:
  std::map<std::string, float, std::less<>> table;
  double accumulate(const Batch&, double, std::uint64_t) override { return 0; }
  double update(double) override { return 0; }
  void similarities(std::span<const std::string_view>, std::span<const std::string_view>,
                    std::span<float>) override {}
  void score(std::span<const TextPair> pairs, std::span<float> out) override {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto found = table.find(pairs[i].second);
      out[i] = found == table.end() ? 0 : found->second;
    }
  }
  std::uint64_t trained_weights() const override { return 0; }
  std::uint64_t weights() const override { return 0; }
  void save_state(const std::filesystem::path&) const override {}
  void load_state(const std::filesystem::path&) override {}
  void write_model(const std::filesystem::path&) const override {}
};

class PairWorld : public ::testing::Test {
 protected:
  void SetUp() override {
    test::DemoWorld().build(folder_.path());
    snapshot_.emplace(snapshot::Snapshot::open(folder_.path()));
  }
  [[nodiscard]] std::string text(std::uint32_t row) const {
    const auto view = snapshot_->document(DocId{row});
    return std::string(view.title) + (view.abstract.empty() ? "" : " [SEP] " + std::string(view.abstract));
  }
  mustcite::testing::TempFolder folder_;
  std::optional<snapshot::Snapshot> snapshot_;
};

TEST_F(PairWorld, HeldOutQueriesAreMeasuredByNdcgAndReciprocalRank) {
  Example example;
  example.id = "q";
  example.title = "query";
  example.positives = {DocId{0}, DocId{1}};
  example.negatives = {DocId{2}, DocId{3}, DocId{4}};
  Recipe::Dev options;
  options.documents = 2;  // the third negative is left out
  const PairDevSet dev(*snapshot_, options, 0, {example});
  EXPECT_EQ(dev.queries(), 1U);
  EXPECT_EQ(dev.pairs(), 4U);
  TableLearner learner;
  learner.table = {{text(0), 3.0F}, {text(1), 1.0F}, {text(2), 2.0F}, {text(3), 0.0F}};
  const auto measured = dev.measure(learner);
  // Cited papers at the places 1 and 3 of the best possible 1 and 2.
  EXPECT_NEAR(*measured.ndcg_10, (1 + 1 / std::log2(4.0)) / (1 + 1 / std::log2(3.0)), 1e-12);
  EXPECT_EQ(measured.mrr, 1);
  // All scores alike: the cited papers come last, at the places 3 and 4.
  learner.table.clear();
  EXPECT_NEAR(*dev.measure(learner).ndcg_10,
              (1 / std::log2(4.0) + 1 / std::log2(5.0)) / (1 + 1 / std::log2(3.0)), 1e-12);
}

TEST_F(PairWorld, ARunsScoresCountWithTheModels) {
  Example example;
  example.id = "q";
  example.title = "query";
  example.positives = {DocId{0}};
  example.negatives = {DocId{1}, DocId{2}};
  example.scores = {{DocId{0}, -1.0F}, {DocId{1}, 3.0F}, {DocId{2}, 0.0F}};
  Example unlisted = example;
  unlisted.id = "r";
  unlisted.positives.clear();
  const PairDevSet dev(*snapshot_, Recipe::Dev{}, 0.5, {example, unlisted});
  EXPECT_EQ(dev.queries(), 1U);  // the other has nothing to find
  TableLearner learner;
  learner.table = {{text(0), 1.0F}};  // 0.5 in all, between 1.5 and 0
  EXPECT_DOUBLE_EQ(dev.measure(learner).mrr, 0.5);
  const auto tokenizer = model::Tokenizer::open(MUSTCITE_SOURCE_DIR "/tests/golden/tiny-model");
  BatchPlan plan;
  plan.examples = {0};
  plan.documents = {DocId{0}, DocId{1}};
  plan.tuples = {{0, 0, 0, 1}};
  const std::vector<Example> examples{example};
  EXPECT_EQ(pair_batch(plan, examples, *snapshot_, tokenizer, 16, 0.5).offsets,
            (std::vector<float>{-0.5F, 1.5F}));
  EXPECT_TRUE(pair_batch(plan, examples, *snapshot_, tokenizer, 16, 0).offsets.empty());
}

TEST_F(PairWorld, ABatchHoldsQueryAndDocumentTogetherThePositiveFirst) {
  const auto tokenizer = model::Tokenizer::open(MUSTCITE_SOURCE_DIR "/tests/golden/tiny-model");
  Example example;
  example.title = "a graph network";
  BatchPlan plan;
  plan.examples = {0};
  plan.documents = {DocId{5}, DocId{6}};
  plan.tuples = {{0, 1, 0, 0}};
  const std::vector<Example> examples{example};
  const Batch batch = pair_batch(plan, examples, *snapshot_, tokenizer, 16, 0);
  ASSERT_EQ(batch.pairs.size(), 2U);
  EXPECT_EQ(batch.group_sizes, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(batch.pairs[0].ids, tokenizer.encode_pair("a graph network", text(6), 16).ids);
  EXPECT_EQ(batch.pairs[1].ids, tokenizer.encode_pair("a graph network", text(5), 16).ids);
  EXPECT_EQ(batch.pairs[1].types.back(), 1);
}

TEST(PairRecipe, HeadLossAndShareAreRead) {
  const auto recipe = parse_recipe(
      "[model]\nbase = \"x\"\nhead = \"mean\"\n[loss]\nkind = \"pair-logistic\"\n[dev]\nheld_out = 0.25\n",
      "test");
  EXPECT_EQ(recipe.model.head, model::Head::mean);
  EXPECT_EQ(recipe.learner.loss, Loss::pair_logistic);
  EXPECT_EQ(recipe.dev.held_out, 0.25);
  EXPECT_TRUE(reads_pairs(recipe.learner.loss));
  EXPECT_THROW((void)parse_recipe("[model]\nbase = \"x\"\nhead = \"max\"\n", "test"), Error);
  const std::string offset = "[model]\nbase = \"x\"\n[loss]\nkind = \"pair-softmax\"\noffset = 0.5\n";
  EXPECT_EQ(parse_recipe(offset + "[examples]\nsource = \"run\"\n", "test").learner.offset, 0.5);
  EXPECT_THROW((void)parse_recipe(offset, "test"), Error) << "bm25's scores are none of a run";
  EXPECT_THROW(
      (void)parse_recipe(
          "[model]\nbase = \"x\"\n[loss]\nkind = \"pair-softmax\"\n[examples]\nnegatives = 0\n", "test"),
      Error);
}

}  // namespace
}  // namespace mustcite::train
