#include "engine/evaluate/run_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "mustcite/error.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::evaluate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RunFile parse(std::string text, const ReadOptions& options = {}) {
  return parse_run(TrecText::from_string(std::move(text)), "some.trec", options);
}

std::vector<std::string> documents(const RunFile& run, std::string_view query) {
  std::vector<std::string> names;
  const RunQuery* found = run.find(query);
  if (found == nullptr) return names;
  for (const auto& result : run.results_of(*found)) names.emplace_back(run.document(result));
  return names;
}

std::string refusal(const std::string& text, const ReadOptions& options = {}) {
  try {
    (void)parse(text, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_input);
    return error.what();
  }
  return "accepted";
}

TEST(ReadRun, OrdersByScoreWhateverTheRanksAndLinesSay) {
  const auto run = parse("q Q0 c 1 0.5 t\nq Q0 a 2 2.5 t\nq Q0 b 3 1e0 t\n");
  EXPECT_THAT(documents(run, "q"), ElementsAre("a", "b", "c"));
  EXPECT_EQ(run.unsorted_queries, 1u);
  EXPECT_THAT(run.notes, ElementsAre(HasSubstr("ordered by score")));
}

TEST(ReadRun, BreaksTiesByDocumentIdFalling) {
  const auto run = parse("q Q0 a 1 1 t\nq Q0 c 2 1 t\nq Q0 b 3 1 t\nq Q0 B 4 1 t\nq Q0 aa 4 1 t\n");
  EXPECT_THAT(documents(run, "q"), ElementsAre("c", "b", "aa", "a", "B"));
  EXPECT_EQ(run.unsorted_queries, 0u);
}

TEST(ReadRun, ScoresThatDifferOnlyInDoublePrecisionAreTies) {
  // 17.5 + 1e-9 is 17.5 in float32.
  const auto run = parse("q Q0 a 1 17.500000001 t\nq Q0 b 2 17.5 t\n");
  EXPECT_THAT(documents(run, "q"), ElementsAre("b", "a"));
}

TEST(ReadRun, RankOrderTakesTheRankColumnAndKeepsFileOrderOfEqualRanks) {
  ReadOptions options;
  options.order = Order::rank;
  const auto run = parse("q Q0 a 3 9 t\nq Q0 b 1 1 t\nq Q0 c 2 5 t\nq Q0 d 2 6 t\n", options);
  EXPECT_THAT(documents(run, "q"), ElementsAre("b", "c", "d", "a"));
}

TEST(ReadRun, RankOrderRefusesRanksThatAreNoNumbers) {
  ReadOptions options;
  options.order = Order::rank;
  EXPECT_THAT(refusal("q Q0 a first 9 t\n", options), HasSubstr("some.trec:1 has the rank \"first\""));
  EXPECT_EQ(parse("q Q0 a first 9 t\n").results.size(), 1u);
}

TEST(ReadRun, TakesTabsBlanksCrlfEmptyLinesAndAMissingLastLineEnd) {
  const auto run = parse("\n q1\tQ0   a 1\t2 t \r\n\nq2 Q0 b 1 +1.5 t");
  EXPECT_THAT(documents(run, "q1"), ElementsAre("a"));
  EXPECT_THAT(documents(run, "q2"), ElementsAre("b"));
}

TEST(ReadRun, GathersQueriesWhoseLinesAreScattered) {
  const auto run = parse("x Q0 a 1 3 t\ny Q0 a 1 3 t\nx Q0 b 2 2 t\ny Q0 b 2 5 t\n");
  EXPECT_THAT(documents(run, "x"), ElementsAre("a", "b"));
  EXPECT_THAT(documents(run, "y"), ElementsAre("b", "a"));
  EXPECT_EQ(run.find("z"), nullptr);
}

TEST(ReadRun, RefusesDuplicateDocumentsNamingThemAndTheirLines) {
  const std::string text = "q Q0 a 1 3 t\nq Q0 b 2 2 t\nq Q0 a 3 1 t\n";
  EXPECT_THAT(refusal(text), AllOf(HasSubstr("query \"q\""), HasSubstr("document \"a\" (lines 1 and 3)"),
                                   HasSubstr("--lenient")));
  ReadOptions lenient;
  lenient.lenient = true;
  const auto run = parse(text, lenient);
  EXPECT_THAT(documents(run, "q"), ElementsAre("a", "b"));
  EXPECT_EQ(run.duplicates, 1u);
  EXPECT_THAT(run.notes, ElementsAre(HasSubstr("1 lines repeat")));
}

