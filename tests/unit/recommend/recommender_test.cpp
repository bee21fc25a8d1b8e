#include "engine/recommend/recommend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/rank/train.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/rank/small_world.hpp"

namespace mustcite::recommend {
namespace {

using mustcite::rank::SmallWorld;
using mustcite::testing::code_of;
using mustcite::testing::TempFolder;

/// One world with an index and a small model for all tests of the suite.
class RecommenderTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    SilentProgress progress;
    IndexOptions index;
    index.source = "catalog";
    index.latent_years = {2016, 2017, 2018};
    index.threads = 1;
    static_cast<void>(build_index(SmallWorld(), folder_->path() / "index", index, progress));
    const auto resources = rank::Resources::open(folder_->path() / "index");
    rank::TrainOptions training;
    training.first_year = 2016;
    training.last_year = 2017;
    training.rounds = 10;
    training.params = {{"min_child_weight", "1"}};
    static_cast<void>(rank::train(resources, folder_->path() / "model", training, progress));
    recommender_ = new Recommender(Recommender::open(folder_->path() / "index", folder_->path() / "model"));
  }
  static void TearDownTestSuite() {
    delete recommender_;
    delete folder_;
  }

  static std::vector<std::string> ids(const Answer& answer) {
    std::vector<std::string> found;
    for (const Row& row : answer.rows) found.push_back(row.paper.id.str());
    return found;
  }
  static int field_of(const std::string& id) { return std::stoi(id.substr(1)) % 8; }
  /// How many of the answered papers belong to a field.
  static std::size_t of_field(const Answer& answer, int field) {
    const auto found = ids(answer);
    return static_cast<std::size_t>(std::count_if(
        found.begin(), found.end(), [&](const std::string& id) { return field_of(id) == field; }));
  }

  static TempFolder* folder_;
  static Recommender* recommender_;
};
TempFolder* RecommenderTest::folder_ = nullptr;
Recommender* RecommenderTest::recommender_ = nullptr;

TEST_F(RecommenderTest, AnswersFromTheQuerysFieldWithReasonsAndProbabilities) {
  const Answer answer = recommender_->answer(SmallWorld::query(3), {});
  EXPECT_EQ(answer.method, "mustcite");
  ASSERT_EQ(answer.rows.size(), 20U);
  EXPECT_GE(of_field(answer, 3), 18U);
  for (const Row& row : answer.rows) {
    EXPECT_FALSE(row.reasons.empty()) << row.paper.id.str();
    EXPECT_EQ(row.probability.size(), 4U);
  }
}

TEST_F(RecommenderTest, ATopicSentenceTurnsTheAnswerToItsField) {
  Query query = SmallWorld::query(3);
  Options options;
  options.method = "citance";
  const std::size_t without = of_field(recommender_->answer(query, options), 6);
  query.topic = SmallWorld::query(6).title;
  const Answer with = recommender_->answer(query, options);
  EXPECT_EQ(without, 0U);
  EXPECT_GE(of_field(with, 6), 10U);
}

TEST_F(RecommenderTest, KnownWorksAreEvidenceAndDoNotComeBack) {
  Query query = SmallWorld::query(3);
  Options options;
  options.depth = 60;
  const std::size_t without = of_field(recommender_->answer(query, options), 5);
  query.known = {PaperId("p1005"), PaperId("p1013"), PaperId("no-such-paper")};
  const Answer answer = recommender_->answer(query, options);
  EXPECT_EQ(answer.known, 3U);
  EXPECT_EQ(answer.known_found, 2U);
  EXPECT_GT(of_field(answer, 5), without);
  for (const std::string& id : ids(answer)) {
    EXPECT_NE(id, "p1005");
    EXPECT_NE(id, "p1013");
  }
}

TEST_F(RecommenderTest, ExcludedPapersDoNotComeBack) {
  Query query = SmallWorld::query(3);
  const std::string first = ids(recommender_->answer(query, {})).front();
  query.exclude = {PaperId(first)};
  const auto found = ids(recommender_->answer(query, {}));
  EXPECT_EQ(std::count(found.begin(), found.end(), first), 0);
}

