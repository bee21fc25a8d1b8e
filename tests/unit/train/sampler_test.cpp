#include "engine/train/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/train/demo_world.hpp"

namespace mustcite::train {
namespace {

class DemoExamples : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing::TempFolder();
    test::DemoWorld().build(folder_->path());
    snapshot_ = new snapshot::Snapshot(snapshot::Snapshot::open(folder_->path()));
    text_ = new index::SparseIndex(index::SparseIndex::open(folder_->path() / "text", snapshot_->digest()));
  }
  static void TearDownTestSuite() {
    delete text_;
    delete snapshot_;
    delete folder_;
  }

  static std::vector<Example> examples(NegativeSource source, Tier tier = Tier::all) {
    ExampleReport report;
    auto all = make_examples(*snapshot_, tier, 0, 0, report);
    NegativeOptions options;
    options.source = source;
    options.first_rank = 1;
    options.last_rank = 20;
    SilentProgress progress;
    mine_negatives(*snapshot_, *text_, options, all, report, progress);
    return all;
  }

  static testing::TempFolder* folder_;
  static snapshot::Snapshot* snapshot_;
  static index::SparseIndex* text_;
};

testing::TempFolder* DemoExamples::folder_ = nullptr;
snapshot::Snapshot* DemoExamples::snapshot_ = nullptr;
index::SparseIndex* DemoExamples::text_ = nullptr;

TEST_F(DemoExamples, CitingPapersAddUp) {
  ExampleReport report;
  const auto all = make_examples(*snapshot_, Tier::all, 2010, 2015, report);
  EXPECT_EQ(report.citing, snapshot_->citing_size());
  EXPECT_EQ(report.citing,
            report.examples + report.of_other_years + report.without_abstract + report.without_positive);
  EXPECT_EQ(all.size(), report.examples);
  EXPECT_GT(report.examples, 10U);
  EXPECT_GT(report.of_other_years, 10U);
}

TEST_F(DemoExamples, PositivesAreStrictlyOlderAndCited) {
  for (const auto& example : examples(NegativeSource::none)) {
    ASSERT_FALSE(example.positives.empty());
    for (const DocId doc : example.positives) {
      EXPECT_LT(doc.value, example.older);
      EXPECT_TRUE(std::binary_search(example.known.begin(), example.known.end(), doc));
    }
  }
}

TEST_F(DemoExamples, ATierKeepsOnlyItsCitations) {
  std::size_t all = 0;
  std::size_t often = 0;
  for (const auto& example : examples(NegativeSource::none, Tier::all)) all += example.positives.size();
  for (const auto& example : examples(NegativeSource::none, Tier::type3)) often += example.positives.size();
  EXPECT_GT(often, 0U);
  EXPECT_LT(often, all);
}

TEST_F(DemoExamples, HardNegativesAreNeverNewerThanTheQueryNorKnown) {
  for (const auto source : {NegativeSource::bm25, NegativeSource::second_order}) {
    std::size_t negatives = 0;
    for (const auto& example : examples(source)) {
      for (const DocId doc : example.negatives) {
        EXPECT_LT(doc.value, example.older);
        EXPECT_FALSE(std::binary_search(example.known.begin(), example.known.end(), doc));
        ++negatives;
      }
    }
    EXPECT_GT(negatives, 100U);
  }
}

TEST_F(DemoExamples, RanksOfARunCountOnlyPapersThatMayBeNegatives) {
  auto all = examples(NegativeSource::none);
  // A query that cites something; ranked: what it cites, then two old papers that it does not cite.
  auto& example = all.back();
  std::vector<std::string> others;
  for (std::uint32_t i = 0; i < example.older && others.size() < 3; ++i) {
    if (!std::binary_search(example.known.begin(), example.known.end(), DocId{i})) {
      others.emplace_back(snapshot_->document(DocId{i}).id);
    }
  }
  ASSERT_EQ(others.size(), 3U);
  Rankings rankings;
  rankings[example.id] = {{std::string(snapshot_->document(example.positives[0]).id), 5},
                          {others[0], 4},
                          {"unknown", 3},
                          {others[1], 2},
                          {others[2], 1}};
  NegativeOptions options;
  options.source = NegativeSource::run;
  options.first_rank = 2;
  options.last_rank = 2;
  options.rankings = &rankings;
  ExampleReport report;
  SilentProgress progress;
  mine_negatives(*snapshot_, *text_, options, all, report, progress);
  ASSERT_EQ(example.negatives.size(), 1U);
  EXPECT_EQ(snapshot_->document(example.negatives[0]).id, others[1]);
  EXPECT_EQ(report.without_negative, all.size() - 1);
  EXPECT_EQ(example.score_of(example.positives[0]), 5);
  EXPECT_EQ(example.score_of(*snapshot_->find(others[1])), 2);
}

TEST_F(DemoExamples, OnlyListedPositivesCountWhereARunsScoresDo) {
  auto all = examples(NegativeSource::none);
  const auto more =
      std::find_if(all.begin(), all.end(), [](const Example& e) { return e.positives.size() > 1; });
  ASSERT_NE(more, all.end());
  const DocId listed = more->positives[1];
  Rankings rankings;
  rankings[more->id] = {{std::string(snapshot_->document(listed).id), 1}};
  NegativeOptions options;
  options.source = NegativeSource::run;
  options.rankings = &rankings;
  options.listed_positives = true;
  ExampleReport report;
  SilentProgress progress;
  mine_negatives(*snapshot_, *text_, options, all, report, progress);
  EXPECT_EQ(more->positives, (std::vector<DocId>{listed}));
  EXPECT_EQ(report.without_listed, all.size() - 1);
}

