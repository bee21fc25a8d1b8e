#include "engine/rank/train.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/io/file.hpp"
#include "engine/rank/features.hpp"
#include "engine/rank/methods.hpp"
#include "engine/rank/ranker.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/rank/small_world.hpp"

namespace mustcite::rank {
namespace {

namespace fs = std::filesystem;
using mustcite::testing::code_of;
using mustcite::testing::TempFolder;

TrainOptions small_options() {
  TrainOptions options;
  options.first_year = 2016;
  options.last_year = 2019;
  options.rounds = 20;
  options.params = {{"min_child_weight", "1"}};
  options.threads = 1;
  options.boost_threads = 1;
  return options;
}

/// One world and one model for all tests of the suite.
class TrainedRanker : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    resources_ = new Resources(SmallWorld().build(folder_->path()));
    SilentProgress progress;
    report_ = new TrainReport(train(*resources_, *folder_ / "model", small_options(), progress));
  }
  static void TearDownTestSuite() {
    delete report_;
    delete resources_;
    delete folder_;
  }
  static fs::path model_folder() { return *folder_ / "model"; }
  /// A copy of the model whose model.json has `from` replaced by `to`.
  static fs::path changed_model(const std::string& name, const std::string& from, const std::string& to) {
    const fs::path copy = *folder_ / name;
    fs::copy(model_folder(), copy);
    std::string text = io::read_file(copy / "model.json");
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    std::ofstream(copy / "model.json") << text;
    return copy;
  }

  static TempFolder* folder_;
  static Resources* resources_;
  static TrainReport* report_;
};
TempFolder* TrainedRanker::folder_ = nullptr;
Resources* TrainedRanker::resources_ = nullptr;
TrainReport* TrainedRanker::report_ = nullptr;

TEST_F(TrainedRanker, ReportAddsUp) {
  EXPECT_EQ(report_->queries, report_->trained_on + report_->without_abstract + report_->without_target);
  EXPECT_EQ(report_->trained_on, 128U);  // 32 citing papers in each of four years
  EXPECT_EQ(report_->held_out.at(Tier::all).queries, 32U);
  EXPECT_LT(report_->bytes, std::size_t{5} << 20);
}

TEST_F(TrainedRanker, FindsWhatTheFieldCites) {
  const Model model = load_model(model_folder());
  const auto method = make_method("mustcite", *resources_, &model);
  const std::vector<Scored> found = method->rank(SmallWorld::query(3), 20);
  ASSERT_EQ(found.size(), 20U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].doc.value % 8, 3U) << "the field is the number modulo eight";
    EXPECT_GE(found[i > 0 ? i - 1 : 0].score, found[i].score);
  }
}

TEST_F(TrainedRanker, GivesAProbabilityForEachTier) {
  const Model model = load_model(model_folder());
  const Query query = SmallWorld::query(5);
  const Ranker ranker(*resources_, model);
  const Ranking ranking = ranker.rank(query, Tier::must);
  for (const auto& [tier, probability] : ranker.probabilities(ranking, 0)) {
    EXPECT_GE(probability, 0.0F) << tier_name(tier);
    EXPECT_LE(probability, 1.0F) << tier_name(tier);
  }
}

TEST_F(TrainedRanker, KeepsTheProbabilityFromWhichAPaperIsMissing) {
  const Model model = load_model(model_folder());
  for (const auto& [tier, quality] : report_->held_out) {
    EXPECT_DOUBLE_EQ(model.tiers.at(tier).missing_at, quality.missing.at) << tier_name(tier);
    EXPECT_TRUE(quality.missing.at == 2 || quality.missing.precision >= 0.5);
  }
}

TEST_F(TrainedRanker, IsTheSameWhenTrainedAgain) {
  SilentProgress progress;
  static_cast<void>(train(*resources_, *folder_ / "again", small_options(), progress));
  for (const char* file : {"model.json", "trees-must.bin", "trees-type3.bin"}) {
    EXPECT_EQ(io::read_file(model_folder() / file), io::read_file(*folder_ / "again" / file)) << file;
  }
}

