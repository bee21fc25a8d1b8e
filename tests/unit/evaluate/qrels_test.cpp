#include "engine/evaluate/qrels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <fstream>

#include "mustcite/error.hpp"
#include "testing/temp_folder.hpp"

namespace mustcite::evaluate {
namespace {

using ::testing::HasSubstr;

Qrels parse(std::string text, const ReadOptions& options = {}) {
  return parse_qrels(TrecText::from_string(std::move(text)), "some.tsv", options);
}

std::string refusal(const std::string& text) {
  try {
    (void)parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_input);
    return error.what();
  }
  return "accepted";
}

int relevance(const Qrels& qrels, std::string_view query, std::string_view document) {
  const JudgedQuery* found = qrels.find(query);
  if (found == nullptr) return -99;
  for (const auto& judgement : qrels.judgements_of(*found)) {
    if (judgement.document == document) return judgement.relevance;
  }
  return -99;
}

TEST(ReadQrels, TakesTrecLinesWithGradedAndNegativeJudgements) {
  const auto qrels = parse("q2 0 a 1\nq1 0 b -1\nq2 0 c 3\n");
  ASSERT_EQ(qrels.queries.size(), 2u);
  EXPECT_EQ(qrels.queries[0].id, "q1");
  EXPECT_EQ(relevance(qrels, "q2", "c"), 3);
  EXPECT_EQ(relevance(qrels, "q1", "b"), -1);
}

TEST(ReadQrels, TakesBeirTablesWithAndWithoutHeader) {
  for (const char* header : {"query-id\tcorpus-id\tscore\n", ""}) {
    const auto qrels = parse(std::string(header) + "q\ta\t1\nq\tb\t2\r\n");
    ASSERT_EQ(qrels.queries.size(), 1u);
    EXPECT_EQ(qrels.judgements.size(), 2u);
    EXPECT_EQ(relevance(qrels, "q", "b"), 2);
  }
}

TEST(ReadQrels, RefusesWrongColumnsAndMixedLayouts) {
  EXPECT_THAT(refusal("q 0 a\t1 5\n"), HasSubstr("some.tsv:1 has 5 columns; a line of qrels has four"));
  EXPECT_THAT(refusal("q 0 a 1\nq b 1\n"),
              HasSubstr("some.tsv:2 has 3 columns where the lines before have 4"));
  EXPECT_THAT(refusal("q Q0 a 1 2 t\n"), HasSubstr("give it as --run"));
}

TEST(ReadQrels, RefusesRelevanceThatIsNoWholeNumber) {
  for (const char* text : {"1.5", "yes", "1e3", "99999999999", "1x"}) {
    EXPECT_THAT(refusal(std::string("q 0 a ") + text + "\n"), HasSubstr("some.tsv:1 has the relevance"))
        << text;
  }
}

TEST(ReadQrels, RefusesPairsJudgedTwiceUnlessLenient) {
  const std::string text = "q 0 a 1\np 0 a 1\nq 0 a 0\n";
  EXPECT_THAT(refusal(text), AllOf(HasSubstr("query \"q\" judges document \"a\" twice (lines 1 and 3)")));
  ReadOptions lenient;
  lenient.lenient = true;
  const auto qrels = parse(text, lenient);
  EXPECT_EQ(relevance(qrels, "q", "a"), 1);
  EXPECT_EQ(qrels.duplicates, 1u);
  EXPECT_EQ(qrels.notes.size(), 1u);
}

TEST(ReadQrels, RefusesFilesWithoutJudgements) {
  EXPECT_THAT(refusal(""), HasSubstr("holds no judgement"));
  EXPECT_THAT(refusal("query-id\tcorpus-id\tscore\n"), HasSubstr("holds no judgement"));
}

TEST(ReadQrels, ReadsGzipAndZstdAndRefusesATruncatedStream) {
  const testing::TempFolder folder;
  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += "query" + std::to_string(i) + " 0 document" + std::to_string(i * 7) + " 1\n";
  const auto gz = folder.path() / "q.tsv.gz";
  gzFile out = gzopen(gz.c_str(), "wb");
  gzwrite(out, text.data(), static_cast<unsigned>(text.size()));
  gzclose(out);
  EXPECT_EQ(read_qrels(gz).queries.size(), 2000u);
  EXPECT_THROW((void)TrecText(gz, 1000), Error);  // more comes out than may be held

  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  const auto zst = folder.path() / "q.tsv.zst";
  std::ofstream(zst, std::ios::binary) << packed;
  EXPECT_EQ(read_qrels(zst).queries.size(), 2000u);
  EXPECT_EQ(read_qrels(zst).name, "q");

  std::ofstream(zst, std::ios::binary | std::ios::trunc) << packed.substr(0, packed.size() / 2);
  EXPECT_THROW((void)read_qrels(zst), Error);
}

}  // namespace
}  // namespace mustcite::evaluate
