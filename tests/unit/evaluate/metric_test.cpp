#include "engine/evaluate/metric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/evaluate/evaluate.hpp"
#include "mustcite/error.hpp"

namespace mustcite::evaluate {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& names) {
  try {
    (void)parse_metrics(names);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "accepted";
}

TEST(ParseMetrics, TakesOurNamesAndTrecEvalsInAnyCase) {
  EXPECT_EQ(parse_metric("recall_100"), parse_metric("Recall@100"));
  EXPECT_EQ(parse_metric("ndcg_cut.10"), parse_metric("nDCG@10"));
  EXPECT_EQ(parse_metric("success_10"), parse_metric("HR@10"));
  EXPECT_EQ(parse_metric("Rprec"), parse_metric("R-precision"));
  EXPECT_EQ(parse_metric("recip_rank"), parse_metric("mrr"));
  EXPECT_EQ(parse_metric("map_cut_5"), parse_metric("MAP@5"));
  EXPECT_EQ(parse_metric("P_5").name(), "P@5");
  EXPECT_EQ(parse_metric("HR@10").trec_name(), "success_10");
  EXPECT_EQ(parse_metric("MRR@10").trec_name(), "");
}

TEST(ParseMetrics, BareNumbersRepeatTheMeasureAndRepeatedNamesAreKeptOnce) {
  const auto metrics = parse_metrics("MAP, nDCG@5,10,20, map,Recall@1000");
  ASSERT_EQ(metrics.size(), 5u);
  EXPECT_EQ(metrics[3].name(), "nDCG@20");
  EXPECT_EQ(metrics[4].name(), "Recall@1000");
}

TEST(ParseMetrics, RefusesWhatItDoesNotKnowWithTheNearestName) {
  EXPECT_THAT(refusal("recal@10"), AllOf(HasSubstr("recal@10"), HasSubstr("Recall")));
  EXPECT_THAT(refusal("Recall"), HasSubstr("needs a cutoff"));
  EXPECT_THAT(refusal("nDCG@0"), HasSubstr("no usable cutoff"));
  EXPECT_THAT(refusal("P@ten"), HasSubstr("no usable cutoff"));
  EXPECT_THAT(refusal("bpref@10"), HasSubstr("takes no cutoff"));
  EXPECT_THAT(refusal(" , "), HasSubstr("no metric is named"));
}

/// Judges the list against the judgements; both as plain text files.
double score(const std::string& metric, const std::string& run_text, const std::string& qrels_text,
             MapDenominator denominator = MapDenominator::relevant) {
  const auto run = parse_run(TrecText::from_string(run_text), "run");
  const auto qrels = parse_qrels(TrecText::from_string(qrels_text), "qrels");
  Options options;
  options.metrics = parse_metrics(metric);
  options.map_denominator = denominator;
  return evaluate({&run, 1}, {&qrels, 1}, options).tables.at(0).cell(0, 0).mean;
}

// Found at ranks 1 and 3; five are relevant.
const std::string kRun = "q Q0 a 1 9 t\nq Q0 x 2 8 t\nq Q0 b 3 7 t\nq Q0 y 4 6 t\n";
const std::string kQrels = "q 0 a 1\nq 0 b 1\nq 0 c 1\nq 0 d 1\nq 0 e 1\nq 0 x 0\n";

TEST(Metrics, MatchValuesWorkedByHand) {
  EXPECT_DOUBLE_EQ(score("MAP", kRun, kQrels), (1.0 + 2.0 / 3) / 5);
  EXPECT_DOUBLE_EQ(score("MAP@2", kRun, kQrels), 1.0 / 5);
  EXPECT_DOUBLE_EQ(score("MRR", kRun, kQrels), 1.0);
  EXPECT_DOUBLE_EQ(score("Recall@3", kRun, kQrels), 2.0 / 5);
  EXPECT_DOUBLE_EQ(score("P@10", kRun, kQrels), 2.0 / 10);
  EXPECT_DOUBLE_EQ(score("HR@1", kRun, kQrels), 1.0);
  EXPECT_DOUBLE_EQ(score("R-precision", kRun, kQrels), 2.0 / 5);
  EXPECT_DOUBLE_EQ(score("nDCG@3", kRun, kQrels), (1 + 0.5) / (1 + 1 / std::log2(3.0) + 0.5));
}

TEST(Metrics, MapAtKDividesByTheSmallerOfKAndRelevantWhenAsked) {
  EXPECT_DOUBLE_EQ(score("MAP@2", kRun, kQrels, MapDenominator::capped), 1.0 / 2);
  EXPECT_DOUBLE_EQ(score("MAP@100", kRun, kQrels, MapDenominator::capped), (1.0 + 2.0 / 3) / 5);
  EXPECT_THAT(parse_metric("MAP@2").meaning(MapDenominator::capped, 1), HasSubstr("the smaller of 2"));
  EXPECT_THAT(parse_metric("MAP@2").meaning(MapDenominator::relevant, 1),
              HasSubstr("by the number of relevant"));
}

TEST(Metrics, MrrAtKIsZeroBeyondK) {
  const std::string qrels = "q 0 b 1\n";
  EXPECT_DOUBLE_EQ(score("MRR@3", kRun, qrels), 1.0 / 3);
  EXPECT_DOUBLE_EQ(score("MRR@2", kRun, qrels), 0.0);
}

TEST(Metrics, NdcgTakesTheJudgementAsGain) {
  // DCG: 1/1 + 3/2; ideal: 3/1 + 1/log2(3).
  EXPECT_DOUBLE_EQ(score("nDCG", kRun, "q 0 a 1\nq 0 b 3\n"), 2.5 / (3 + 1 / std::log2(3.0)));
}

TEST(Metrics, QueriesJudgedWithoutARelevantDocumentAreZeroEvenWhenAllJudgementsAreNegative) {
  for (const char* metric : {"MAP", "nDCG", "nDCG@10", "Recall@10", "R-precision", "bpref", "HR@1"}) {
    EXPECT_EQ(score(metric, kRun, "q 0 a -1\nq 0 b -2\n"), 0.0) << metric;
  }
}

}  // namespace
}  // namespace mustcite::evaluate
