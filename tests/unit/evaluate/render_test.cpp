#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/evaluate/evaluate.hpp"
#include "mustcite/error.hpp"

namespace mustcite::evaluate {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Report sample() {
  std::vector<RunFile> runs;
  runs.push_back(parse_run(TrecText::from_string("q1 Q0 a 1 2 t\nq2 Q0 b 1 2 t\n"), "bm25_plain"));
  runs.push_back(parse_run(TrecText::from_string("q1 Q0 a 1 2 t\nq2 Q0 a 1 2 t\n"), "x,\"y\""));
  const auto qrels = parse_qrels(TrecText::from_string("q1 0 a 1\nq2 0 a 1\n"), "type3");
  Options options;
  options.metrics = parse_metrics("MRR,Recall@100");
  auto report = evaluate(runs, {&qrels, 1}, options);
  CompareOptions comparison;
  comparison.resamples = 50;
  compare(report, comparison);
  return report;
}

std::string text(Format format) {
  RenderOptions options;
  options.format = format;
  return render(sample(), options);
}

TEST(Render, TerminalTableAlignsItsColumns) {
  RenderOptions options;
  options.intervals = false;
  EXPECT_THAT(render(sample(), options), StartsWith("type3: 2 queries, 2 relevant papers\n"
                                                    "run            MRR  Recall@100\n"
                                                    "bm25_plain  0.5000      0.5000\n"
                                                    "x,\"y\"       1.0000      1.0000\n"));
}

TEST(Render, MarkdownMarksTheBestAndShowsIntervals) {
  EXPECT_THAT(text(Format::markdown), HasSubstr("| run | MRR | Recall@100 |\n|---|---:|---:|\n"));
  EXPECT_THAT(text(Format::markdown), HasSubstr("| x,\"y\" | **1.0000 [1.0000, 1.0000]** |"));
}

TEST(Render, LatexEscapesNames) {
  EXPECT_THAT(text(Format::latex), HasSubstr("bm25\\_plain & 0.5000 {\\scriptsize ["));
  EXPECT_THAT(text(Format::latex), HasSubstr("\\textbf{1.0000"));
  EXPECT_THAT(text(Format::latex), HasSubstr("\\end{tabular}"));
}

TEST(Render, CsvQuotesNamesAndKeepsAllDigits) {
  EXPECT_THAT(text(Format::csv), HasSubstr("\ntype3,,,2,bm25_plain,MRR,0.5,"));
  EXPECT_THAT(text(Format::csv), HasSubstr("\"x,\"\"y\"\"\",MRR,1,1,1,0.5,1,1\n"));
}

TEST(Render, JsonHoldsMeansIntervalsAndTests) {
  const auto json = nlohmann::json::parse(text(Format::json));
  EXPECT_EQ(json.at("/tables/0/runs/1/values/Recall@100/mean"_json_pointer), 1.0);
  EXPECT_EQ(json.at("/tables/0/runs/1/values/MRR/difference"_json_pointer), 0.5);
  EXPECT_EQ(json.at("/comparison/baseline"_json_pointer), "bm25_plain");
  EXPECT_EQ(json.at("/metrics/1/trec_eval"_json_pointer), "recall_100");
  EXPECT_EQ(json.at("/coverage/0/answered"_json_pointer), 2);
}

TEST(Render, JsonSurvivesIdsThatAreNoUtf8) {
  const auto run = parse_run(TrecText::from_string("q\xff Q0 a 1 2 t\n"), "r");
  const auto qrels = parse_qrels(TrecText::from_string("q\xff 0 a 1\nz 0 a 1\n"), "t");
  RenderOptions options;
  options.format = Format::json;
  const auto report = evaluate({&run, 1}, {&qrels, 1}, {});
  EXPECT_FALSE(nlohmann::json::parse(render(report, options)).empty());
  EXPECT_FALSE(render_queries(report, options).empty());
}

TEST(Render, TrecLayoutHasTrecEvalsNamesAndWidth) {
  EXPECT_THAT(text(Format::trec), HasSubstr("recip_rank            \tall\t0.5000\n"));
  RenderOptions options;
  options.format = Format::trec;
  EXPECT_THAT(render_queries(sample(), options), StartsWith("recip_rank            \tq1\t1.0000\n"));
}

TEST(Render, QueriesAreListedOnePerLine) {
  EXPECT_THAT(render_queries(sample(), {}),
              StartsWith("qrels,query,run,metric,value\ntype3,q1,bm25_plain,MRR,1\n"));
}

TEST(Render, FormatsAreNamedAndOthersRefused) {
  EXPECT_EQ(parse_format("md"), Format::markdown);
  EXPECT_EQ(parse_format("json"), Format::json);
  EXPECT_THROW((void)parse_format("pdf"), Error);
}

}  // namespace
}  // namespace mustcite::evaluate
