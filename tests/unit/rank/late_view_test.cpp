#include <gtest/gtest.h>

#include <algorithm>

#include "engine/late/build.hpp"
#include "engine/rank/late.hpp"
#include "engine/rank/ranker.hpp"
#include "engine/rank/train.hpp"
#include "engine/rank/views.hpp"
#include "testing/temp_folder.hpp"
#include "unit/late/token_directions.hpp"
#include "unit/model/tiny_model.hpp"
#include "unit/rank/small_training.hpp"
#include "unit/rank/small_world.hpp"

namespace mustcite::rank {
namespace {

using mustcite::testing::TempFolder;

/// One world with token vectors for all tests of the suite.
class LateViews : public ::testing::Test {
 protected:
  struct World {
    explicit World(const std::filesystem::path& folder) : resources(SmallWorld().build(folder)) {
      test::write_tiny_model(folder / "tiny");
      late::Recipe recipe;
      recipe.text.name = "tokens";
      recipe.text.model = "org/tiny";
      const auto model = model::resolve_late_model(folder / "tiny", late::late_options(recipe));
      const late::TokenEncoderFactory factory = [](const model::LateModel& asked) {
        return std::make_unique<test::TokenDirections>(asked);
      };
      SilentProgress progress;
      static_cast<void>(
          late::build_index(resources.snapshot(), recipe, model, factory, folder / "late", {}, progress));
      retriever = std::make_unique<late::Retriever>(folder / "late", resources.snapshot().digest(), factory);
      resources.attach_tokens(retriever.get());
    }
    Resources resources;
    std::unique_ptr<late::Retriever> retriever;
  };

  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    world_ = new World(folder_->path());
  }
  static void TearDownTestSuite() {
    delete world_;
    delete folder_;
  }
  /// Title and abstract of a document, as of a year.
  static Query query_of(std::uint32_t row, std::optional<Date> before) {
    const auto document = world_->resources.snapshot().document(DocId{row});
    Query query;
    query.id = QueryId("q");
    query.title = "about " + std::string(document.title);
    query.abstract = document.abstract;
    query.before = before;
    return query;
  }

  static TempFolder* folder_;
  static World* world_;
};

TempFolder* LateViews::folder_ = nullptr;
LateViews::World* LateViews::world_ = nullptr;

TEST_F(LateViews, TheViewFindsWhatTheMethodFindsAndScoresItAlike) {
  const Query query = query_of(world_->resources.snapshot().size() / 2, std::nullopt);
  const auto method = make_late_method(world_->resources, *world_->retriever, /*exhaustive=*/false);
  const auto ranked = method->rank(query, 10);
  const QueryContext context = make_context(world_->resources, query);
  EXPECT_EQ(method->name(), "tokens");
  const auto prepared = make_view("late")->prepare(context);
  const auto found = prepared->candidates(10);
  ASSERT_EQ(found.size(), ranked.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].doc, ranked[i].doc);
    float score = 0;
    prepared->scores({&found[i].doc, 1}, {&score, 1});
    EXPECT_EQ(score, found[i].score);
  }
}

TEST_F(LateViews, NothingNewerThanTheQueryComesBackFromEitherSearch) {
  const auto& snapshot = world_->resources.snapshot();
  const Date middle{snapshot.document(DocId{snapshot.size() / 2}).date.year, 0, 0};
  const Query query = query_of(snapshot.size() - 1, middle);
  for (const bool exhaustive : {false, true}) {
    const auto found = make_late_method(world_->resources, *world_->retriever, exhaustive)->rank(query, 1000);
    ASSERT_FALSE(found.empty());
    EXPECT_LE(found.size(), snapshot.prefix(middle));
    for (const Scored& one : found) EXPECT_LT(one.doc.value, snapshot.prefix(middle));
  }
}

TEST_F(LateViews, ExcludedAndKnownPapersAndTheQueryItselfNeverComeBack) {
  const auto& snapshot = world_->resources.snapshot();
  Query query = query_of(3, std::nullopt);
  query.title = snapshot.document(DocId{3}).title;
  query.exclude.emplace_back(std::string(snapshot.document(DocId{1}).id));
  query.known.emplace_back(std::string(snapshot.document(DocId{2}).id));
  const auto found = make_late_method(world_->resources, *world_->retriever, false)->rank(query, 1000);
  for (const Scored& one : found) EXPECT_TRUE(one.doc.value != 1 && one.doc.value != 2 && one.doc.value != 3);
}

TEST_F(LateViews, ATrainedRankerReadsThemAndSaysWhich) {
  const TrainOptions options = small_training();
  SilentProgress progress;
  static_cast<void>(train(world_->resources, folder_->path() / "ranker", options, progress));
  const Model model = load_model(folder_->path() / "ranker");
  EXPECT_EQ(model.late.recipe, "tokens");
  EXPECT_EQ(model.late.digest, world_->retriever->index().info().model_digest);
  EXPECT_TRUE(model.dense.recipe.empty());
  const auto columns = model.column_names();
  EXPECT_NE(std::find(columns.begin(), columns.end(), "late.raw"), columns.end());
  EXPECT_EQ(std::find(columns.begin(), columns.end(), "dense.raw"), columns.end());
  const Query query = SmallWorld::query(3);
  const Ranker ranker(world_->resources, model);
  const auto with = ranker.rank(query, Tier::must);
  EXPECT_GT(with.ranked.size(), 0U);
  world_->resources.attach_tokens(nullptr);
  EXPECT_TRUE(make_view("late")->prepare(make_context(world_->resources, query))->candidates(5).empty());
  // A model trained without them looks at none.
  static_cast<void>(train(world_->resources, folder_->path() / "plain", options, progress));
  const Model plain = load_model(folder_->path() / "plain");
  EXPECT_TRUE(plain.without.contains("late"));
  EXPECT_FALSE(plain.encodes());
  world_->resources.attach_tokens(world_->retriever.get());
}

}  // namespace
}  // namespace mustcite::rank
