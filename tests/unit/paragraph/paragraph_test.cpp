#include "engine/paragraph/paragraph.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"

namespace mustcite::paragraph {
namespace {

namespace fs = std::filesystem;

fs::path file_of(const std::string& name, const std::string& bytes) {
  const fs::path path = fs::path(testing::TempDir()) / ("paragraphs-" + name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string why_refused(const std::string& line) {
  try {
    static_cast<void>(parse_paragraph(line));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_input);
    return error.what();
  }
  return "";
}

const std::string kLine =
    R"({"paragraph_id":"oak-r1","citing_id":"oak","citing_year":2021,"section":"2 Related work","kind":"related_work",)"
    R"("sentences":["Trees grow.","Elms [3] do."],"topic_sentence":"Trees grow.","cited_ids":["elm","ash"],)"
    R"("cited_by_sentence":[[],["elm","ash"]]})";

const std::string kCorwa =
    R"j({"id":"77_0","paragraph":"[BOS] Trees grow.\n[BOS] Elm (2001) \u00fcbt (Ash, 2002) .\n\n",)j"
    R"j("discourse_tags":["Transition","Single_summ"],"span_citation_mapping":[{"char_start":24,"char_end":40,)j"
    R"j("span_type":"Dominant","span_citation_mapping":{"Dominant":{"Elm (2001)":"11"},"Reference":{"(Ash, 2002)":"12"}}}]})j";

TEST(Paragraph, IsWrittenAsItIsRead) {
  EXPECT_EQ(to_json_line(parse_paragraph(kLine)), kLine);
}

TEST(Paragraph, KeepsTagsThroughWritingAndReading) {
  Paragraph paragraph = parse_paragraph(kLine);
  paragraph.tags = {Discourse::transition, Discourse::single_summary};
  EXPECT_EQ(parse_paragraph(to_json_line(paragraph)).tags, paragraph.tags);
}

TEST(Paragraph, ReadsCorwaWithTagsAndCitedWorksBySentence) {
  const Paragraph paragraph = parse_paragraph(kCorwa);
  EXPECT_EQ(paragraph.id, "77_0");
  EXPECT_EQ(paragraph.citing.str(), "77");
  EXPECT_EQ(paragraph.kind, Kind::related_work);
  ASSERT_EQ(paragraph.sentences.size(), 2U);
  EXPECT_EQ(paragraph.sentences[0], "Trees grow.");
  EXPECT_EQ(paragraph.tags, (std::vector<Discourse>{Discourse::transition, Discourse::single_summary}));
  EXPECT_EQ(paragraph.topic_sentence, "Trees grow.");
  EXPECT_EQ(paragraph.cited, (std::vector<PaperId>{PaperId("11"), PaperId("12")}));
  EXPECT_TRUE(paragraph.cited_by_sentence[0].empty());
  EXPECT_EQ(paragraph.cited_by_sentence[1].size(), 2U);
}

TEST(Paragraph, SaysWhatIsWrongWithALine) {
  EXPECT_NE(why_refused("{}").find("paragraph_id"), std::string::npos);
  EXPECT_NE(why_refused("no json").find("no JSON"), std::string::npos);
  EXPECT_NE(why_refused(R"({"paragraph_id":"a","citing_id":"b","sentences":[]})").find("no sentence"),
            std::string::npos);
  EXPECT_NE(why_refused(R"({"paragraph_id":"a","citing_id":"b","sentences":["  "]})").find("no sentence"),
            std::string::npos);
  EXPECT_NE(why_refused(R"({"paragraph_id":"a","citing_id":"b","sentences":"x"})").find("not a list"),
            std::string::npos);
  EXPECT_NE(
      why_refused(R"({"paragraph_id":"a","citing_id":"b","sentences":["x"],"tags":["Topic"]})").find("Topic"),
      std::string::npos);
  EXPECT_NE(
      why_refused(R"({"paragraph_id":"a","citing_id":"b","sentences":["x"],"cited_by_sentence":[[],[]]})")
          .find("2 lists"),
      std::string::npos);
  EXPECT_NE(why_refused(R"({"id":"1_0","paragraph":"[BOS] a","discourse_tags":[]})").find("0 tags for 1"),
            std::string::npos);
}

TEST(Paragraph, TakesTheFirstSentenceAsTopicWhereNoneIsGiven) {
  const auto paragraph =
      parse_paragraph(R"({"paragraph_id":"a","citing_id":"b","sentences":["One.","Two."],"cited_ids":null})");
  EXPECT_EQ(paragraph.topic_sentence, "One.");
  EXPECT_EQ(paragraph.kind, Kind::other);
}

TEST(Paragraph, ReadingCountsEveryLineAndKeepsTheReasons) {
  ReadReport report;
  const auto file = file_of("mixed.jsonl", kLine + "\n\nbroken\n" + kCorwa + "\n" + kLine + "\n");
  const auto paragraphs = read_paragraphs(file, report);
  EXPECT_EQ(paragraphs.size(), 2U);
  EXPECT_EQ(report.lines, 4U);
  EXPECT_EQ(report.paragraphs + report.rejected, report.lines);
  ASSERT_EQ(report.ledger.size(), 2U);
  EXPECT_EQ(report.ledger[0].line, 3U);
  EXPECT_NE(report.ledger[1].reason.find("twice"), std::string::npos);
}

TEST(Paragraph, AFileWithoutAParagraphIsRefused) {
  ReadReport report;
  EXPECT_THROW(read_paragraphs(file_of("empty.jsonl", ""), report), Error);
  EXPECT_THROW(read_paragraphs(file_of("broken.jsonl", "[]\n"), report), Error);
}

}  // namespace
}  // namespace mustcite::paragraph