TEST_F(RecommenderTest, FiltersLetThroughWhatFitsAndFillTheAnswer) {
  Options options;
  options.filters.venues = {"one"};
  options.filters.last_year = 2014;
  options.depth = 5;
  const Answer answer = recommender_->answer(SmallWorld::query(3), options);
  ASSERT_EQ(answer.rows.size(), 5U);
  for (const Row& row : answer.rows) {
    EXPECT_EQ(row.paper.venue, "one");
    EXPECT_LE(row.paper.date.year, 2014);
  }
}

TEST_F(RecommenderTest, OnlyTheLearnedRankerTellsRoles) {
  Options options;
  options.method = "bm25";
  options.filters.roles = {"baseline"};
  EXPECT_EQ(code_of([&] { static_cast<void>(recommender_->answer(SmallWorld::query(3), options)); }),
            ErrorCode::usage);
}

TEST_F(RecommenderTest, AWordlessQueryIsRefused) {
  Query query;
  query.title = "the of and";
  EXPECT_EQ(code_of([&] { static_cast<void>(recommender_->answer(query, {})); }), ErrorCode::invalid_input);
}

TEST_F(RecommenderTest, AccountsForEveryStandingOfAPaper) {
  using Standing = Account::Standing;
  Query query = SmallWorld::query(3);
  query.known = {PaperId("p1011")};
  Options options;
  const auto plain = SmallWorld::query(3);
  const auto answered = ids(recommender_->answer(plain, options));
  const auto standing = [&](const Query& asked, const std::string& id) {
    return recommender_->account(asked, options, id).standing;
  };
  const Account first = recommender_->account(plain, options, answered[0]);
  EXPECT_EQ(first.standing, Standing::answered);
  EXPECT_EQ(first.place, 1U);
  EXPECT_FALSE(first.views.empty());
  EXPECT_FALSE(first.features.empty());
  EXPECT_EQ(standing(query, "p1011"), Standing::left_out);
  EXPECT_EQ(standing(plain, "p1316"), Standing::too_new);
  EXPECT_EQ(standing(plain, "nothing like it"), Standing::unknown);
  options.depth = 1;
  EXPECT_EQ(standing(plain, answered[1]), Standing::below);
  options.filters.venues = {"three"};
  EXPECT_EQ(standing(plain, answered[0]), Standing::filtered);
}

TEST_F(RecommenderTest, ARunHoldsTheSameAsSingleAnswers) {
  std::vector<Query> queries;
  for (int field = 0; field < 4; ++field) {
    queries.push_back(SmallWorld::query(field));
    queries.back().id = QueryId("q" + std::to_string(field));
  }
  Query wordless;
  wordless.id = QueryId("wordless");
  wordless.title = "of the";
  queries.push_back(wordless);
  Options options;
  options.depth = 10;
  SilentProgress progress;
  std::vector<std::string> notes;
  const mustcite::Run run = recommender_->answer_all(queries, options, 2, progress, notes);
  ASSERT_EQ(run.lists.size(), 5U);
  for (std::size_t q = 0; q < 4; ++q) {
    const auto single = ids(recommender_->answer(queries[q], options));
    ASSERT_EQ(run.lists[q].papers.size(), single.size());
    for (std::size_t i = 0; i < single.size(); ++i) EXPECT_EQ(run.lists[q].papers[i].paper.str(), single[i]);
  }
  EXPECT_TRUE(run.lists[4].papers.empty());
  EXPECT_EQ(notes.size(), 1U);
}

TEST_F(RecommenderTest, WithoutAModelBm25AnswersAndSaysSo) {
  const auto plain = Recommender::open(folder_->path() / "index", std::nullopt);
  const Answer answer = plain.answer(SmallWorld::query(3), {});
  EXPECT_EQ(answer.method, "bm25");
  ASSERT_FALSE(answer.notes.empty());
  EXPECT_NE(answer.notes[0].find("train ranker"), std::string::npos);
  EXPECT_EQ(code_of([&] { static_cast<void>(plain.account(SmallWorld::query(3), {}, "p1003")); }),
            ErrorCode::not_found);
}

TEST_F(RecommenderTest, TitlesAreFoundExactlyBeforeClosely) {
  const Answer all = recommender_->answer(SmallWorld::query(3), {});
  const Paper wanted = all.rows[4].paper;
  const Answer found = recommender_->search_title(wanted.title, 3);
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_EQ(found.rows[0].paper.id, wanted.id);
}

}  // namespace
}  // namespace mustcite::recommend
