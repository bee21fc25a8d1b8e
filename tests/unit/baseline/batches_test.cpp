#include "engine/baseline/batches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace mustcite::baseline {
namespace {

std::vector<DocId> docs(std::initializer_list<std::uint32_t> rows) {
  std::vector<DocId> result;
  for (const auto row : rows) result.push_back(DocId{row});
  return result;
}

Example example(std::uint32_t older, std::vector<DocId> positives, std::vector<DocId> also_known) {
  Example result;
  result.older = older;
  result.as_of = {older, older};
  result.positives = positives;
  result.known = std::move(positives);
  result.known.insert(result.known.end(), also_known.begin(), also_known.end());
  std::sort(result.known.begin(), result.known.end());
  return result;
}

std::vector<Example> small() {
  return {example(10, docs({1, 2}), docs({3})), example(10, docs({4}), docs({})),
          example(5, docs({0}), docs({2})), example(5, docs({1}), docs({}))};
}

TEST(PlanEpoch, ShowsEachExampleOnceAndTellsRightFromWrongFromUnknown) {
  const auto examples = small();
  const std::vector<std::vector<DocId>> hard{docs({8, 9}), docs({8}), docs({4}), docs({})};
  std::multiset<std::size_t> seen;
  for (const auto& plan : plan_epoch(examples, hard, {3, 1, 1, 1, 7}, 0)) {
    ASSERT_EQ(plan.levels.size(), plan.examples.size() * plan.documents.size());
    EXPECT_TRUE(std::is_sorted(plan.documents.begin(), plan.documents.end()));
    for (std::size_t q = 0; q < plan.examples.size(); ++q) {
      seen.insert(plan.examples[q]);
      const Example& e = examples[plan.examples[q]];
      for (std::size_t d = 0; d < plan.documents.size(); ++d) {
        const DocId doc = plan.documents[d];
        const auto is_in = [&](const std::vector<DocId>& list) {
          return std::find(list.begin(), list.end(), doc) != list.end();
        };
        const auto level = plan.levels[q * plan.documents.size() + d];
        if (is_in(e.positives)) {
          EXPECT_EQ(level, Level::positive);
        } else if (is_in(e.known) || doc.value >= e.older) {
          EXPECT_EQ(level, Level::ignored);
        } else {
          EXPECT_EQ(level, is_in(hard[plan.examples[q]]) ? Level::hard : Level::easy);
        }
      }
    }
  }
  EXPECT_EQ(seen, (std::multiset<std::size_t>{0, 1, 2, 3}));
}

TEST(PlanEpoch, IsTheSameForSeedAndEpochAndAnotherForOthers) {
  const auto examples = small();
  const auto order = [&](std::uint64_t seed, std::size_t epoch) {
    std::vector<std::size_t> all;
    for (const auto& plan : plan_epoch(examples, {}, {1, 1, 0, 0, seed}, epoch))
      all.push_back(plan.examples[0]);
    return all;
  };
  EXPECT_EQ(order(1, 0), order(1, 0));
  std::set<std::vector<std::size_t>> different;
  for (std::size_t epoch = 0; epoch < 10; ++epoch) different.insert(order(1, epoch));
  EXPECT_GT(different.size(), 3U);
}

TEST(PlanEpoch, BatchesOfEqualDatesMixNoTwo) {
  const auto examples = small();
  DrawOptions options;
  options.batch = 4;
  options.dates = DrawOptions::Dates::equal;
  const auto plans = plan_epoch(examples, {}, options, 0);
  EXPECT_EQ(plans.size(), 2U);
  for (const auto& plan : plans) {
    for (const auto i : plan.examples) EXPECT_EQ(examples[i].older, examples[plan.examples[0]].older);
  }
}

TEST(DrawnDocuments, AreHalfCitedAndNeverRepeated) {
  const auto examples = small();
  const auto rows = drawn_documents(examples, 1000, 6, 3, 0);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_TRUE(std::adjacent_find(rows.begin(), rows.end()) == rows.end());
  EXPECT_GE(std::count_if(rows.begin(), rows.end(), [](DocId doc) { return doc.value <= 4; }), 3);
  EXPECT_EQ(drawn_documents(examples, 10, 0, 3, 0).size(), 10U);
}

TEST(BestUncited, LeavesOutWhatIsCitedOrNotOlder) {
  const std::vector<float> scores{5, 9, 7, 7, 1, 8};
  const auto documents = docs({0, 1, 2, 3, 4, 12});
  EXPECT_EQ(best_uncited(scores, documents, example(10, docs({1}), docs({})), 3), docs({2, 3, 0}));
  EXPECT_TRUE(best_uncited(scores, documents, example(0, docs({}), docs({})), 3).empty());
}

TEST(RateAt, RisesThenFalls) {
  EXPECT_NEAR(rate_at(1, 0.025), 0.5, 1e-9);
  EXPECT_NEAR(rate_at(1, 0.05), 1, 1e-9);
  EXPECT_NEAR(rate_at(1, 1), 0.05, 1e-9);
}

}  // namespace
}  // namespace mustcite::baseline
