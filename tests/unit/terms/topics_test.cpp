#include "engine/terms/topics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "unit/terms/small_collection.hpp"

namespace mustcite::terms {
namespace {

std::vector<std::pair<std::uint32_t, float>> pairs(const std::vector<TopicMention>& mentions) {
  std::vector<std::pair<std::uint32_t, float>> result;
  for (const auto& mention : mentions) result.emplace_back(mention.topic, mention.times);
  return result;
}

using Pairs = std::vector<std::pair<std::uint32_t, float>>;

TEST(Topics, TheLongestPhraseCountsAndItsWordsForNoOther) {
  const Topics topics({"neural networks", "graph neural network", "graph", "kernel"});
  EXPECT_EQ(pairs(topics.mentions("Graph neural networks and a neural network on a graph")),
            (Pairs{{0, 1}, {1, 1}, {2, 1}}));
}

TEST(Topics, ATitleCountsThreeTimesAndStemsHyphensAndCaseAreOne) {
  const Topics topics({"Few-shot learning", "kernel"});
  EXPECT_EQ(pairs(topics.mentions("FEW SHOT learning", "few-shot learned kernels, kernel")),
            (Pairs{{0, 4}, {1, 2}}));
}

TEST(Topics, TextsWithoutWordsOrTopicsNameNone) {
  const Topics topics({"kernel"});
  EXPECT_TRUE(topics.mentions("").empty());
  EXPECT_TRUE(topics.mentions("the of and").empty());
  EXPECT_TRUE(topics.mentions("!", "\xff\xfe").empty());
  EXPECT_TRUE(Topics({}).mentions("kernel", "kernel").empty());
}

TEST(Topics, FindsAPhraseByItsStems) {
  const Topics topics({"machine learning", "learning"});
  EXPECT_EQ(topics.find("Machine_Learning"), 0U);
  EXPECT_EQ(topics.find("learned"), 1U);
  EXPECT_EQ(topics.find("machine"), Topics::kNone);
  EXPECT_EQ(topics.find(""), Topics::kNone);
  EXPECT_EQ(topics.find("a much longer phrase than any topic"), Topics::kNone);
}

TEST(Topics, RefusesEmptyLongAndRepeatedPhrases) {
  EXPECT_THROW(Topics({"the"}), Error);
  EXPECT_THROW(Topics({"one two three four five six seven"}), Error);
  EXPECT_THROW(Topics({"network", "networks"}), Error);
}

TEST(ChooseTopics, TakesFrequentWordsAndPhrasesThatHoldTogether) {
  std::vector<std::pair<std::string, std::string>> papers;
  for (int i = 0; i < 6; ++i)
    papers.emplace_back("Gaussian processes for data set " + std::to_string(i), "x");
  for (int i = 0; i < 40; ++i) papers.emplace_back("Study number " + std::to_string(i) + " of data", "y");
  const auto snapshot = test::SmallCollection(papers).open();
  TopicChoice choice;
  choice.min_titles = 5;
  choice.most_share = 0.5;
  const auto topics = choose_topics(snapshot, choice);
  const auto has = [&](const std::string& one) {
    return std::find(topics.begin(), topics.end(), one) != topics.end();
  };
  EXPECT_TRUE(has("gaussian processes"));
  EXPECT_TRUE(has("gaussian"));
  // In all titles: says nothing. The digits are no words. "processes for data": split at the stop word.
  EXPECT_FALSE(has("data"));
  EXPECT_FALSE(has("0"));
  EXPECT_FALSE(has("processes data"));
}

TEST(ChooseTopics, SeesOnlyTheDocumentsGiven) {
  std::vector<std::pair<std::string, std::string>> papers;
  for (int i = 0; i < 30; ++i) papers.emplace_back(i % 2 == 0 ? "Kernels" : "Trees", "x");
  for (int i = 0; i < 9; ++i) papers.emplace_back("Transformers", "x");
  const auto snapshot = test::SmallCollection(papers).open();
  TopicChoice choice;
  choice.min_titles = 5;
  choice.most_share = 0.9;
  choice.documents = 30;
  const auto topics = choose_topics(snapshot, choice);
  EXPECT_EQ(topics, (std::vector<std::string>{"kernels", "trees"}));
}

TEST(TopicTable, CountsDocumentsAsOfARow) {
  const TopicTable table(3, {{{0, 1}}, {{0, 2}, {2, 1}}, {}, {{2, 5}}});
  EXPECT_EQ(table.rows(), 4U);
  EXPECT_EQ(table.frequencies(2), (std::vector<std::uint32_t>{2, 0, 1}));
  EXPECT_EQ(table.frequencies(4), (std::vector<std::uint32_t>{2, 0, 2}));
  EXPECT_EQ(table.frequencies(0), (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_TRUE(table.row(2).empty());
}

TEST(TopicTable, APaperWithAOneWordTitleIsReadLikeAnyOther) {
  const auto snapshot = test::SmallCollection({{"Kernels", "About trees"}, {"On", "nothing"}}).open();
  const TopicTable table(Topics({"kernel", "tree"}), snapshot);
  ASSERT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.row(0).size(), 2U);
  EXPECT_TRUE(table.row(1).empty());
}

TEST(MainTopics, WeighsByRarityAndAddsUpToOne) {
  const std::vector<TopicMention> mentions{{0, 1}, {1, 3}, {2, 1}};
  const std::vector<std::uint32_t> frequencies{99, 9, 9};
  // 99 documents: topic 0 is in all of them. ln(100 / 10) = 2.3026; topic 1 has 1 + ln 3 = 2.0986 of it.
  const auto main = main_topics(mentions, frequencies, 99, 8);
  ASSERT_EQ(main.size(), 2U);
  EXPECT_EQ(main[0].topic, 1U);
  EXPECT_NEAR(main[0].times, 2.0986 / 3.0986, 1e-4);
  EXPECT_NEAR(main[0].times + main[1].times, 1, 1e-6);
  EXPECT_EQ(main_topics(mentions, frequencies, 99, 1).size(), 1U);
  EXPECT_TRUE(main_topics({}, frequencies, 99, 8).empty());
}

}  // namespace
}  // namespace mustcite::terms
