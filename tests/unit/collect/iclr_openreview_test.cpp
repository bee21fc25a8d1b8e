// OpenReview's API and ICLR beside it: answers and pages written by us after their structure.
#include <gtest/gtest.h>

#include "stages/collect/venues/openreview_rules.hpp"
#include "unit/collect/reading.hpp"

namespace mustcite::collect {
namespace {

std::string v1(const char* id, const char* venue, const char* extra = "") {
  return fmt::format(
      R"({{"id":"{0}","forum":"{0}","number":1,"invitation":"X/-/Blind_Submission","ddate":null,"content":{{"title":"T {0}",
"authors":["A B","C D"],"abstract":"Text","pdf":"/pdf/1.pdf","venue":"{1}","venueid":"ICLR.cc/2022/Conference"}}{2}}})",
      id, venue, extra);
}

std::size_t accepted(const char* key, const std::string& notes, Names* reasons = nullptr) {
  const std::vector<OpenReviewRule> rules = rules_of(key);
  std::size_t count = 0;
  for (const Note& note : read_openreview_notes("{\"notes\":[" + notes + "],\"count\":9}").notes) {
    std::string reason;
    if (accepts(rules.at(0), note, reason))
      ++count;
    else if (reasons != nullptr)
      reasons->push_back(reason);
  }
  return count;
}

TEST(OpenReview, AcceptsByTheVenueWhereRejectedPapersCarryTheBareVenueid) {
  Names reasons;
  EXPECT_EQ(accepted("ICLR.cc/2022",
                     v1("a", "ICLR 2022 Poster") + "," + v1("b", "ICLR 2022 Submitted") + "," +
                         v1("c", "ICLR 2022 Oral"),
                     &reasons),
            2U);
  EXPECT_EQ(reasons, Names{"venue: ICLR 2022 Submitted"});
  EXPECT_EQ(
      accepted("ICLR.cc/2023", v1("a", "ICLR 2023 notable top 5%") + "," + v1("b", "Submitted to ICLR 2023") +
                                   "," + v1("c", "ICLR 2023 Poster")),
      1U)
      << "by letter: the poster of 2023 is written small";
  EXPECT_EQ(
      accepted("ICLR.cc/2017", v1("a", "ICLR 2017 Invite to Workshop") + "," + v1("b", "ICLR 2017 Poster")),
      1U);
}

TEST(OpenReview, AcceptsByTheDecisionInAReply) {
  const char* accept =
      R"json(,"details":{"directReplies":[{"invitation":"ICLR.cc/2020/Conference/Paper1/-/Official_Review","content":{"decision":"Reject"}},
{"invitation":"ICLR.cc/2020/Conference/Paper1/-/Decision","content":{"decision":"Accept (Spotlight)"}}]})json";
  const char* reject =
      R"json(,"details":{"directReplies":[{"invitation":"ICLR.cc/2020/Conference/Paper2/-/Decision","content":{"decision":"Reject"}}]})json";
  EXPECT_EQ(accepted("ICLR.cc/2020", v1("a", "", accept) + "," + v1("b", "", reject) + "," + v1("c", "")),
            1U);
  const char* meta =
      R"json(,"details":{"directReplies":[{"invitation":"ICLR.cc/2019/Conference/-/Paper3/Meta_Review","content":{"recommendation":"Accept (Poster)"}}]})json";
  EXPECT_EQ(accepted("ICLR.cc/2019", v1("a", "", meta)), 1U);
}

TEST(OpenReview, ReadsBothVersionsAndRefusesWithdrawnTwins) {
  const std::string v2 =
      R"({"notes":[{"id":"x1","forum":"x1","number":7,"invitations":["ICLR.cc/2024/Conference/-/Submission"],"content":{"title":{"value":"Line\nbreaks and $\\infty$-widths"},
"authors":{"value":["Hanchen","杰昊 梁"]},"abstract":{"value":"*A*&nbsp;b"},"venueid":{"value":"ICLR.cc/2024/Conference"},"pdf":{"value":"/pdf/9.pdf"}}},
{"id":"x2","forum":"x2","content":{"title":{"value":"R"},"venueid":{"value":"ICLR.cc/2024/Conference/Rejected_Submission"}}},
{"id":"x3","ddate":1,"content":{"venueid":{"value":"ICLR.cc/2024/Conference"}}}, 5]})";
  const NotesPage page = read_openreview_notes(v2);
  EXPECT_EQ(page.read, 4U);
  ASSERT_EQ(page.notes.size(), 3U);
  const OpenReviewRule rule = rules_of("ICLR.cc/2024").at(0);
  std::string reason;
  EXPECT_TRUE(accepts(rule, page.notes[0], reason));
  EXPECT_FALSE(accepts(rule, page.notes[1], reason));
  EXPECT_EQ(reason, "venueid: ICLR.cc/2024/Conference/Rejected_Submission");
  EXPECT_FALSE(accepts(rule, page.notes[2], reason)) << "deleted";
  const Record record = record_of(rule, page.notes[0]);
  EXPECT_EQ(record.pdf_url, "https://openreview.net/pdf/9.pdf");
  const Cleaned paper = cleaned("iclr", 2024, record);
  EXPECT_EQ(paper.paper.title, "Line breaks and $\\infty$-widths");
  EXPECT_EQ(paper.paper.authors, (Names{"Hanchen", "杰昊 梁"}));
  Note withdrawn = read_openreview_notes("{\"notes\":[" + v1("w", "ICLR 2021 Poster") + "]}").notes.at(0);
  withdrawn.invitation = "ICLR.cc/2021/Conference/-/Withdrawn_Submission";
  EXPECT_FALSE(accepts(rules_of("ICLR.cc/2021").at(0), withdrawn, reason))
      << "withdrawn, but with the venue it had";
}

