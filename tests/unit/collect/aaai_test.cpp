// ojs.aaai.org, its OAI-PMH and the old library: pages written by us after their structure.
#include <gtest/gtest.h>

#include "unit/collect/reading.hpp"

namespace mustcite::collect {
namespace {

TEST(OjsReader, FindsTheIssuesOfAVolumeAndTheNextPage) {
  const std::string page = R"(<ul class="issues_archive">
<li><div class="obj_issue_summary"><h2><a class="title" href="https://ojs.aaai.org/index.php/AAAI/issue/view/683">AAAI-26 Technical Tracks 1</a>
<div class="series">Vol. 40 No. 1 (2026)</div></h2></div></li>
<li><div class="obj_issue_summary"><h2><a class="title" href="https://ojs.aaai.org/index.php/AAAI/issue/view/600">Vol. 4 No. 0 (1990)</a></h2></div></li></ul>
<div class="cmp_pagination"><a class="next" href="https://ojs.aaai.org/index.php/AAAI/issue/archive/2">Next</a></div>)";
  const OjsArchive archive = read_ojs_archive(page, "https://ojs.aaai.org/index.php/AAAI/issue/archive", 40);
  EXPECT_EQ(archive.issues, Names{"https://ojs.aaai.org/index.php/AAAI/issue/view/683"});
  EXPECT_EQ(archive.others, 1U) << "Vol. 4 is not Vol. 40";
  EXPECT_EQ(archive.next, "https://ojs.aaai.org/index.php/AAAI/issue/archive/2");
  EXPECT_TRUE(
      notices_another_layout([] { (void)read_ojs_archive("<p>moved</p>", "https://ojs.aaai.org/", 40); }));
}

const std::string kEntry =
    R"(<li><div class="obj_article_summary"><h3 class="title"><a id="article-7" href="https://ojs.aaai.org/index.php/AAAI/article/view/7">
Face Align-
ment &amp; Unlabeled</a></h3><div class="meta"><div class="authors">Congcong Oak, Hao Liu*(corresponding author), Zhen Yu</div><div class="pages">3-11</div></div>
<ul class="galleys_links"><li><a class="obj_galley_link pdf" href="https://ojs.aaai.org/index.php/AAAI/article/view/7/40">PDF</a></li></ul></div></li>)";

const std::string kIssue =
    R"(<div class="sections"><div class="section"><h2>AAAI Technical Track: Vision</h2><ul class="cmp_article_list">)" +
    kEntry + R"(</ul></div>
<div class="section"><h2>Student Abstracts</h2><ul><li><div class="obj_article_summary"><h3 class="title"><a href="/index.php/AAAI/article/view/1678-1679">Small</a></h3>
<div class="authors">A B</div></div></li><li><div class="obj_article_summary"><h3 class="title"><a href="/index.php/AAAI/article/view/9">Retraction Note: Bad</a></h3></div></li></ul></div></div>)";

TEST(OjsReader, ReadsAnIssueBySections) {
  const Listing listing = read_ojs_issue(kIssue, "https://ojs.aaai.org/index.php/AAAI/issue/view/1");
  ASSERT_EQ(listing.records.size(), 2U);
  EXPECT_EQ(listing.records[0].id, "7");
  EXPECT_EQ(listing.records[0].track, "AAAI Technical Track: Vision");
  EXPECT_EQ(listing.records[0].pdf_url, "https://ojs.aaai.org/index.php/AAAI/article/download/7/40")
      << "the file, not the frame around it";
  EXPECT_EQ(listing.records[1].id, "1678-1679");
  EXPECT_EQ(listing.records[1].track, "Student Abstracts");
  EXPECT_EQ(listing.problems.size(), 1U) << "a retraction notice is no paper";
  EXPECT_EQ(cleaned("aaai", 2020, listing.records[0]).paper.authors,
            (Names{"Congcong Oak", "Hao Liu", "Zhen Yu"}));
  EXPECT_EQ(read_ojs_issue(without(kIssue, kEntry), "https://ojs.aaai.org/").records.size(), 1U);
}

