#include "core/schema/jsonl.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>

#include "mustcite/error.hpp"

namespace mustcite {
namespace {

/// Random text with everything that needs escaping, and characters of one to four bytes.
rc::Gen<std::string> any_text() {
  const auto piece = rc::gen::element<std::string>("a", "Z", " ", "\"", "\\", "\n", "\t", "\x01", "\x1f", "/",
                                                   "é", "漢", "🎧", "</script>", "\x7f", "{", "null");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const std::string& part : pieces) text += part;
                        return text;
                      });
}

rc::Gen<Date> any_date() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::inRange(1600, 2100), rc::gen::inRange(0, 13), rc::gen::inRange(0, 29)),
      [](const std::tuple<int, int, int>& parts) {
        const auto [year, month, day] = parts;
        return Date{year, month, month == 0 ? 0 : day};
      });
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_input);
    return error.what();
  }
  return "accepted";
}

TEST(PaperJson, ReadsBackWhatItWrote) {
  EXPECT_TRUE(rc::check([] {
    Paper paper;
    paper.id = PaperId("p" + *any_text());
    paper.title = *any_text();
    paper.abstract = *any_text();
    paper.authors = *rc::gen::container<std::vector<std::string>>(any_text());
    paper.venue = *any_text();
    paper.date = *any_date();
    paper.track = *any_text();
    paper.url = *any_text();
    paper.doi = *any_text();
    paper.arxiv_id = *any_text();
    const std::string line = to_json_line(paper);
    RC_ASSERT(line.find('\n') == std::string::npos);
    RC_ASSERT(paper_from_json(line) == paper);
    // The independent reader sees the same text.
    RC_ASSERT(nlohmann::json::parse(line)["title"].get<std::string>() == paper.title);
  }));
}

TEST(CitationJson, ReadsBackWhatItWrote) {
  EXPECT_TRUE(rc::check([] {
    Citation citation;
    citation.citing = PaperId("a" + *any_text());
    citation.cited = PaperId("b" + *any_text());
    citation.citing_year = *rc::gen::inRange(0, 2100);
    if (*rc::gen::arbitrary<bool>()) citation.mentions = *rc::gen::inRange(0, 100);
    if (*rc::gen::arbitrary<bool>()) citation.exp_mentions = *rc::gen::inRange(0, 100);
    citation.marker = *any_text();
    const int contexts = *rc::gen::inRange(0, 4);
    for (int i = 0; i < contexts; ++i) citation.contexts.push_back({*any_text(), *any_text()});
    RC_ASSERT(citation_from_json(to_json_line(citation)) == citation);
  }));
}

TEST(PaperJson, KeepsKeyOrderAndLeavesEmptyOptionalFieldsOut) {
  Paper paper;
  paper.id = PaperId("p1");
  paper.title = "A \"title\"";
  paper.date = {2024, 5, 15};
  paper.doi = "10.1/x";
  EXPECT_EQ(
      to_json_line(paper),
      R"({"id":"p1","title":"A \"title\"","abstract":"","authors":[],"venue":"","year":2024,"date":"2024-05-15","doi":"10.1/x"})");
  paper.date = {};
  paper.doi.clear();
  EXPECT_EQ(to_json_line(paper),
            R"({"id":"p1","title":"A \"title\"","abstract":"","authors":[],"venue":"","year":null})");
}

TEST(PaperJson, TakesYearsAuthorsAndIdsInTheFormsThatOccur) {
  const Paper paper = paper_from_json(
      R"({"_id": 17, "title": "T", "text": "body", "year": "2023", "authors": [{"name": "A B"}, "C D"], "metadata": {"x": [1]}, "extra": null})");
  EXPECT_EQ(paper.id.str(), "17");
  EXPECT_EQ(paper.abstract, "body");
  EXPECT_EQ(paper.date.year, 2023);
  EXPECT_EQ(paper.authors, (std::vector<std::string>{"A B", "C D"}));
  EXPECT_EQ(paper_from_json(R"({"id":"a","title":"","abstract":null,"authors":null,"year":null})").date.year,
            0);
  EXPECT_EQ(paper_from_json(R"({"id":"a","title":"T","authors":"One Name","year":2020.0})").date.year, 2020);
}

