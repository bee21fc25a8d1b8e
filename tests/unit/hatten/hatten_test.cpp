#include "engine/hatten/hatten.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "testing/baseline_world.hpp"
#include "testing/killer.hpp"

namespace mustcite::hatten {
namespace {

constexpr const char* kRecipe = R"(
baseline = "hatten-rr"
[training]
epochs = 3
batch = 16
rate = 3e-3
held_out = 0.2
features = "hashed"
[model]
width = 32
heads = 4
inner = 32
words = 40
)";

/// The tiny random BERT of the encoder's tests: hidden size 64, a few words.
std::string with_encoder() {
  return std::string(kRecipe) + "encoder = \"" + MUSTCITE_SOURCE_DIR +
         "/tests/unit/neural/fixtures/tiny-bert\"\nrerank_depth = 10\nrerank_measured = 10\nrerank_queries = "
         "12\n"
         "rerank_epochs = 1\nrerank_words = 48\n";
}

class HattenTest : public ::testing::Test {
 protected:
  std::unique_ptr<baseline::Learner> learner(const baseline::Data& data, std::size_t epochs) {
    auto made = make_learner(data);
    SilentProgress progress;
    for (std::size_t i = 0; i < epochs; ++i) made->epoch(0, i, progress);
    return made;
  }
  test::BaselineWorld world_;
};

TEST_F(HattenTest, LearnsToPutCitedPapersAboveOthers) {
  const auto data = world_.data(std::string(kRecipe) + "encoder = \"none\"\n", "hatten-rr");
  auto untrained = learner(data, 0);
  auto trained = learner(data, 3);
  EXPECT_EQ(trained->stages().size(), 1U);
  EXPECT_GT(test::share_below(*trained, 0, data.train), test::share_below(*untrained, 0, data.train) + 0.05);
}

TEST_F(HattenTest, GoesOnFromAStateToTheSameWeightsInBothStages) {
  const auto data = world_.data(with_encoder(), "hatten-rr");
  SilentProgress progress;
  const auto whole = learner(data, 2);
  ASSERT_EQ(whole->stages().size(), 2U);
  whole->epoch(1, 0, progress);
  const auto first = learner(data, 1);
  first->save_state(world_.out("state.safetensors"));
  auto second = learner(data, 0);
  second->load_state(world_.out("state.safetensors"));
  second->epoch(0, 1, progress);
  second->epoch(1, 0, progress);
  EXPECT_EQ(test::state_of(*whole), test::state_of(*second));
}

TEST_F(HattenTest, KilledInEitherStageATrainingEndsWithTheSameWeights) {
  auto data = world_.data(with_encoder(), "hatten-rr");
  data.recipe.training.epochs = 2;
  data.recipe.training.patience = 0;
  const auto train = [&](const std::string& name, Progress& progress) {
    const auto made = make_learner(data);
    baseline::TrainOptions options;
    options.out = world_.out(name);
    return baseline::train(data, *made, options, progress);
  };
  SilentProgress silent;
  const auto whole = train("whole", silent);
  testing::Killer in_the_first(1);
  EXPECT_THROW(train("parts", in_the_first), std::runtime_error);
  testing::Killer in_the_second(1);  // one epoch is left of the first stage
  EXPECT_THROW(train("parts", in_the_second), std::runtime_error);
  const auto resumed = train("parts", silent);
  EXPECT_EQ(resumed.weights_digest, whole.weights_digest);
  EXPECT_EQ(resumed.measurements.size(), whole.measurements.size());
}

TEST_F(HattenTest, WithoutEpochsNeitherStageLearns) {
  auto data = world_.data(with_encoder(), "hatten-rr");
  data.recipe.training.epochs = 0;
  for (const auto& stage : make_learner(data)->stages()) EXPECT_EQ(stage.epochs, 0U) << stage.name;
}

TEST_F(HattenTest, AnswersAsItWasMeasuredAndOnlyWithOlderPapers) {
  const auto data = world_.data(with_encoder(), "hatten-rr");
  SilentProgress progress;
  baseline::TrainOptions options;
  options.out = world_.out("model");
  auto made = make_learner(data);
  const auto card = baseline::train(data, *made, options, progress);
  const auto ranker = open_ranker(options.out, card, world_.world());
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& example =
        data.train[data.train.size() - 1 - i];  // the newest have the most documents before them
    auto request = test::BaselineWorld::request_of(example);
    const auto found = ranker->rank(request);
    ASSERT_GT(found.size(), 10U);
    std::vector<DocId> documents;
    for (std::uint32_t row = 0; row < example.as_of.documents; ++row) documents.push_back(DocId{row});
    std::vector<float> scores(documents.size());
    made->score(0, std::span(&example, 1), documents, scores);
    for (std::size_t n = 0; n < found.size(); ++n) {
      EXPECT_LT(found[n].doc.value, example.as_of.documents);
      if (n > 0) EXPECT_GE(found[n - 1].score, found[n].score);
    }
    // Those behind the reranked ones keep the prefetcher's cosine; vectors are kept in half precision.
    for (std::size_t n = 10; n < found.size(); ++n)
      EXPECT_NEAR(found[n].score, scores[found[n].doc.value], 5e-3);
    const DocId best[] = {found[0].doc};
    request.exclude = best;
    for (const auto& one : ranker->rank(request)) EXPECT_NE(one.doc, best[0]);
  }
}

TEST_F(HattenTest, TextsOfOneWordOrWithoutAbstractAreAnswered) {
  const auto data = world_.data(with_encoder(), "hatten-rr");
  SilentProgress progress;
  baseline::TrainOptions options;
  options.out = world_.out("model");
  auto made = make_learner(data);
  const auto card = baseline::train(data, *made, options, progress);
  const auto ranker = open_ranker(options.out, card, world_.world());
  for (const auto& [title, abstract] :
       {std::pair<std::string, std::string>{"Learning", ""}, {"", ""}, {"zzzz", "qqqq"}, {"", "networks"}}) {
    baseline::Request request;
    request.title = title;
    request.abstract = abstract;
    request.as_of = data.all;
    request.depth = 5;
    EXPECT_EQ(ranker->rank(request).size(), 5U) << title;
  }
}

TEST_F(HattenTest, RefusesUnknownSettingsAndAMissingEncoder) {
  const auto misspelt = world_.data(std::string(kRecipe) + "head = 5\n", "hatten-rr");
  EXPECT_THROW(static_cast<void>(make_learner(misspelt)), Error);
  EXPECT_THROW(static_cast<void>(make_learner(
                   world_.data(std::string(kRecipe) + "encoder = \"/nonexistent\"\n", "hatten-rr"))),
               Error);
}

}  // namespace
}  // namespace mustcite::hatten
