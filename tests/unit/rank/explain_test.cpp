#include "engine/rank/explain.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "engine/rank/train.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/rank/small_world.hpp"

namespace mustcite::rank {
namespace {

namespace fs = std::filesystem;
using mustcite::testing::code_of;
using mustcite::testing::TempFolder;

TEST(Explain, NamesViewsTermsSupportersRolesAndASentence) {
  const TempFolder folder;
  const Resources resources = SmallWorld().build(folder.path());
  TrainOptions options;
  options.first_year = 2016;
  options.last_year = 2017;
  options.rounds = 10;
  options.params = {{"min_child_weight", "1"}};
  options.tiers = {Tier::must};
  SilentProgress progress;
  static_cast<void>(train(resources, folder / "model", options, progress));
  const Model model = load_model(folder / "model");
  const Ranker ranker(resources, model);
  const Query query = SmallWorld::query(3);
  const Ranking ranking = ranker.rank(query, Tier::must);
  ASSERT_FALSE(ranking.ranked.empty());
  const Explanation explanation = explain(ranker, ranking, 0);
  EXPECT_EQ(explanation.doc, ranking.ranked[0].doc);
  ASSERT_FALSE(explanation.views.empty());
  EXPECT_GE(explanation.views[0].place, 1U);
  EXPECT_FALSE(explanation.terms.empty());
  EXPECT_EQ(explanation.asked, 20U);
  EXPECT_EQ(explanation.probabilities.size(), 1U);
  // A supporter is an older paper that cites the document.
  for (const Supporter& supporter : explanation.supporters) {
    const auto view = resources.snapshot().citing(supporter.citing);
    EXPECT_LT(view.year, 2018);
    bool cites = false;
    for (std::uint32_t row = view.evidence_begin; row < view.evidence_end; ++row) {
      cites |= resources.snapshot().evidence(row).cited == explanation.doc;
    }
    EXPECT_TRUE(cites);
  }
  // Every citation of the small world has one sentence in the introduction and one in the experiments.
  EXPECT_EQ(explanation.roles.introduction, explanation.cited.citing);
  EXPECT_EQ(explanation.roles.experiments, explanation.cited.citing);
  if (explanation.cited.citing > 0) {
    ASSERT_TRUE(explanation.sentence.has_value());
    EXPECT_EQ(resources.snapshot().evidence(explanation.sentence->evidence).cited, explanation.doc);
  }
  const std::vector<FeatureShare> shares = explain_features(ranker, ranking, 0, Tier::must);
  EXPECT_EQ(shares.size(), model.width());
  for (std::size_t i = 1; i < shares.size(); ++i) {
    EXPECT_GE(std::abs(shares[i - 1].contribution), std::abs(shares[i].contribution));
  }
}

TEST(CountRole, ReadsTheSectionsName) {
  Roles roles;
  for (const char* section : {"5.1 Experimental Setup", "Results", "2 Related Work", "1. INTRODUCTION",
                              "Our approach", "Appendix"}) {
    count_role(roles, section);
  }
  EXPECT_EQ(roles.experiments, 2U);
  EXPECT_EQ(roles.related, 1U);
  EXPECT_EQ(roles.introduction, 1U);
  EXPECT_EQ(roles.method, 1U);
  EXPECT_EQ(roles.other, 1U);
}

TEST(Bibliography, TurnsNeighboursTowardsPapersThatShareIt) {
  const TempFolder folder;
  const Resources resources = SmallWorld().build(folder.path());
  Query query = SmallWorld::query(3);
  // What one paper of another field cites: it becomes a neighbour though no word is shared.
  const std::uint32_t citing = *resources.snapshot().find_citing("p1102");  // number 102, of 2013, of field 6
  const auto view = resources.snapshot().citing(citing);
  const auto is_neighbour = [&](const QueryContext& context) {
    for (const graph::Weighted& neighbour : context.by_text.neighbours) {
      if (neighbour.row == citing) return true;
    }
    return false;
  };
  EXPECT_FALSE(is_neighbour(make_context(resources, query)));
  for (std::uint32_t row = view.evidence_begin; row < view.evidence_end; ++row) {
    query.known.emplace_back(
        std::string(resources.snapshot().document(resources.snapshot().evidence(row).cited).id));
  }
  EXPECT_TRUE(is_neighbour(make_context(resources, query)));
}

TEST(Resources, RefuseDamagedAndForeignFiles) {
  const TempFolder one, two;
  static_cast<void>(SmallWorld().build(one.path()));
  SmallWorld other;
  other.citations.pop_back();
  static_cast<void>(other.build(two.path()));
  for (const char* file : {"citances.bin", "names.bin", "columns.bin", "lsi-0.bin", "embedding-0.bin"}) {
    const fs::path original = one.path() / file;
    const fs::path kept = one.path() / (std::string(file) + ".kept");
    fs::copy(original, kept);
    fs::copy(two.path() / file, original, fs::copy_options::overwrite_existing);
    EXPECT_EQ(code_of([&] { static_cast<void>(Resources::open(one.path())); }), ErrorCode::corrupt)
        << "foreign " << file;
    fs::copy(kept, original, fs::copy_options::overwrite_existing);
    fs::resize_file(original, fs::file_size(original) / 2);
    EXPECT_EQ(code_of([&] { static_cast<void>(Resources::open(one.path())); }), ErrorCode::corrupt)
        << "cut " << file;
    fs::rename(kept, original);
  }
  EXPECT_EQ(code_of([&] { static_cast<void>(Resources::open(one.path())); }), std::nullopt);
}

}  // namespace
}  // namespace mustcite::rank