TEST(PaperJson, LetsTheYearOverruleADateOfAnotherYear) {
  EXPECT_EQ(paper_from_json(R"({"id":"a","title":"T","year":2020,"date":"2020-07"})").date,
            (Date{2020, 7, 0}));
  EXPECT_EQ(paper_from_json(R"({"id":"a","title":"T","year":2020,"date":"2019-07-01"})").date,
            (Date{2020, 0, 0}));
  EXPECT_EQ(paper_from_json(R"({"id":"a","title":"T","date":"2019-07-01"})").date, (Date{2019, 7, 1}));
}

TEST(PaperJson, NamesTheFieldThatIsWrong) {
  const auto refusal = [](const char* line) { return message_of([&] { (void)paper_from_json(line); }); };
  EXPECT_NE(refusal(R"({"title":"T"})").find("'id' is missing"), std::string::npos);
  EXPECT_NE(refusal(R"({"id":"a","title":null})").find("'title' is missing"), std::string::npos);
  EXPECT_NE(refusal(R"({"id":"a","title":["T"]})").find("'title'"), std::string::npos);
  EXPECT_NE(refusal(R"({"id":"a","title":"T","year":20.5})").find("'year'"), std::string::npos);
  EXPECT_NE(refusal(R"({"id":"a","title":"T","year":"MMXX"})").find("'year'"), std::string::npos);
  EXPECT_NE(refusal(R"({"id":"a","title":"T","authors":[1]})").find("'authors'"), std::string::npos);
  EXPECT_NE(refusal(R"({"id":"a","title":"T","date":"soon"})").find("'date'"), std::string::npos);
  EXPECT_NE(refusal(R"({"id":"a","title":"T","year":99999999999})").find("'year'"), std::string::npos);
}

TEST(PaperJson, RefusesWhatIsNoJsonObject) {
  for (const char* line :
       {"", "{", "[1]", "\"text\"", "{\"id\":\"a\",}", "{\"id\":\"a\",\"title\":\"\xFF\"}", "{} {}"}) {
    EXPECT_NE(message_of([&] { (void)paper_from_json(line); }), "accepted") << line;
  }
}

TEST(PaperJson, WritesValidJsonEvenForBrokenUtf8) {
  Paper paper;
  paper.id = PaperId("p");
  paper.title = "bro\xFFken";
  EXPECT_EQ(paper_from_json(to_json_line(paper)).title, "bro\uFFFDken");
}

TEST(CitationJson, KeepsUnknownMentionsApartFromZero) {
  EXPECT_EQ(citation_from_json(R"({"citing_id":"a","cited_id":"b","mentions":null})").mentions, std::nullopt);
  EXPECT_EQ(citation_from_json(R"({"citing_id":"a","cited_id":"b"})").mentions, std::nullopt);
  EXPECT_EQ(citation_from_json(R"({"citing_id":"a","cited_id":"b","mentions":0})").mentions, 0);
}

TEST(CitationJson, TakesContextsAsSentencesOrObjects) {
  const Citation citation = citation_from_json(
      R"({"citing_id":"a","cited_id":"b","contexts":["One.",{"section":"2 Method","text":"Two."}]})");
  EXPECT_EQ(citation.contexts, (std::vector<CitationContext>{{"", "One."}, {"2 Method", "Two."}}));
}

TEST(CitationJson, RefusesNegativeCountsAndMissingEnds) {
  for (const char* line : {R"({"citing_id":"a","cited_id":"b","mentions":-1})", R"({"citing_id":"a"})",
                           R"({"cited_id":"b"})", R"({"citing_id":"a","cited_id":"b","contexts":[1]})"}) {
    EXPECT_NE(message_of([&] { (void)citation_from_json(line); }), "accepted") << line;
  }
}

}  // namespace
}  // namespace mustcite