TEST_F(DemoExamples, AnEpochShowsEveryExampleOnce) {
  const auto all = examples(NegativeSource::bm25);
  const Sampler sampler(all, {Loss::nt_xent, 16, 2, 2, 7});
  std::multiset<std::size_t> seen;
  for (const auto& plan : sampler.epoch(3)) {
    EXPECT_LE(plan.examples.size(), 16U);
    seen.insert(plan.examples.begin(), plan.examples.end());
  }
  EXPECT_EQ(seen.size(), all.size());
  EXPECT_EQ(std::set<std::size_t>(seen.begin(), seen.end()).size(), all.size());
}

TEST_F(DemoExamples, ADocumentStandsInAsManyBatchesAsItsChanceSays) {
  const auto all = examples(NegativeSource::bm25);
  const Sampler sampler(all, {Loss::nt_xent, 8, 1, 1, 7});
  std::map<DocId, double> chances;
  std::map<DocId, double> seen;
  double batches = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    for (const auto& plan : sampler.epoch(number)) {
      ++batches;
      ASSERT_EQ(plan.log_chances.size(), plan.documents.size());
      for (std::size_t d = 0; d < plan.documents.size(); ++d) {
        EXPECT_LE(plan.log_chances[d], 0);
        if (plan.log_chances[d] == 0) continue;
        chances[plan.documents[d]] = std::exp(plan.log_chances[d]);
        ++seen[plan.documents[d]];
      }
    }
  }
  double expected = 0;
  double observed = 0;
  for (const auto& [doc, chance] : chances) {
    if (chance > 0.1) continue;  // those may be drawn twice by one batch
    expected += chance * batches;
    observed += seen.at(doc);
  }
  EXPECT_GT(expected, 1000);
  EXPECT_NEAR(observed / expected, 1, 0.1);
}

TEST_F(DemoExamples, NoPaperStandsTwiceInABatch) {
  const auto all = examples(NegativeSource::bm25);
  const Sampler sampler(all, {Loss::nt_xent, 32, 3, 3, 7});
  for (const auto& plan : sampler.epoch(0)) {
    std::set<DocId> papers(plan.documents.begin(), plan.documents.end());
    EXPECT_EQ(papers.size(), plan.documents.size());
    for (const std::size_t i : plan.examples) {
      if (all[i].paper != snapshot::kNoDoc) {
        EXPECT_TRUE(papers.insert(all[i].paper).second);
      }
    }
  }
}

TEST_F(DemoExamples, WhatAQueryCitesOrCannotKnowIsNeverItsNegative) {
  const auto all = examples(NegativeSource::bm25, Tier::type3);
  const Sampler sampler(all, {Loss::nt_xent, 16, 1, 2, 7});
  std::size_t known = 0;
  for (const auto& plan : sampler.epoch(0)) {
    ASSERT_EQ(plan.positive.size(), plan.examples.size() * plan.documents.size());
    for (std::size_t q = 0; q < plan.examples.size(); ++q) {
      const Example& example = all[plan.examples[q]];
      bool any = false;
      for (std::size_t d = 0; d < plan.documents.size(); ++d) {
        const DocId doc = plan.documents[d];
        const bool positive = plan.positive[q * plan.documents.size() + d] != 0;
        const bool ignored = plan.ignored[q * plan.documents.size() + d] != 0;
        any |= positive;
        EXPECT_FALSE(positive && ignored);
        if (!positive && !ignored) {
          EXPECT_FALSE(std::binary_search(example.known.begin(), example.known.end(), doc));
          EXPECT_LT(doc.value, example.older);
        }
        known += ignored ? 1 : 0;
      }
      EXPECT_TRUE(any);
    }
  }
  EXPECT_GT(known, 0U);
}

TEST_F(DemoExamples, AnEpochIsTheSameWheneverItIsAskedForAndDiffersFromOthers) {
  const auto all = examples(NegativeSource::bm25);
  const Sampler sampler(all, {Loss::nt_xent, 16, 1, 1, 7});
  const auto first = sampler.epoch(0);
  static_cast<void>(sampler.epoch(1));
  const auto again = sampler.epoch(0);
  ASSERT_EQ(first.size(), again.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].examples, again[i].examples);
    EXPECT_EQ(first[i].documents, again[i].documents);
  }
  EXPECT_NE(first[0].examples, sampler.epoch(1)[0].examples);
}

TEST_F(DemoExamples, QuadrupletsHaveTwoDifferentPositivesAndANegative) {
  const auto all = examples(NegativeSource::bm25);
  const Sampler sampler(all, {Loss::quadruplet, 8, 2, 3, 7});
  EXPECT_LT(sampler.usable(), all.size());  // some cite one paper only
  for (const auto& plan : sampler.epoch(0)) {
    EXPECT_EQ(plan.tuples.size(), 3 * plan.examples.size());
    for (const auto& tuple : plan.tuples) {
      const Example& example = all[plan.examples[tuple.query]];
      const auto among = [&](const std::vector<DocId>& docs, std::uint32_t place) {
        return std::find(docs.begin(), docs.end(), plan.documents[place]) != docs.end();
      };
      EXPECT_NE(tuple.first, tuple.second);
      EXPECT_TRUE(among(example.positives, tuple.first));
      EXPECT_TRUE(among(example.positives, tuple.second));
      EXPECT_TRUE(among(example.negatives, tuple.negative));
    }
  }
}

TEST_F(DemoExamples, ALossThatNothingFitsIsRefused) {
  const auto all = examples(NegativeSource::none);
  EXPECT_EQ(testing::code_of([&] {
              const Sampler sampler(all, {Loss::triplet, 8, 1, 1, 7});
            }),
            ErrorCode::invalid_input);
}

}  // namespace
}  // namespace mustcite::train
