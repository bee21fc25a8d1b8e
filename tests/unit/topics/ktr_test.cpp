#include "engine/topics/ktr.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.hpp"
#include "testing/baseline_world.hpp"
#include "testing/killer.hpp"

namespace mustcite::topics {
namespace {

constexpr const char* kRecipe = R"(
baseline = "ktr"
[training]
epochs = 6
batch = 16
rate = 5e-3
held_out = 0.2
features = "hashed"
[model]
min_titles = 2
topics = 200
width = 32
topic_width = 12
)";

class KtrTest : public ::testing::Test {
 protected:
  std::unique_ptr<baseline::Learner> learner(const baseline::Data& data, std::size_t epochs) {
    auto made = make_learner(data);
    SilentProgress progress;
    for (std::size_t i = 0; i < epochs; ++i) made->epoch(0, i, progress);
    return made;
  }
  test::BaselineWorld world_;
};

TEST_F(KtrTest, LearnsToPutCitedPapersAboveOthers) {
  const auto data = world_.data(kRecipe, "ktr");
  auto untrained = learner(data, 0);
  auto trained = learner(data, 6);
  const double before = test::share_below(*untrained, 0, data.train);
  const double after = test::share_below(*trained, 0, data.train);
  EXPECT_GT(after, before + 0.05);
  EXPECT_GT(after, 0.8);
}

TEST_F(KtrTest, GoesOnFromAStateToTheSameWeightsAndTheSeedDecidesThem) {
  const auto data = world_.data(kRecipe, "ktr");
  const auto whole = learner(data, 3);
  const auto first = learner(data, 1);
  first->save_state(world_.out("state.safetensors"));
  auto second = learner(data, 0);
  second->load_state(world_.out("state.safetensors"));
  SilentProgress progress;
  second->epoch(0, 1, progress);
  second->epoch(0, 2, progress);
  EXPECT_EQ(test::state_of(*whole), test::state_of(*second));
  auto data_of_another_seed = world_.data(kRecipe, "ktr");
  data_of_another_seed.recipe.training.seed = 2;
  EXPECT_NE(test::state_of(*learner(data_of_another_seed, 1)), test::state_of(*first));
}

TEST_F(KtrTest, KilledATrainingEndsWithTheSameWeights) {
  const auto data = world_.data(kRecipe, "ktr");
  const auto train = [&](const std::string& name, Progress& progress) {
    const auto made = make_learner(data);
    baseline::TrainOptions options;
    options.out = world_.out(name);
    return baseline::train(data, *made, options, progress);
  };
  SilentProgress silent;
  const auto whole = train("whole", silent);
  testing::Killer killer(2);
  EXPECT_THROW(train("parts", killer), std::runtime_error);
  EXPECT_EQ(train("parts", silent).weights_digest, whole.weights_digest);
}

TEST_F(KtrTest, AnswersAsItWasMeasuredAndOnlyWithOlderPapers) {
  const auto data = world_.data(kRecipe, "ktr");
  SilentProgress progress;
  baseline::TrainOptions options;
  options.out = world_.out("model");
  auto again = make_learner(data);
  const auto card = baseline::train(data, *again, options, progress);
  const auto ranker = open_ranker(options.out, card, world_.world());
  for (std::size_t i = 0; i < 5; ++i) {
    const auto& example = data.train[i];
    auto request = test::BaselineWorld::request_of(example);
    const auto found = ranker->rank(request);
    ASSERT_FALSE(found.empty());
    std::vector<DocId> documents;
    for (std::uint32_t row = 0; row < example.as_of.documents; ++row) documents.push_back(DocId{row});
    std::vector<float> scores(documents.size());
    again->score(0, std::span(&example, 1), documents, scores);
    for (std::size_t n = 0; n < found.size(); ++n) {
      EXPECT_LT(found[n].doc.value, example.as_of.documents);
      if (n > 0) EXPECT_GE(found[n - 1].score, found[n].score);
      // Differences of scores agree: the bias is left out of answers.
      EXPECT_NEAR(found[0].score - found[n].score, scores[found[0].doc.value] - scores[found[n].doc.value],
                  2e-3);
    }
    const DocId best[] = {found[0].doc};
    request.exclude = best;
    for (const auto& one : ranker->rank(request)) EXPECT_NE(one.doc, best[0]);
  }
}

TEST_F(KtrTest, TextsWithoutTopicsWordsOrAbstractAreAnswered) {
  const auto data = world_.data(kRecipe, "ktr");
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
  baseline::Request nothing;
  nothing.title = "Learning";
  EXPECT_TRUE(ranker->rank(nothing).empty());
}

TEST_F(KtrTest, TakesAGivenTopicGraphAndKeepsItsBadLines) {
  std::ofstream(world_.out("graph.tsv")) << "RelatedTo\tlearning\tnetwork\t1\n"
                                            "IsA\tnetwork\tmodel\t2\n"
                                            "RelatedTo\tlearning\tno such term\t1\n"
                                            "broken\n";
  const auto data = world_.data(
      std::string(kRecipe) + "min_documents = 2\ngraph = \"" + world_.out("graph.tsv").string() + "\"\n",
      "ktr");
  SilentProgress progress;
  baseline::TrainOptions options;
  options.out = world_.out("model");
  auto made = make_learner(data);
  const auto card = baseline::train(data, *made, options, progress);
  EXPECT_TRUE(std::filesystem::exists(options.out / "rejected.tsv"));
  std::filesystem::remove(world_.out("graph.tsv"));  // the model has what it needs
  const auto ranker = open_ranker(options.out, card, world_.world());
  EXPECT_FALSE(ranker->rank(test::BaselineWorld::request_of(data.train[0])).empty());
}

TEST_F(KtrTest, RefusesUnknownSettingsAndAMissingGraph) {
  const auto misspelt = world_.data(std::string(kRecipe) + "topic = 5\n", "ktr");
  EXPECT_THROW(static_cast<void>(make_learner(misspelt)), Error);
  const auto missing = world_.data(std::string(kRecipe) + "graph = \"/nonexistent\"\n", "ktr");
  EXPECT_THROW(static_cast<void>(make_learner(missing)), Error);
  const auto none = world_.data(std::string(kRecipe) + "min_documents = 2\nhops = 9\n", "ktr");
  EXPECT_THROW(static_cast<void>(make_learner(none)), Error);
}

}  // namespace
}  // namespace mustcite::topics