TEST(OjsReader, NoticesArticlesOutsideOfSections) {
  EXPECT_TRUE(notices_another_layout([] {
    (void)read_ojs_issue(with(kIssue, "class=\"section\"", "class=\"part\""), "https://ojs.aaai.org/");
  }));
  EXPECT_TRUE(notices_another_layout(
      [] { (void)read_ojs_issue("<p>504 Gateway Time-out</p>", "https://ojs.aaai.org/"); }));
}

TEST(OjsReader, ReadsArticlesOldAndNew) {
  Record record;
  record.id = "7";
  record.title = "T";
  read_ojs_article(
      R"(<meta name="citation_title" content="T"><meta name="citation_author" content="Ada Oak"><meta name="citation_doi" content="10.1609/AAAI.v40i1.7">
<meta name="DC.Description" content="'In this paper, we align faces in many videos.'"><section class="item abstract"><h2 class="label">Abstract</h2> Download PDF</section>)",
      record);
  EXPECT_EQ(cleaned("aaai", 2020, record).paper.abstract, "In this paper, we align faces in many videos.");
  EXPECT_EQ(cleaned("aaai", 2020, record).paper.doi, "10.1609/aaai.v40i1.7");
  read_ojs_article(
      R"(<h1 class="page_title">T</h1><section class="item abstract"><h2 class="label">Abstract</h2>
 Bare text after the label.</section>)",
      record);
  EXPECT_EQ(record.abstract, "Bare text after the label.");
  read_ojs_article(
      R"(<h1 class="page_title">T</h1><section class="item abstract"><h3>Abstract</h3><p>Download PDF</p></section>)",
      record);
  EXPECT_EQ(cleaned("aaai", 2018, record).paper.abstract, "") << "the text of a button is no abstract";
}

TEST(OaiReader, ReadsRecordsAndTheToken) {
  const std::string xml =
      R"(<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>
<record><header status="deleted"><identifier>oai:ojs.aaai.org:article/1</identifier></header></record>
<record><header><identifier>oai:ojs.aaai.org:article/3745</identifier><setSpec>AAAI:AISI</setSpec></header><metadata>
<oai_dc:dc xmlns:oai_dc="o" xmlns:dc="d"><dc:title>Vox &amp;amp; Populi</dc:title><dc:creator>Oak, Ada</dc:creator><dc:creator>von Elm, Bo</dc:creator>
<dc:description>Text.</dc:description><dc:identifier>https://ojs.aaai.org/index.php/AAAI/article/view/3745</dc:identifier>
<dc:identifier>10.1609/aaai.v33i01.3301695</dc:identifier><dc:source>Proceedings; Vol. 33 No. 01: AAAI-19, IAAI-19, EAAI-20; 695-701</dc:source><dc:source>2374-3468</dc:source>
<dc:relation>https://ojs.aaai.org/index.php/AAAI/article/view/3745/3623</dc:relation></oai_dc:dc></metadata></record>
<resumptionToken expirationDate="x">abc123</resumptionToken></ListRecords></OAI-PMH>)";
  const OaiPage page = read_oai_records(xml);
  ASSERT_EQ(page.records.size(), 1U);
  EXPECT_EQ(page.volumes, std::vector<int>{33});
  EXPECT_EQ(page.token, "abc123");
  EXPECT_EQ(page.problems.size(), 1U);
  EXPECT_EQ(page.records[0].id, "3745");
  EXPECT_EQ(page.records[0].pdf_url, "https://ojs.aaai.org/index.php/AAAI/article/download/3745/3623");
  const Cleaned paper = cleaned("aaai", 2019, page.records[0]);
  EXPECT_EQ(paper.paper.title, "Vox & Populi");
  EXPECT_EQ(paper.paper.authors, (Names{"Ada Oak", "Bo von Elm"}));
  EXPECT_TRUE(notices_another_layout([] { (void)read_oai_records("<html>500</html>"); }));
  EXPECT_TRUE(
      read_oai_records("<OAI-PMH><error code=\"noRecordsMatch\">none</error></OAI-PMH>").records.empty());
}

