// The ACL Anthology: XML and pages written by us after its structure.
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "stages/collect/tracks.hpp"
#include "testing/temp_folder.hpp"
#include "unit/collect/reading.hpp"

namespace mustcite::collect {
namespace {

const std::string kPaper =
    R"(<paper id="1"><title><fixed-case>BERT</fixed-case>Score of <tex-math>O(n)</tex-math> <i>Trees</i>.</title>
<author><first>Furkan</first><last>Şahinuç</last></author><author><first/><last>Aristo</last></author>
<abstract>We read (<tex-math>\pm</tex-math>0.4) <b>files</b>.</abstract><url hash="1">2023.acl-long.1</url><doi>10.18653/v1/2023.ACL-long.1</doi></paper>)";

const std::string kXml =
    R"(<?xml version='1.0' encoding='UTF-8'?><collection id="2023.acl"><volume id="long"><meta>
<booktitle>Proceedings of the 61st Annual Meeting (Volume 1: Long Papers)</booktitle><month>July</month><year>2023</year><venue>acl</venue></meta>
<frontmatter><url>2023.acl-long.0</url></frontmatter>)" +
    kPaper + R"(
<paper id="2"><title>Withdrawn Work</title><url>2023.acl-long.2</url><retracted date="2023-09-01">wrong</retracted></paper>
<paper id="3"><title>No File</title><author><first>A</first><last>B</last></author></paper></volume>
<volume id="srw"><meta><booktitle>Proceedings: Student Research Workshop</booktitle></meta><paper id="1"><title>S</title><url>2023.acl-srw.1</url></paper></volume></collection>)";

TEST(AclReader, ReadsAllVolumesOfACollection) {
  const Listing listing = read_acl_xml(kXml);
  ASSERT_EQ(listing.records.size(), 4U);
  const Record& first = listing.records[0];
  EXPECT_EQ(first.id, "2023.acl-long.1");
  EXPECT_EQ(first.track, "long");
  EXPECT_EQ(first.month, 7);
  EXPECT_EQ(first.pdf_url, "https://aclanthology.org/2023.acl-long.1.pdf");
  const Cleaned paper = cleaned("acl", 2023, first);
  EXPECT_EQ(paper.paper.title, "BERTScore of $O(n)$ Trees") << "markup inside words leaves no blank";
  EXPECT_EQ(paper.paper.authors, (Names{"Furkan Şahinuç", "Aristo"})) << "someone with one name";
  EXPECT_EQ(paper.paper.doi, "10.18653/v1/2023.acl-long.1");
  EXPECT_EQ(listing.records[1].withdrawn, "the Anthology marks it as retracted");
  EXPECT_EQ(listing.records[2].id, "2023.acl-long.3") << "composed where no <url> says it";
  EXPECT_EQ(listing.records[2].pdf_url, "");
  EXPECT_EQ(listing.records[3].track, "srw");
}

TEST(AclReader, KnowsTheOldIds) {
  const auto id = [](const char* collection, const char* volume, const char* number) {
    const Listing listing = read_acl_xml(
        fmt::format("<collection id='{}'><volume id='{}'><meta><booktitle>B</booktitle></meta><paper "
                    "id='{}'><title>T</title></paper></volume></collection>",
                    collection, volume, number));
    return listing.records.at(0).id;
  };
  EXPECT_EQ(id("P17", "1", "1"), "P17-1001");
  EXPECT_EQ(id("D19", "50", "1"), "D19-5001");
  EXPECT_EQ(id("W19", "4", "12"), "W19-0412");
}

TEST(AclReader, CountsOnePaperLessWhenOneIsGone) {
  EXPECT_EQ(read_acl_xml(without(kXml, kPaper)).records.size(), 3U);
}

TEST(AclReader, RefusesBrokenXml) {
  EXPECT_TRUE(notices_another_layout([] { (void)read_acl_xml(kXml.substr(0, kXml.size() / 2)); }));
  EXPECT_TRUE(notices_another_layout([] { (void)read_acl_xml("<html/>"); }));
}