TEST(OpenReview, SplitsTheOneStringOfSomeYears) {
  const NotesPage page = read_openreview_notes(
      R"({"notes":[{"id":"a","content":{"title":"T","authors":"Samuel Oak and Quoc Elm","decision":"conferenceOral-iclr2013-conference","pdf":"https://arxiv.org/abs/1301.0001"}}]})");
  const OpenReviewRule rule = rules_of("ICLR.cc/2013").at(0);
  std::string reason;
  ASSERT_TRUE(accepts(rule, page.notes.at(0), reason));
  const Record record = record_of(rule, page.notes[0]);
  EXPECT_EQ(record.arxiv_id, "1301.0001");
  EXPECT_EQ(cleaned("iclr", 2013, record).paper.authors, (Names{"Samuel Oak", "Quoc Elm"}));
}

TEST(OpenReview, SaysWhatTheApiSaysWhenItRefuses) {
  EXPECT_TRUE(
      notices_another_layout([] { (void)read_openreview_notes("<html>Verifying your browser</html>"); }));
  EXPECT_TRUE(notices_another_layout(
      [] { (void)read_openreview_notes(R"({"name":"ForbiddenError","message":"no"})"); }));
}

TEST(OpenReview, HasARuleForEachYearOfTheTable) {
  for (const Edition& edition : editions()) {
    for (const auto& places : {edition.parts, edition.alternatives}) {
      for (const Place& place : places) {
        if (place.source != Source::openreview) continue;
        EXPECT_FALSE(rules_of(place.key).empty()) << place.key;
      }
    }
  }
}

TEST(IclrReader, ReadsTheListOf2014) {
  const Listing listing = read_iclr_sites(
      R"(<h3><span id="t">Conference Proceedings</span></h3><p dir="ltr"><span style="font-weight:bold"><a href="http://arxiv.org/abs/1312.6173v2">Intriguing Trees</a></span></p>
<p dir="ltr"><span style="font-style:italic">Ada Oak; Bo Elm</span></p>)",
      "https://iclr.cc/archive/2014/conference-proceedings/");
  ASSERT_EQ(listing.records.size(), 1U);
  EXPECT_EQ(listing.records[0].id, "arxiv-1312.6173");
  EXPECT_EQ(cleaned("iclr", 2014, listing.records[0]).paper.authors, (Names{"Ada Oak", "Bo Elm"}));
}

TEST(IclrReader, ReadsTheWikiAndCountsOralsOnce) {
  const std::string item =
      R"(<li class="level1"><div class="li"> <a href="http://arxiv.org/abs/1412.6623">Word Leaves</a><br/>
Luke Oak, Andrew Elm</div></li>)";
  const Listing listing =
      read_iclr_wiki("<h3>Main Conference - Oral Presentations</h3><ol>" + item +
                         "</ol><h3>Main Conference - Poster Presentations</h3><ol>" + item +
                         "</ol><h3>Workshop Papers</h3><ol>" + with(item, "1412.6623", "1412.7272") + "</ol>",
                     "https://iclr.cc/archive/www/doku.php%3Fid=iclr2015:accepted-main.html");
  ASSERT_EQ(listing.records.size(), 2U);
  EXPECT_EQ(listing.problems.size(), 1U);
  EXPECT_EQ(listing.records[0].track, "Main Conference - Oral Presentations");
  EXPECT_EQ(listing.records[1].track, "Workshop Papers");
  EXPECT_EQ(cleaned("iclr", 2015, listing.records[0]).paper.authors, (Names{"Luke Oak", "Andrew Elm"}));
}

TEST(IclrReader, ReadsTheJsonOfAVirtualSite) {
  const Listing listing = read_virtual_site(
      R"({"count":3,"results":[{"id":1,"name":"One","abstract":"a","authors":[{"fullname":"A B"}],"paper_url":"https://openreview.net/forum?id=Zz9"},
{"id":2,"name":"One","paper_url":"https://openreview.net/forum?id=Zz9"},{"id":3,"name":"Two","authors":[]}]})");
  ASSERT_EQ(listing.records.size(), 2U);
  EXPECT_EQ(listing.stated, 2U);
  EXPECT_EQ(listing.records[0].id, "Zz9");
  EXPECT_EQ(listing.records[1].id, "virtual-3");
}

}  // namespace
}  // namespace mustcite::collect
