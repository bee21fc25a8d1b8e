#include "engine/evaluate/slices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "engine/evaluate/evaluate.hpp"
#include "mustcite/error.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::evaluate {
namespace {

using ::testing::HasSubstr;

class Slices : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& text) {
    const auto path = folder_.path() / name;
    std::ofstream(path) << text;
    return path;
  }
  std::string refusal(const std::filesystem::path& path, const std::string& attribute) {
    try {
      (void)read_attributes(path, attribute);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  testing::TempFolder folder_;
};

TEST_F(Slices, AttributesComeFromTablesAndJsonLines) {
  const auto table = read_attributes(file("a.tsv", "id\tvenue\tyear\nq1\tUAI\t2022\nq2\t\t2021\n"), "venue");
  EXPECT_EQ(*table.find("q1"), "UAI");
  EXPECT_EQ(table.find("q2"), nullptr);
  const auto json = read_attributes(file("a.jsonl",
                                         "{\"_id\":\"q1\",\"year\":2022}\n\n{\"id\":\"q2\",\"metadata\":{"
                                         "\"year\":\"2021\"}}\n{\"id\":\"q3\"}\n"),
                                    "year");
  EXPECT_EQ(*json.find("q1"), "2022");
  EXPECT_EQ(*json.find("q2"), "2021");
  EXPECT_EQ(json.find("q3"), nullptr);
}

TEST_F(Slices, BrokenAttributeFilesAreRefusedWithTheirLine) {
  EXPECT_THAT(refusal(file("a", "id\tvenue\nq1\n"), "venue"),
              HasSubstr(":2 has 1 columns where the header has 2"));
  EXPECT_THAT(refusal(file("b", "id\tvenue\n"), "year"), HasSubstr(":1 has no column \"year\""));
  EXPECT_THAT(refusal(file("c", "{\"id\":\"a\",\"year\":1}\n{broken\n"), "year"),
              HasSubstr(":2 is not a JSON object"));
  EXPECT_THAT(refusal(file("d", "{\"year\":1}\n"), "year"), HasSubstr("neither `id` nor `_id`"));
  EXPECT_THAT(refusal(file("e", "{\"id\":\"a\"}\n"), "year"),
              HasSubstr("gives no id the attribute \"year\""));
}

TEST_F(Slices, BinsHoldWhatTheySayAndOverlapsAreRefused) {
  const auto bins = parse_bins("-3--1,0,1-4,5+");
  const auto bin = [&](const std::string& value) { return slice_of(&value, bins); };
  EXPECT_EQ(bin("-2"), "-3--1");
  EXPECT_EQ(bin("0"), "0");
  EXPECT_EQ(bin("4"), "1-4");
  EXPECT_EQ(bin("900"), "5+");
  EXPECT_EQ(bin("-9"), "(other)");
  EXPECT_EQ(bin("many"), "(unknown)");
  EXPECT_EQ(slice_of(nullptr, bins), "(unknown)");
  for (const char* wrong : {"", "5-1", "1,1", "1-4,3-5", "a", "1,,2", "5+,6"}) {
    EXPECT_THROW((void)parse_bins(wrong), Error) << wrong;
  }
}

TEST_F(Slices, WishesThatLackTheirFileOrAreUnknownAreRefused) {
  EXPECT_THROW((void)read_slicing("query:venue", {}), Error);
  EXPECT_THROW((void)read_slicing("popularity", {}), Error);
  EXPECT_THROW((void)read_slicing("venue", {}), Error);
  EXPECT_THROW((void)read_slicing("query:", {}), Error);
}

const char* const kRun =
    "q1 Q0 old 1 9 t\nq1 Q0 new 2 8 t\nq2 Q0 x 1 9 t\nq2 Q0 new 2 8 t\nq3 Q0 old 1 1 t\n";
const char* const kQrels = "q1 0 old 1\nq1 0 new 1\nq2 0 new 1\nq2 0 lost 1\nq3 0 new 1\n";

Report report_with(Slicing slicing) {
  const auto run = parse_run(TrecText::from_string(kRun), "r");
  const auto qrels = parse_qrels(TrecText::from_string(kQrels), "t");
  Options options;
  options.metrics = parse_metrics("MRR,Recall@1,Recall@10");
  options.slicings.push_back(std::move(slicing));
  return evaluate({&run, 1}, {&qrels, 1}, options);
}

TEST_F(Slices, QuerySlicesAreTheTableOfTheirQueries) {
  const AttributeFiles files{file("q.tsv", "id\tvenue\nq1\tUAI\nq2\tCOLT\nq3\tUAI\n"), {}, {}};
  const auto report = report_with(read_slicing("query:venue", files));
  ASSERT_EQ(report.tables.size(), 3u);
  EXPECT_EQ(report.tables[1].slice, "UAI");
  EXPECT_EQ(report.tables[1].queries, (std::vector<std::string>{"q1", "q3"}));
  EXPECT_DOUBLE_EQ(report.tables[1].cell(0, 0).mean, 0.5);  // q1: 1, q3: 0
  EXPECT_EQ(report.tables[2].slice, "COLT");
  EXPECT_DOUBLE_EQ(report.tables[2].cell(0, 0).mean, 0.5);  // q2: rank 2
  EXPECT_EQ(report.tables[1].relevant + report.tables[2].relevant, report.tables[0].relevant);
}

TEST_F(Slices, AgeSlicesRestrictRecallToTheirDocuments) {
  const AttributeFiles files{
      file("q.tsv", "id\tyear\nq1\t2022\nq2\t2022\nq3\t2022\n"),
      file("d.jsonl", "{\"_id\":\"old\",\"year\":2012}\n{\"_id\":\"new\",\"year\":2021}\n"),
      {}};
  const auto report = report_with(read_slicing("age=0-1,2+", files));
  ASSERT_EQ(report.tables.size(), 4u);
  const Table& recent = report.tables[1];
  EXPECT_EQ(recent.slice, "0-1");
  EXPECT_EQ(recent.metrics.size(), 2u);  // MRR means nothing there
  EXPECT_EQ(recent.queries.size(), 3u);
  EXPECT_DOUBLE_EQ(recent.cell(0, 0).mean, 0.0);      // `new` is never first
  EXPECT_DOUBLE_EQ(recent.cell(0, 1).mean, 2.0 / 3);  // q1 and q2 find it, q3 does not
  EXPECT_EQ(report.tables[2].slice, "2+");
  EXPECT_EQ(report.tables[2].queries, (std::vector<std::string>{"q1"}));
  EXPECT_DOUBLE_EQ(report.tables[2].cell(0, 0).mean, 1.0);
  EXPECT_EQ(report.tables[3].slice, "(unknown)");  // `lost` has no year
}

TEST_F(Slices, PopularityCountsTheEvidence) {
  const auto evidence = file("train.tsv", "p1 0 new 1\np2 0 new 1\np3 0 old 0\n");
  const auto report = report_with(read_slicing("popularity=0,1,2+", {{}, {}, evidence}));
  ASSERT_EQ(report.tables.size(), 3u);
  EXPECT_EQ(report.tables[1].slice, "0");  // old (judged 0 there) and lost
  EXPECT_EQ(report.tables[1].relevant, 2u);
  EXPECT_EQ(report.tables[2].slice, "2+");
  EXPECT_EQ(report.tables[2].relevant, 3u);
}

TEST_F(Slices, DocumentSlicesNeedARecallMetric) {
  const auto run = parse_run(TrecText::from_string(kRun), "r");
  const auto qrels = parse_qrels(TrecText::from_string(kQrels), "t");
  Options options;
  options.metrics = parse_metrics("MAP");
  options.slicings.push_back({Slicing::By::document, "x", {}, {}, {}});
  EXPECT_THROW((void)evaluate({&run, 1}, {&qrels, 1}, options), Error);
}

TEST_F(Slices, NumbersRiseAndNamesFallBySize) {
  std::vector<std::pair<std::string, std::size_t>> years{{"2022", 9}, {"(unknown)", 1}, {"2018", 2}};
  order_slices(years, {});
  EXPECT_EQ(years[0].first, "2018");
  EXPECT_EQ(years[2].first, "(unknown)");
  std::vector<std::pair<std::string, std::size_t>> venues{{"ICML", 2}, {"COLT", 5}, {"ACML", 2}};
  order_slices(venues, {});
  EXPECT_EQ(venues[0].first, "COLT");
  EXPECT_EQ(venues[1].first, "ACML");
}

}  // namespace
}  // namespace mustcite::evaluate