TEST(AaaiLibraryReader, ReadsContentsPagesOfTheProceedings) {
  const std::string page =
      R"(<div id="content"><div id="box6"><h2>Proceedings</h2><p>July 2010. <a href="../../Press/Proceedings/aaai10.php">book</a></p>
<h3 class="left"><a href="http://www.aaai.org/Library/AAAI/2008/aaai08-000.php">Contents</a></h3>
<p class="left"><a href="http://www.aaai.org/Library/AAAI/2008/aaai08-176.php">Preface</a> / liv<br /><i>Dieter Oak</i></p>
<h4>Search</h4><p class="left"><a href="http://www.aaai.org/ocs/index.php/AAAI/AAAI10/paper/view/1774">From Af&#65533;&#65533;liation Data</a>
<!-- <a href="http://www.aaai.org/ocs/1774/1910">PDF</a> --> / 3<br /><i>Carlos Oak, Maria Luisa Elm</i></p>
<h4>Agents</h4><p class="left"><a href="http://www.aaai.org/Library/AAAI/2008/aaai08-038.php" onclick="x">Old Popup</a> / 243<br /><i>A B</i></p></div></div>)";
  const Listing listing = read_aaai_library(page, "https://www.aaai.org/Library/AAAI/aaai10contents.php");
  ASSERT_EQ(listing.records.size(), 2U);
  EXPECT_EQ(listing.problems.size(), 1U);
  EXPECT_EQ(listing.records[0].id, "1774");
  EXPECT_EQ(listing.records[0].track, "Search");
  EXPECT_EQ(cleaned("aaai", 2010, listing.records[0]).paper.authors,
            (Names{"Carlos Oak", "Maria Luisa Elm"}));
  EXPECT_EQ(listing.records[1].id, "aaai08-038");
  EXPECT_EQ(listing.records[1].track, "Agents");
}

TEST(AaaiLibraryReader, LeavesOutWhereAuthorsWork) {
  const std::string page =
      R"html(<div id="box6"><h3>Auctions</h3><p class="left"><a href="http://www.aaai.org/Library/AAAI/2000/aaai00-040.php">On <i>k</i>-wise
Things</a> / 40<br /><i>Ram&oacute;n Oak and Felip Elm, Universitat de Lleida; Yu Fir,and Bo Ash, NASA Ames</i></p></div>)html";
  const Listing listing = read_aaai_library(page, "https://www.aaai.org/Library/AAAI/aaai00contents.php");
  ASSERT_EQ(listing.records.size(), 1U);
  EXPECT_EQ(cleaned("aaai", 2000, listing.records[0]).paper.authors,
            (Names{"Ramón Oak", "Felip Elm", "Yu Fir", "Bo Ash"}));
}

TEST(AaaiLibraryReader, ReadsListsOfAcceptedPapers) {
  const std::string page =
      R"(<div id="box6"><h2>List</h2><ul><li><a href="#Main">Main</a></li></ul><h4 class="text1"><a name="Main">Main Technical Track</a></h4>
<p>Sensitivity of <i>k</i>-Means<br /><i>Abhijin Oak, Chris Elm</i></p><h3>Doctoral Consortium</h3><p>18(was II): Plan Diversity<br />
Alexandra Fir, Hector Munoz-Avila</p></div>)";
  const Listing listing =
      read_aaai_accepted(page, "https://www.aaai.org/Conferences/AAAI/2013/aaai13accepts.php");
  ASSERT_EQ(listing.records.size(), 2U);
  EXPECT_EQ(listing.records[0].title, "Sensitivity of k-Means");
  EXPECT_EQ(listing.records[0].track, "Main Technical Track");
  EXPECT_EQ(listing.records[1].title, "Plan Diversity");
  EXPECT_EQ(listing.records[0].authors, Names{"Abhijin Oak, Chris Elm"}) << "not the italics of the title";
  EXPECT_EQ(listing.records[1].id, "accepted-2") << "submission numbers begin anew in each track";
  EXPECT_EQ(cleaned("aaai", 2011, listing.records[1]).paper.authors,
            (Names{"Alexandra Fir", "Hector Munoz-Avila"}));
}

}  // namespace
}  // namespace mustcite::collect
