#include <gtest/gtest.h>

#include <fstream>

#include "core/io/file.hpp"
#include "engine/rank/combination.hpp"
#include "engine/rank/cross_reranker.hpp"
#include "engine/rank/pair_scores.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::rank {
namespace {

using mustcite::testing::TempFolder;

std::vector<std::uint32_t> docs_of(const std::vector<Scored>& list) {
  std::vector<std::uint32_t> docs;
  for (const auto& one : list) docs.push_back(one.doc.value);
  return docs;
}

TEST(Reorder, TheHeadFollowsItsScoresAndTheTailStaysBehind) {
  std::vector<Scored> list{{DocId{1}, 9}, {DocId{2}, 8}, {DocId{3}, 7}, {DocId{4}, 6.5F}, {DocId{5}, 6}};
  const std::vector<float> scores{-1, 2, 2};
  reorder(list, scores);
  EXPECT_EQ(docs_of(list), (std::vector<std::uint32_t>{2, 3, 1, 4, 5}));
  EXPECT_EQ(list[2].score, -1);
  EXPECT_EQ(list[3].score, -2);     // one below the head
  EXPECT_EQ(list[4].score, -2.5F);  // as far behind as before
}

TEST(Reorder, AnEmptyListStaysEmpty) {
  std::vector<Scored> list;
  reorder(list, {});
  EXPECT_TRUE(list.empty());
}

TEST(Combination, ItsColumnsAreThoseOfAHandComputedList) {
  // Method scores 3, 1: mean 2, spread 1. Cross scores 0, 4: mean 2, spread 2.
  const std::vector<Scored> list{{DocId{1}, 3}, {DocId{2}, 1}};
  const std::vector<float> cross{0, 4};
  const auto rows = combination_rows(list, cross);
  ASSERT_EQ(rows.size(), 2 * combination_columns().size());
  const float log3 = std::log2(3.0F);
  const std::vector<float> expected{3, 1, 1, 0, -1, log3, -1, 1, -1, log3, 4, 1, 1, -1};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(rows[i], expected[i], 1e-5) << i;
}

TEST(Combination, ListsWithoutSpreadGiveFiniteColumns) {
  const std::vector<Scored> list{{DocId{1}, 3}};
  const std::vector<float> cross{2};
  for (const float value : combination_rows(list, cross)) EXPECT_TRUE(std::isfinite(value));
  EXPECT_TRUE(combination_rows({}, {}).empty());
}

Combination some_combination() {
  Combination combination;
  combination.method = "mustcite";
  combination.depth = 50;
  combination.model_digest = "abc";
  combination.linear.weights.assign(combination_columns().size(), 0.25F);
  combination.linear.intercept = -1.5F;
  return combination;
}

TEST(Combination, WhatIsWrittenIsReadBack) {
  const TempFolder folder;
  const auto file = combination_file(folder.path(), "mustcite", Tier::must);
  EXPECT_FALSE(load_combination(file, "abc"));
  save_combination(some_combination(), file);
  const auto read = load_combination(file, "abc");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->depth, 50U);
  EXPECT_EQ(read->linear.weights, some_combination().linear.weights);
  EXPECT_EQ(read->linear.intercept, -1.5F);
}

TEST(Combination, OfOtherWeightsOrDamagedIsRefused) {
  const TempFolder folder;
  const auto file = combination_file(folder.path(), "bm25", Tier::must);
  save_combination(some_combination(), file);
  EXPECT_EQ(mustcite::testing::code_of([&] { (void)load_combination(file, "other"); }), ErrorCode::corrupt);
  io::write_file_atomically(file, "{\"kind\": 3");
  EXPECT_EQ(mustcite::testing::code_of([&] { (void)load_combination(file, "abc"); }), ErrorCode::corrupt);
}

TEST(PairScores, AnotherProcessGoesOnFromTheFile) {
  const TempFolder folder;
  const auto file = folder.path() / "scores.tsv";
  {
    PairScores scores(file, "model", "snapshot");
    scores.add("q1", 17, "d1", 0.1F);
    scores.add("q1", 17, "d2", -2.5e-7F);
    scores.flush();
  }
  // As a killed process leaves it.
  std::ofstream(file, std::ios::app) << "q1\t00000000";
  PairScores scores(file, "model", "snapshot");
  EXPECT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores.find(17, "d1"), 0.1F);
  EXPECT_EQ(scores.find(17, "d2"), -2.5e-7F);
  EXPECT_FALSE(scores.find(18, "d1"));
  scores.add("q2", 18, "d1", 4);
  scores.flush();
  EXPECT_EQ(PairScores(file, "model", "snapshot").size(), 3U);
}

TEST(PairScores, OfAnotherModelSnapshotOrKindAreRefused) {
  const TempFolder folder;
  const auto file = folder.path() / "scores.tsv";
  { const PairScores scores(file, "model", "snapshot"); }
  EXPECT_EQ(mustcite::testing::code_of([&] { PairScores(file, "other", "snapshot"); }),
            ErrorCode::invalid_input);
  EXPECT_EQ(mustcite::testing::code_of([&] { PairScores(file, "model", "other"); }),
            ErrorCode::invalid_input);
  io::write_file_atomically(file, "q1 Q0 d1 1 2.5 run\n");
  EXPECT_EQ(mustcite::testing::code_of([&] { PairScores(file, "model", "snapshot"); }),
            ErrorCode::invalid_input);
}

TEST(PairScores, ABrokenLineIsNamed) {
  const TempFolder folder;
  const auto file = folder.path() / "scores.tsv";
  { const PairScores scores(file, "model", "snapshot"); }
  std::ofstream(file, std::ios::app) << "q1\t0000000000000011\td1\tnan\n";
  EXPECT_EQ(mustcite::testing::code_of([&] { PairScores(file, "model", "snapshot"); }), ErrorCode::corrupt);
}

}  // namespace
}  // namespace mustcite::rank