TEST(AclReader, ReadsAVolumePageWithItsAbstracts) {
  const std::string page =
      R"(<h2 id="title">Proceedings of ACL (Volume 2: Short Papers)</h2><span class="badge">2 papers</span>
<p class="d-sm-flex align-items-stretch"><span><a href="/2024.acl-short.0.pdf">pdf</a></span><span><strong><a class="align-middle" href="/2024.acl-short.0/">Front</a></strong></span></p>
<p class="d-sm-flex"><span><a class="badge" href="https://aclanthology.org/2024.acl-short.1.pdf">pdf</a></span><span><strong>
<a class="align-middle" href="/2024.acl-short.1/"><span class="acl-fixed-case">LLM</span>s Write?</a></strong><br>
<a href="/people/a/ada-oak/">Ada Oak</a> | <a href="/people/b/bo/">Bo Elm</a></span></p>
<div class="card abstract-collapse collapse" id="abstract-2024--acl-short--1"><div class="card-body">They do.</div></div>
<p class="d-sm-flex"><span><strong><a class="align-middle" href="/2024.acl-short.2/">Two</a></strong></span></p>)";
  const Listing listing = read_acl_page(page);
  ASSERT_EQ(listing.records.size(), 2U);
  EXPECT_EQ(listing.stated, 2U);
  EXPECT_EQ(listing.records[0].id, "2024.acl-short.1");
  EXPECT_EQ(listing.records[0].title, "LLMs Write?");
  EXPECT_EQ(listing.records[0].authors, (Names{"Ada Oak", "Bo Elm"}));
  EXPECT_EQ(listing.records[0].abstract, "They do.");
  EXPECT_EQ(listing.records[0].track, "short");
  EXPECT_EQ(listing.records[1].abstract, "");
  EXPECT_TRUE(notices_another_layout([&] { (void)read_acl_page(with(page, "align-middle", "x")); }));
}

TEST(Tracks, OfTheAnthologyAreToldApart) {
  for (const char* main : {"long", "short", "main"}) EXPECT_TRUE(judge_by_rules("acl", main).main) << main;
  for (const char* beside :
       {"findings", "industry", "srw", "demo", "demos", "tutorial", "tutorials", "workshop"})
    EXPECT_FALSE(judge_by_rules("emnlp", beside).main) << beside;
}

TEST(Tracks, OfAaaiAreToldApart) {
  for (const char* main :
       {"AAAI Technical Track on Application Domains I", "Technical Papers: NLP and Machine Learning",
        "Main Track: Vision", "AAAI Special Track on AI for Social Impact", "Journal Track",
        "Constraints, Satisfiability, and Search", "Focus Area on Accountability",
        "AAAI Technical Track: Game Playing and Interactive Entertainment"})
    EXPECT_TRUE(judge_by_rules("aaai", main).main) << main;
  for (const char* beside :
       {"IAAI Technical Track on Emerging Applications of AI", "EAAI Symposium: Full Papers",
        "Student Abstracts", "AAAI Student Abstract and Poster Program", "Doctoral Consortium Track",
        "Demonstrations", "Senior Member Presentation: Summary Papers", "New Faculty Highlights",
        "What's Hot", "Sister Conference Track", "NECTAR", "Frontmatter", "AAAI Undergraduate Consortium",
        "Deployed Application Case Studies", "New Scientific and Technical Advances in Research"})
    EXPECT_FALSE(judge_by_rules("aaai", beside).main) << beside;
}

TEST(Tracks, OfIjcaiAreToldApartInAnyCase) {
  EXPECT_TRUE(judge_by_rules("ijcai", "Main Track").main);
  for (const char* beside :
       {"Journal track", "Journal Track", "Survey track", "Sister Conferences Best Papers", "Demo Track",
        "Doctoral Consortium", "Early Career", "AI for Good", "Special Track on AI in FinTech",
        "AI, The Arts and Creativity", "AI and Social Good", "AI4Tech: AI Enabling Technologies",
        "Human-Centred Artificial Intelligence"})
    EXPECT_FALSE(judge_by_rules("ijcai", beside).main) << beside;
  EXPECT_TRUE(judge_by_rules("neurips", "conference").main);
  EXPECT_TRUE(judge_by_rules("colt", "Open Problems").main);
  EXPECT_FALSE(judge_by_rules("neurips", "creative_ai_track").main ||
               judge_by_rules("iclr", "Workshop Papers").main);
}

TEST(Tracks, AreDecidedOnceByAJudgeAndThenByTheFile) {
  const testing::TempFolder folder;
  const std::string judge = (folder / "judge.sh").string();
  const std::string asked = (folder / "asked").string();
  io::write_file_atomically(judge,
                            "read line; echo \"$line\" >> " + asked +
                                "; case \"$line\" in *Survey*) printf 'excluded\\tsurveys\\n';; *) printf "
                                "'main\\ta topic\\n';; esac\n");
  {
    TrackFilter filter(folder / "tracks.tsv", "sh " + judge);
    EXPECT_FALSE(filter.verdict("ijcai", "Survey $(rm -rf x) Track").main);
    EXPECT_EQ(filter.verdict("ijcai", "Survey $(rm -rf x) Track").by, "judge");
    EXPECT_TRUE(filter.verdict("ijcai", "Main Track").main);
    filter.save();
  }
  EXPECT_EQ(io::read_file(asked), "ijcai\tSurvey $(rm -rf x) Track\nijcai\tMain Track\n")
      << "each track once, and never through a shell";
  TrackFilter filter(folder / "tracks.tsv", "false");
  EXPECT_EQ(filter.verdict("ijcai", "Main Track").reason, "a topic")
      << "the file knows: the judge is not asked";
  EXPECT_THROW((void)filter.verdict("ijcai", "New Track"), Error) << "a judge that fails";
}

}  // namespace
}  // namespace mustcite::collect
