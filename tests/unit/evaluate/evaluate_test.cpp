#include "engine/evaluate/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mustcite/error.hpp"

namespace mustcite::evaluate {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

RunFile run_of(const std::string& name, const std::string& text) {
  return parse_run(TrecText::from_string(text), name);
}
Qrels qrels_of(const std::string& name, const std::string& text) {
  return parse_qrels(TrecText::from_string(text), name);
}

/// Fifty queries with one relevant document each: `good` finds all first, `poor` at rank 2.
struct Contest {
  std::vector<RunFile> runs;
  std::vector<Qrels> qrels;
  Contest() {
    std::string good, poor, judged;
    for (int q = 0; q < 50; ++q) {
      std::string id = "q";
      id += std::to_string(q);
      good += id + " Q0 yes 1 2 t\n" + id + " Q0 no 2 1 t\n";
      poor += id + " Q0 no 1 2 t\n" + id + " Q0 yes 2 1 t\n";
      judged += id + " 0 yes 1\n";
    }
    runs.push_back(run_of("poor", poor));
    runs.push_back(run_of("good", good));
    qrels.push_back(qrels_of("tier", judged));
  }
};

TEST(Evaluate, QueriesWithoutAnAnswerCountAsZeroAndAreReported) {
  const auto run = run_of("r", "q1 Q0 a 1 1 t\nq9 Q0 a 1 1 t\n");
  const auto qrels = qrels_of("t", "q1 0 a 1\nq2 0 a 1\nq3 0 b 0\n");
  const auto report = evaluate({&run, 1}, {&qrels, 1}, {});
  EXPECT_DOUBLE_EQ(report.tables.at(0).cell(0, 0).mean, 1.0 / 3);
  const auto& coverage = report.coverage.at(0);
  EXPECT_EQ(coverage.answered, 1u);
  EXPECT_EQ(coverage.missing, 2u);
  EXPECT_EQ(coverage.unjudged, 1u);
  EXPECT_THAT(report.notes,
              Contains(HasSubstr("2 of 3 queries of t have no answer and count as zero (q2, q3)")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("1 answered queries are not judged in t")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("1 queries have no relevant paper")));
}

TEST(Evaluate, RefusesARunThatAnswersNoJudgedQuery) {
  const auto run = run_of("r", "other Q0 a 1 1 t\n");
  const auto qrels = qrels_of("t", "q1 0 a 1\n");
  try {
    (void)evaluate({&run, 1}, {&qrels, 1}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_input);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("\"other\""), HasSubstr("\"q1\"")));
  }
}

TEST(Evaluate, RefusesNothingToDoAndLevelsBelowOne) {
  const Contest contest;
  EXPECT_THROW((void)evaluate({}, contest.qrels, {}), Error);
  EXPECT_THROW((void)evaluate(contest.runs, {}, {}), Error);
  Options options;
  options.relevance_level = 0;
  EXPECT_THROW((void)evaluate(contest.runs, contest.qrels, options), Error);
}

TEST(Evaluate, JudgedDocumentsThatNoRunReturnsOnlyLowerRecall) {
  const auto run = run_of("r", "q Q0 a 1 1 t\n");
  const auto qrels = qrels_of("t", "q 0 a 1\nq 0 nowhere 1\n");
  Options options;
  options.metrics = parse_metrics("Recall@10");
  EXPECT_DOUBLE_EQ(evaluate({&run, 1}, {&qrels, 1}, options).tables.at(0).cell(0, 0).mean, 0.5);
}

TEST(Evaluate, RunsOfTheSameNameAreToldApart) {
  std::vector<RunFile> runs;
  runs.push_back(run_of("a/bm25.trec", "q Q0 a 1 1 t\n"));
  runs.push_back(run_of("b/bm25.trec", "q Q0 a 1 1 t\n"));
  const auto qrels = qrels_of("t", "q 0 a 1\n");
  const auto report = evaluate(runs, {&qrels, 1}, {});
  EXPECT_EQ(report.runs, (std::vector<std::string>{"bm25", "bm25 (2)"}));
}

TEST(Compare, MarksTheBetterRunAndLeavesTheBaselineUntested) {
  const Contest contest;
  Options options;
  options.metrics = parse_metrics("MRR,HR@10");
  auto report = evaluate(contest.runs, contest.qrels, options);
  compare(report, {});
  const Table& table = report.tables.at(0);
  EXPECT_FALSE(table.cell(0, 0).test.has_value());
  ASSERT_TRUE(table.cell(1, 0).test.has_value());
  EXPECT_DOUBLE_EQ(table.cell(1, 0).test->difference, 0.5);
  EXPECT_DOUBLE_EQ(table.cell(1, 0).test->p, 1.0 / 10001);
  EXPECT_DOUBLE_EQ(table.cell(1, 0).test->corrected, 2.0 / 10001);
  EXPECT_EQ(table.cell(1, 1).test->p, 1.0);  // both find it among ten
  EXPECT_EQ(table.cell(1, 0).interval->low, 1.0);
  EXPECT_THAT(render(report, {}), HasSubstr("1.0000↑↑"));
}

TEST(Compare, AnotherBaselineTurnsTheMarks) {
  const Contest contest;
  auto report = evaluate(contest.runs, contest.qrels, {});
  CompareOptions options;
  options.baseline = "good";
  compare(report, options);
  EXPECT_THAT(render(report, {}), HasSubstr("0.5000↓↓"));
}

TEST(Compare, RefusesAnUnknownBaselineWithTheNearestName) {
  const Contest contest;
  auto report = evaluate(contest.runs, contest.qrels, {});
  CompareOptions options;
  options.baseline = "goood";
  try {
    compare(report, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(), HasSubstr("did you mean good?"));
  }
}

TEST(Compare, AllNumbersAreTheSameOnAnyNumberOfThreads) {
  const Contest contest;
  const auto text = [&](std::size_t threads) {
    Options options;
    options.threads = threads;
    auto report = evaluate(contest.runs, contest.qrels, options);
    CompareOptions comparison;
    comparison.threads = threads;
    compare(report, comparison);
    RenderOptions rendering;
    rendering.format = Format::json;
    return render(report, rendering);
  };
  EXPECT_EQ(text(1), text(5));
}

}  // namespace
}  // namespace mustcite::evaluate
