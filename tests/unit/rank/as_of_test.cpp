#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/rank/features.hpp"
#include "testing/temp_folder.hpp"
#include "unit/rank/small_world.hpp"

namespace mustcite::rank {
namespace {

using mustcite::testing::TempFolder;

struct Answer {
  std::vector<DocId> docs;
  FeatureTable table;
};

Answer answer(const Resources& resources, const Query& query) {
  QueryContext context = make_context(resources, query);
  Candidates candidates = find_candidates(context);
  Answer result;
  result.table = compute_features(context, candidates);
  result.docs = std::move(candidates.docs);
  return result;
}

void expect_equal(const Answer& a, const Answer& b) {
  ASSERT_EQ(a.docs, b.docs);
  for (std::size_t column = 0; column < feature_list().size(); ++column) {
    for (std::size_t row = 0; row < a.docs.size(); ++row) {
      const float x = a.table.column(column)[row];
      const float y = b.table.column(column)[row];
      if (std::isnan(x) && std::isnan(y)) continue;
      // Sums may be added up in another order when new words renumber the vocabulary.
      ASSERT_NEAR(x, y, 1e-5 * std::max(1.0F, std::abs(x)))
          << feature_list()[column].name << " of document " << a.docs[row].value;
    }
  }
}

/// A paper that only brings evidence, in the query's own words.
Paper citing_paper(const std::string& id, int year) {
  const Query query = SmallWorld::query(3);
  Paper paper;
  paper.id = PaperId(id);
  paper.title = id == "query" ? query.title : "a later look at " + query.title;
  paper.abstract = query.abstract;
  paper.date.year = year;
  return paper;
}

TEST(AsOf, FindsCandidatesInEveryView) {
  const TempFolder folder;
  const Resources resources = SmallWorld().build(folder.path());
  Query query = SmallWorld::query(3);
  query.known = {PaperId("p1003"), PaperId("p1011"), PaperId("p1019")};  // of its field
  const Answer found = answer(resources, query);
  ASSERT_FALSE(found.docs.empty());
  for (std::size_t v = 0; v < view_names().size(); ++v) {
    const auto& dense = dense_views();  // these need vectors: see dense_views_test.cpp and late_view_test.cpp
    if (std::find(dense.begin(), dense.end(), view_names()[v]) != dense.end() || view_names()[v] == "late")
      continue;
    float best = 0;
    for (const float score : found.table.column(2 * v)) best = std::max(best, score);
    EXPECT_EQ(best, 1.0F) << view_names()[v] << " finds nothing";
  }
}

TEST(AsOf, AFutureCitationMovesNothing) {
  const TempFolder before, after;
  SmallWorld world;
  const Answer plain = answer(world.build(before.path()), SmallWorld::query(3));
  // Papers of the query's year and of the year after cite an unlikely paper ten times, in the query's words.
  for (const int year : {2018, 2019}) {
    const Paper later = citing_paper("later" + std::to_string(year), year);
    world.citing_only.push_back(later);
    world.citations.push_back(SmallWorld::make_citation(later, world.papers[4], 10, 5));
  }
  expect_equal(plain, answer(world.build(after.path()), SmallWorld::query(3)));
}

TEST(AsOf, ASelfCitationMovesNothing) {
  const TempFolder before, after;
  SmallWorld world;
  const Answer plain = answer(world.build(before.path()), SmallWorld::query(3));
  const Paper own = citing_paper("query", 2018);
  world.citing_only.push_back(own);
  world.citations.push_back(SmallWorld::make_citation(own, world.papers[4], 10, 5));
  expect_equal(plain, answer(world.build(after.path()), SmallWorld::query(3)));
}

TEST(AsOf, AnEarlierCopyOfTheQueryDoesNotVoteOrCount) {
  // The same paper under another id, listed a year earlier: found by its title. What it cites must gain
  // nothing.
  const TempFolder folder;
  SmallWorld world;
  Paper copy = citing_paper("query", 2017);
  copy.id = PaperId("preprint");
  world.citing_only.push_back(copy);
  world.citations.push_back(SmallWorld::make_citation(copy, world.papers[4], 10, 5));
  const Resources resources = world.build(folder.path());
  const DocId cited = *resources.snapshot().find(world.papers[4].id.str());
  const Query query = SmallWorld::query(3);
  const QueryContext context = make_context(resources, query);
  ASSERT_EQ(context.horizon.hidden.size(), 1U);
  EXPECT_EQ(context.cited(cited).citing + 1, context.statistics->cited[cited.value].citing);
  EXPECT_EQ(context.cited(cited).must + 1, context.statistics->cited[cited.value].must);
  for (const graph::Weighted& neighbour : context.by_text.neighbours) {
    EXPECT_NE(resources.snapshot().citing(neighbour.row).id, "preprint");
  }
  for (const char* const name : {"citance", "sentences", "neighbours", "cocitation"}) {
    const auto found = make_view(name)->prepare(context)->candidates(1000);
    for (const Scored& item : found) EXPECT_NE(item.doc, cited) << name;
  }
}

TEST(AsOf, NothingNewerThanTheCutoffComesBack) {
  const TempFolder folder;
  const Resources resources = SmallWorld().build(folder.path());
  Query query = SmallWorld::query(2);
  query.before = Date{2014, 0, 0};
  for (const DocId doc : answer(resources, query).docs) EXPECT_LT(resources.columns().year(doc), 2014);
}

TEST(AsOf, WithoutACutoffEverythingIsKnown) {
  const TempFolder folder;
  const Resources resources = SmallWorld().build(folder.path());
  Query query = SmallWorld::query(2);
  query.before.reset();
  const QueryContext context = make_context(resources, query);
  EXPECT_EQ(context.as_of.documents, resources.snapshot().size());
  EXPECT_EQ(context.as_of.evidence, resources.snapshot().evidence_size());
  EXPECT_NE(context.latent.embedding, nullptr);
}

TEST(AsOf, LatentSpacesNeverSawTheFuture) {
  const TempFolder folder;
  const Resources resources = SmallWorld().build(folder.path());
  for (const int year : {2015, 2016, 2017, 2018, 2019}) {
    Query query = SmallWorld::query(1);
    query.before = Date{year, 0, 0};
    const QueryContext context = make_context(resources, query);
    if (year < 2016) {
      EXPECT_EQ(context.latent.lsi, nullptr);
    } else {
      ASSERT_NE(context.latent.lsi, nullptr) << year;
      EXPECT_LE(context.latent.lsi->span().fitted, context.as_of.documents);
      EXPECT_LE(context.latent.embedding->span().evidence, context.as_of.evidence);
    }
  }
}

TEST(Views, KnownAndExcludedDocumentsNeverComeBack) {
  const TempFolder folder;
  const SmallWorld world;
  const Resources resources = world.build(folder.path());
  Query query = SmallWorld::query(3);
  const Answer all = answer(resources, query);
  query.exclude.push_back(PaperId(std::string(resources.snapshot().document(all.docs[0]).id)));
  query.known.push_back(PaperId(std::string(resources.snapshot().document(all.docs[1]).id)));
  for (const DocId doc : answer(resources, query).docs) {
    EXPECT_NE(doc, all.docs[0]);
    EXPECT_NE(doc, all.docs[1]);
  }
}

TEST(Views, WorkOnACatalogWithoutCitations) {
  const TempFolder folder;
  SmallWorld world;
  world.citations.clear();
  const Resources resources = world.build(folder.path());
  EXPECT_FALSE(resources.has_evidence());
  Query query = SmallWorld::query(3);
  query.before.reset();
  EXPECT_FALSE(answer(resources, query).docs.empty());
}

}  // namespace
}  // namespace mustcite::rank
