#include "core/schema/trec.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "core/io/file.hpp"
#include "mustcite/error.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite {
namespace {

Run run_of(const std::vector<float>& scores, const std::string& name = "test") {
  RankedList list;
  list.query = QueryId("q1");
  for (std::size_t i = 0; i < scores.size(); ++i)
    list.papers.push_back({PaperId("d" + std::to_string(i)), scores[i]});
  return Run{name, {list}};
}

/// The scores as an evaluator reads them: with the C library, into a float.
std::vector<float> written_scores(const Run& run) {
  const testing::TempFolder folder;
  write_run(folder / "run.trec", run);
  std::istringstream lines(io::read_file(folder / "run.trec"));
  std::vector<float> scores;
  std::string query, zero, document, rank, score, tag;
  while (lines >> query >> zero >> document >> rank >> score >> tag)
    scores.push_back(std::strtof(score.c_str(), nullptr));
  return scores;
}

TEST(WriteRun, PrintsOneLineAPaperWithRanksFromOne) {
  const testing::TempFolder folder;
  write_run(folder / "run.trec", run_of({2.5F, 1.25F}, "bm25 test"));
  EXPECT_EQ(io::read_file(folder / "run.trec"), "q1 Q0 d0 1 2.5 bm25_test\nq1 Q0 d1 2 1.25 bm25_test\n");
}

TEST(WriteRun, MakesScoresStrictlyFallingForEveryReader) {
  EXPECT_TRUE(rc::check([](std::vector<float> scores) {
    for (float& score : scores) {
      if (std::isnan(score)) score = 0;
    }
    const std::vector<float> read = written_scores(run_of(scores));
    RC_ASSERT(read.size() == scores.size());
    for (std::size_t i = 1; i < read.size(); ++i) RC_ASSERT(read[i] < read[i - 1]);
  }));
  for (const std::vector<float>& scores :
       std::vector<std::vector<float>>{{0.F, -0.F, 0.F}, {1.F, 1.F, 1.F, 0.99999994F}, {1e30F, 1e30F}}) {
    const std::vector<float> read = written_scores(run_of(scores));
    for (std::size_t i = 1; i < read.size(); ++i) EXPECT_LT(read[i], read[i - 1]);
  }
}

TEST(WriteRun, KeepsScoresThatFallAlready) {
  const std::vector<float> scores{3.1415927F, 0.1F, 1e-20F, -5.F};
  EXPECT_EQ(written_scores(run_of(scores)), scores);
}

TEST(WriteRun, RefusesWhiteSpaceInIdsAndScoresThatAreNoNumbers) {
  const testing::TempFolder folder;
  mustcite::Run run = run_of({1.F});
  run.lists[0].papers[0].paper = PaperId("a b");
  EXPECT_THROW(write_run(folder / "run.trec", run), Error);
  EXPECT_THROW(write_run(folder / "run.trec", run_of({std::numeric_limits<float>::quiet_NaN()})), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "a refused run must leave nothing behind";
}

TEST(WriteQrels, KeepsTheOrderGiven) {
  const testing::TempFolder folder;
  write_qrels(folder / "q.tsv", {{QueryId("q2"), PaperId("d9"), 1}, {QueryId("q1"), PaperId("d1"), -1}});
  EXPECT_EQ(io::read_file(folder / "q.tsv"), "q2 0 d9 1\nq1 0 d1 -1\n");
}

}  // namespace
}  // namespace mustcite