TEST_F(TrainedRanker, LeavesGroupsOutWhenAsked) {
  TrainOptions options = small_options();
  options.without = {"embedding", "popularity"};
  options.tiers = {Tier::must};
  SilentProgress progress;
  static_cast<void>(train(*resources_, *folder_ / "without", options, progress));
  const Model model = load_model(*folder_ / "without");
  for (const std::string& name : model.column_names()) {
    EXPECT_EQ(name.find("embedding"), std::string::npos);
    EXPECT_NE(name, "cited");
  }
  const Query query = SmallWorld::query(3);
  EXPECT_FALSE(Ranker(*resources_, model).rank(query, Tier::must).ranked.empty());
  EXPECT_EQ(code_of([&] { static_cast<void>(Ranker(*resources_, model).rank(query, Tier::type3)); }),
            ErrorCode::invalid_input);
}

TEST_F(TrainedRanker, RefusesAnUnknownGroup) {
  TrainOptions options = small_options();
  options.without = {"weather"};
  SilentProgress progress;
  EXPECT_EQ(code_of([&] { static_cast<void>(train(*resources_, *folder_ / "no", options, progress)); }),
            ErrorCode::usage);
}

TEST_F(TrainedRanker, RefusesYearsWithoutQueries) {
  TrainOptions options = small_options();
  options.first_year = options.last_year = 1990;
  SilentProgress progress;
  EXPECT_EQ(code_of([&] { static_cast<void>(train(*resources_, *folder_ / "no", options, progress)); }),
            ErrorCode::invalid_input);
}

TEST_F(TrainedRanker, RefusesAModelWithOtherFeatures) {
  EXPECT_EQ(
      code_of([&] { static_cast<void>(load_model(changed_model("other", "\"bm25.n\"", "\"bm26.n\""))); }),
      ErrorCode::corrupt);
  EXPECT_EQ(code_of([&] {
              static_cast<void>(
                  load_model(changed_model("version", "\"feature_version\": ", "\"feature_version\": 9")));
            }),
            ErrorCode::corrupt);
}

TEST_F(TrainedRanker, RefusesADamagedOrMissingModel) {
  EXPECT_EQ(code_of([&] { static_cast<void>(load_model(*folder_ / "nowhere")); }), ErrorCode::not_found);
  const fs::path copy = *folder_ / "cut";
  fs::copy(model_folder(), copy);
  fs::resize_file(copy / "trees-must.bin", 100);
  EXPECT_EQ(code_of([&] { static_cast<void>(load_model(copy)); }), ErrorCode::corrupt);
}

TEST(Methods, RefuseAnUnknownNameAndAMissingModel) {
  const TempFolder folder;
  const Resources resources = SmallWorld().build(folder.path());
  EXPECT_EQ(code_of([&] { static_cast<void>(make_method("bm26", resources, nullptr)); }), ErrorCode::usage);
  EXPECT_EQ(code_of([&] { static_cast<void>(make_method("mustcite", resources, nullptr)); }),
            ErrorCode::not_found);
}

TEST(Methods, EveryViewAnswersInFallingOrder) {
  const TempFolder folder;
  const Resources resources = SmallWorld().build(folder.path());
  for (const std::string& name : method_names()) {
    if (name == "mustcite") continue;
    const auto found = make_method(name, resources, nullptr)->rank(SmallWorld::query(3), 50);
    EXPECT_FALSE(found.empty()) << name;
    for (std::size_t i = 1; i < found.size(); ++i) {
      EXPECT_TRUE(found[i - 1].score > found[i].score ||
                  (found[i - 1].score == found[i].score && found[i - 1].doc < found[i].doc))
          << name;
    }
  }
}

}  // namespace
}  // namespace mustcite::rank
