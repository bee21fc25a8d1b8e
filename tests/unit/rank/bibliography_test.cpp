#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/rank/features.hpp"
#include "engine/rank/ranker.hpp"
#include "engine/rank/train.hpp"
#include "engine/rank/views.hpp"
#include "testing/temp_folder.hpp"
#include "unit/rank/small_world.hpp"

namespace mustcite::rank {
namespace {

using mustcite::testing::TempFolder;

/// One world for all tests of the suite.
class BibliographyViews : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    resources_ = new Resources(SmallWorld().build(folder_->path()));
  }
  static void TearDownTestSuite() {
    delete resources_;
    delete folder_;
  }
  static std::vector<Scored> found_by(const std::string& view, const Query& query) {
    const QueryContext context = make_context(*resources_, query);
    return make_view(view)->prepare(context)->candidates(20);
  }
  static TempFolder* folder_;
  static Resources* resources_;
};
TempFolder* BibliographyViews::folder_ = nullptr;
Resources* BibliographyViews::resources_ = nullptr;

TEST_F(BibliographyViews, ItsViewsFindNothingWithoutOne) {
  for (const std::string& view : bibliography_views()) {
    EXPECT_TRUE(found_by(view, SmallWorld::query(3)).empty()) << view;
  }
}

TEST_F(BibliographyViews, ItsViewsFindTheFieldOfWhatIsCitedAndNotThatItself) {
  Query query;  // no word of any field
  query.title = "common words of every paper";
  query.before = Date{2018, 0, 0};
  query.known = {PaperId("p1005"), PaperId("p1013"), PaperId("p1021")};  // field 5
  const snapshot::Snapshot& snapshot = resources_->snapshot();
  for (const std::string& view : bibliography_views()) {
    if (view == "bib-dense") continue;  // needs vectors: see dense_views_test.cpp
    const std::vector<Scored> found = found_by(view, query);
    ASSERT_GE(found.size(), 5U) << view;
    for (const Scored& item : std::span(found).first(5)) {
      const std::string id(snapshot.document(item.doc).id);
      EXPECT_EQ(std::stoi(id.substr(1)) % 8, 5) << view << " finds " << id;
      for (const PaperId& known : query.known) EXPECT_NE(id, known.str()) << view;
    }
  }
}

TEST_F(BibliographyViews, SharedAuthorsAreCountedWhereBothSidesAreKnown) {
  const auto& list = feature_list();
  const auto column = static_cast<std::size_t>(
      std::find_if(list.begin(), list.end(),
                   [](const auto& feature) { return feature.name == "authors-shared"; }) -
      list.begin());
  Query query = SmallWorld::query(3);
  const auto shared = [&] {
    QueryContext context = make_context(*resources_, query);
    const Candidates candidates = find_candidates(context);
    const FeatureTable table = compute_features(context, candidates);
    std::map<std::string, float> values;
    for (std::size_t i = 0; i < candidates.docs.size(); ++i)
      values[std::string(resources_->snapshot().document(candidates.docs[i]).id)] = table.column(column)[i];
    return values;
  };
  for (const auto& [id, value] : shared()) EXPECT_TRUE(std::isnan(value)) << id;
  query.authors = {"Number3, A.", "Bela Number5"};
  for (const auto& [id, value] : shared()) {
    const int i = std::stoi(id.substr(1)) - 1000;
    if (i % 4 == 0) {
      EXPECT_TRUE(std::isnan(value)) << id;
    } else {
      EXPECT_EQ(value, (i % 10 == 3 ? 1.0F : 0.0F) + (i % 6 == 5 ? 1.0F : 0.0F)) << id;
    }
  }
}

TEST_F(BibliographyViews, CocitationScoresAreThoseCountedByHand) {
  Query query = SmallWorld::query(3);
  query.known = {PaperId("p1003")};
  const DocId known = *resources_->snapshot().find("p1003");
  const QueryContext context = make_context(*resources_, query);
  const graph::CitationGraph& graph = resources_->graph();
  const std::vector<Scored> found = found_by("bib-cocitation", query);
  ASSERT_FALSE(found.empty());
  // Each paper that cites the known one gives its other citations the seed's weight.
  const double seed = 1 / std::sqrt(context.cited(known).citing + 1.0);
  for (const Scored& item : found) {
    int together = 0;
    for (const std::uint32_t e : graph.cited_by(known, context.as_of.evidence)) {
      const auto range = graph.references(graph.edge(e).citing, context.as_of.evidence);
      for (std::uint32_t other = range.first; other < range.last; ++other)
        together += graph.edge(other).cited == item.doc;
    }
    EXPECT_NEAR(item.score, together * seed / std::sqrt(context.cited(item.doc).citing + 1.0), 1e-5);
  }
}

TEST_F(BibliographyViews, AModelForDraftsLearnsFromHiddenCitationsAndNeverOffersTheKnown) {
  TrainOptions options;
  options.first_year = 2016;
  options.last_year = 2019;
  options.rounds = 20;
  options.params = {{"min_child_weight", "1"}};
  options.threads = 1;
  options.bibliography = true;
  SilentProgress progress;
  const TrainReport report = train(*resources_, *folder_ / "draft", options, progress);
  EXPECT_EQ(report.queries, report.trained_on + report.without_abstract + report.without_target);
  const Model model = load_model(*folder_ / "draft");
  EXPECT_FALSE(model.without.contains("bib-walk"));
  Query query = SmallWorld::query(3);
  query.known = {PaperId("p1003"), PaperId("p1011")};
  const Ranking ranking = Ranker(*resources_, model).rank(query, Tier::must);
  ASSERT_FALSE(ranking.ranked.empty());
  for (const Scored& item : ranking.ranked) {
    const std::string_view id = resources_->snapshot().document(item.doc).id;
    EXPECT_NE(id, "p1003");
    EXPECT_NE(id, "p1011");
  }
}

TEST_F(BibliographyViews, APlainModelLeavesItsViewsOut) {
  TrainOptions options;
  options.first_year = 2017;
  options.last_year = 2019;
  options.rounds = 2;
  options.threads = 1;
  SilentProgress progress;
  static_cast<void>(train(*resources_, *folder_ / "plain", options, progress));
  const Model model = load_model(*folder_ / "plain");
  for (const std::string& view : bibliography_views()) EXPECT_TRUE(model.without.contains(view));
}

}  // namespace
}  // namespace mustcite::rank
