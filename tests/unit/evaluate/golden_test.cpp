// Values of pytrec_eval (trec_eval's own code), made by tests/golden/evaluate/make_golden.py.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "engine/evaluate/evaluate.hpp"

namespace mustcite::evaluate {
namespace {

const std::string kFolder = std::string(MUSTCITE_SOURCE_DIR) + "/tests/golden/evaluate/";

/// trec_eval's name and query → value, for one relevance level.
std::map<std::pair<std::string, std::string>, double> golden_values(int level) {
  std::ifstream in(kFolder + "values.tsv");
  std::map<std::pair<std::string, std::string>, double> values;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream columns(line);
    int its_level = 0;
    std::string query, measure, value;
    columns >> its_level >> query >> measure >> value;
    if (its_level == level) values[{query, measure}] = std::strtod(value.c_str(), nullptr);
  }
  return values;
}

class Golden : public ::testing::TestWithParam<int> {};

TEST_P(Golden, EveryValueIsTheDoubleThatTrecEvalComputes) {
  const auto expected = golden_values(GetParam());
  ASSERT_GT(expected.size(), 1000u);
  const auto run = read_run(kFolder + "run.trec");
  const auto qrels = read_qrels(kFolder + "qrels.trec");
  Options options;
  options.relevance_level = GetParam();
  options.metrics = parse_metrics(
      "map,recip_rank,ndcg,Rprec,bpref,ndcg_cut_1,3,5,10,20,100,recall_1,3,5,10,20,100,success_1,3,5,10,20,"
      "100,"
      "P_1,3,5,10,20,100,map_cut_1,3,5,10,20,100");
  ASSERT_EQ(options.metrics.size(), 35u);
  const auto report = evaluate({&run, 1}, {&qrels, 1}, options);
  const Table& table = report.tables.at(0);
  std::size_t compared = 0;
  for (std::size_t q = 0; q < table.queries.size(); ++q) {
    for (std::size_t m = 0; m < table.metrics.size(); ++m) {
      const auto found = expected.find({table.queries[q], table.metrics[m].trec_name()});
      if (found == expected.end()) {
        // pytrec_eval leaves out what the run does not answer.
        EXPECT_EQ(run.find(table.queries[q]), nullptr)
            << table.queries[q] << " " << table.metrics[m].trec_name();
        EXPECT_EQ(table.value(q, 0, m), 0.0);
        continue;
      }
      ++compared;
      EXPECT_EQ(table.value(q, 0, m), found->second) << table.queries[q] << " " << found->first.second;
    }
  }
  EXPECT_EQ(compared, expected.size());
}

INSTANTIATE_TEST_SUITE_P(RelevanceLevels, Golden, ::testing::Values(1, 2));

TEST(GoldenFiles, HoldQueriesThatOnlyOneSideKnows) {
  const auto run = read_run(kFolder + "run.trec");
  const auto qrels = read_qrels(kFolder + "qrels.trec");
  const auto report = evaluate({&run, 1}, {&qrels, 1}, {});
  EXPECT_EQ(report.coverage.at(0).missing, 2u);  // q3, q11
  EXPECT_EQ(report.coverage.at(0).answered, 41u);
}

}  // namespace
}  // namespace mustcite::evaluate