TEST(ReadRun, LenientKeepsTheFirstLineEvenWhenALaterOneScoresHigher) {
  ReadOptions lenient;
  lenient.lenient = true;
  const auto run = parse("q Q0 a 1 1 t\nq Q0 b 2 2 t\nq Q0 a 3 9 t\n", lenient);
  EXPECT_THAT(documents(run, "q"), ElementsAre("b", "a"));
}

TEST(ReadRun, RefusesScoresThatAreNoFiniteNumber) {
  for (const char* score :
       {"nan", "NaN", "inf", "-inf", "1e39", "1e999", "high", "1.5x", "0x10", "--1", "1,5"}) {
    EXPECT_THAT(refusal(std::string("q Q0 a 1 2 t\nq Q0 b 2 ") + score + " t\n"),
                AllOf(HasSubstr("some.trec:2 has the score"), HasSubstr("finite")))
        << score;
  }
}

TEST(ReadRun, TakesScoresTooSmallForADoubleAsZero) {
  const auto run = parse("q Q0 a 1 1e-999 t\nq Q0 b 2 -1e-999 t\n");
  EXPECT_THAT(documents(run, "q"), ElementsAre("b", "a"));
}

TEST(ReadRun, RefusesWrongColumnsNamingTheFirstLine) {
  EXPECT_THAT(refusal("q Q0 a 1 2 t\n\nq Q0 b 2 1\nq\n"), HasSubstr("some.trec:3 has 5 columns"));
  EXPECT_THAT(refusal("q Q0 a 1 2 my tag\n"), HasSubstr("has 7 columns"));
  EXPECT_THAT(refusal("q 0 a 1\n"), HasSubstr("give it as --qrels"));
  EXPECT_THAT(refusal("q\n"), HasSubstr("has 1 column;"));
}

TEST(ReadRun, RefusesFilesWithoutResults) {
  EXPECT_THAT(refusal(""), HasSubstr("some.trec holds no result"));
  EXPECT_THAT(refusal("\n \n"), HasSubstr("holds no result"));
}

/// 3 MB: several chunks; the text has each query twice, far apart.
std::string long_run() {
  std::string text;
  for (int round = 0; round < 2; ++round) {
    for (int q = 0; q < 100; ++q) {
      for (int d = 0; d < 500; ++d) {
        char line[64];
        std::snprintf(line, sizeof line, "q%d Q0 d%d-%d %d %.3f tag\n", q, round, d * 7919 % 500, d,
                      (d * 31 % 97) / 7.0);
        text += line;
      }
    }
  }
  return text;
}

TEST(ReadRun, ReadsTheSameOnAnyNumberOfThreads) {
  const std::string text = long_run();
  ReadOptions one, many;
  one.threads = 1;
  many.threads = 7;
  const auto a = parse(text, one);
  const auto b = parse(text, many);
  ASSERT_EQ(a.queries.size(), 100u);
  for (const auto& query : a.queries) {
    ASSERT_EQ(query.count, 1000u);
    ASSERT_EQ(documents(a, query.id), documents(b, query.id));
  }
}

TEST(ReadRun, NamesTheEarliestFaultOfAFileReadInParts) {
  std::string text = long_run();
  text += "q1 Q0 late nan\n";
  text.insert(text.find('\n', text.size() / 2) + 1, "q1 Q0 early\n");
  EXPECT_THAT(refusal(text), HasSubstr("has 3 columns"));
}

TEST(ReadRun, ReadsFilesPlainAndNamesThemWithoutEndings) {
  const testing::TempFolder folder;
  const auto path = folder.path() / "bm25.title.trec";
  std::ofstream(path) << "q Q0 a 1 2 t\n";
  const auto run = read_run(path);
  EXPECT_EQ(run.name, "bm25.title");
  EXPECT_THAT(documents(run, "q"), ElementsAre("a"));
  EXPECT_EQ(display_name("runs/citance.run.gz"), "citance");
  EXPECT_EQ(display_name("runs/citance.trec.zst"), "citance");
}

TEST(ReadRun, MissingFilesAndFoldersAreRefused) {
  const testing::TempFolder folder;
  EXPECT_THROW((void)read_run(folder.path() / "none.trec"), Error);
  EXPECT_THROW((void)read_run(folder.path()), Error);
}

}  // namespace
}  // namespace mustcite::evaluate
