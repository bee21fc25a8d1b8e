// openaccess.thecvf.com and www.ecva.net: pages written by us after their structure.
#include <gtest/gtest.h>

#include "unit/collect/reading.hpp"

namespace mustcite::collect {
namespace {

const std::string kCvf = "https://openaccess.thecvf.com/CVPR2024?day=all";

const std::string kEntry =
    R"(<dt class="ptitle"><br><a href="/content/CVPR2024/html/Oak_Seeing_Leaves_CVPR_2024_paper.html">Seeing
&#173;Leaves &amp; Roots</a></dt><dd>
<form id="a" action="/CVPR2024" method="post" class="authsearch"><input type="hidden" name="query_author" value="Ada Oak"><a href="#">Ada Oak</a>,</form>
<form id="b" action="/CVPR2024" method="post" class="authsearch"><input type="hidden" name="query_author" value="Şule Yıldız"><a href="#">S</a></form></dd>
<dd>[<a href="/content/CVPR2024/papers/Oak_Seeing_Leaves_CVPR_2024_paper.pdf">pdf</a>] [<a href="http://arxiv.org/abs/2401.00001">arXiv</a>]
<div class="link2">[bibtex]<div class="bibref">@InProceedings{Oak, author = {Oak, Ada}, title = {x}}</div></div></dd>)";

const std::string kDay = R"(<html><div id="content"><dl>)" + kEntry + R"(
<dt class="ptitle"><br><a href="/content/CVPR2024/html/Elm_No_File_CVPR_2024_paper.html">No File</a></dt>
<dd>[no pdf]<div class="bibref">@InProceedings{Elm, author    = {Elm, Bo and Fir, Di}, title = {No File}}</div></dd></dl></div></html>)";

TEST(CvfReader, ReadsAListOfAllDays) {
  const Listing listing = read_cvf_list(kDay, kCvf);
  ASSERT_EQ(listing.records.size(), 2U);
  EXPECT_EQ(listing.records[0].id, "Oak_Seeing_Leaves_CVPR_2024");
  EXPECT_EQ(listing.records[0].pdf_url,
            "https://openaccess.thecvf.com/content/CVPR2024/papers/Oak_Seeing_Leaves_CVPR_2024_paper.pdf");
  EXPECT_EQ(listing.records[0].arxiv_id, "2401.00001");
  EXPECT_EQ(listing.records[0].authors, (Names{"Ada Oak", "Şule Yıldız"}));
  EXPECT_EQ(cleaned("cvpr", 2024, listing.records[0]).paper.title, "Seeing Leaves & Roots")
      << "a soft hyphen goes";
  EXPECT_EQ(listing.records[1].pdf_url, "") << "a paper without a file stays";
  EXPECT_EQ(cleaned("cvpr", 2024, listing.records[1]).paper.authors, (Names{"Bo Elm", "Di Fir"}))
      << "from the BibTeX entry";
}

TEST(CvfReader, ReadsTheOldAddresses) {
  const std::string old = with(with(kEntry, "/content/CVPR2024/html/Oak_Seeing_Leaves_CVPR_2024_paper.html",
                                    "content_cvpr_2013/html/Oak_Seeing_Leaves_2013_CVPR_paper.html"),
                               ">pdf<", ">[pdf]<");
  const Listing listing = read_cvf_list(old, "https://openaccess.thecvf.com/CVPR2013?day=all");
  ASSERT_EQ(listing.records.size(), 1U);
  EXPECT_EQ(listing.records[0].page_url,
            "https://openaccess.thecvf.com/content_cvpr_2013/html/Oak_Seeing_Leaves_2013_CVPR_paper.html");
  EXPECT_EQ(listing.records[0].id, "Oak_Seeing_Leaves_2013_CVPR");
  EXPECT_FALSE(listing.records[0].pdf_url.empty());
}

TEST(CvfReader, FindsTheDaysWhereThereIsNoList) {
  const Listing listing =
      read_cvf_list(R"(<div id="content"><dl><dd><a href="CVPR2018?day=2018-06-19">Day 1</a></dd>
<dd><a href="CVPR2018?day=2018-06-20">Day 2</a></dd><dd><a href="CVPR2018?day=all">All</a></dd><dd><a href="../menu.py">back</a></dd></dl></div>)",
                    "https://openaccess.thecvf.com/CVPR2018");
  EXPECT_EQ(listing.more, (Names{"https://openaccess.thecvf.com/CVPR2018?day=2018-06-19",
                                 "https://openaccess.thecvf.com/CVPR2018?day=2018-06-20"}));
}

TEST(CvfReader, ReadsAPaper) {
  Record record;
  read_cvf_paper(R"(<meta name="citation_title" content="T"><meta name="citation_author" content="Oak, Ada">
<meta name="citation_pdf_url" content="https://x.org/a.pdf"><div id="content"><div id="papertitle">T</div><div id="authors"><br><b><i>Ada Oak</i></b>; Proc</div>
<div id="abstract">"We segment high-resolu- tion leaves with care and patience."</div></div>)",
                 record);
  const Cleaned paper = cleaned("cvpr", 2024, [&] {
    record.title = "T";
    record.id = "x";
    return record;
  }());
  EXPECT_EQ(paper.paper.authors, Names{"Ada Oak"});
  EXPECT_EQ(paper.paper.abstract, "We segment high-resolution leaves with care and patience.")
      << "quotes and line-end hyphens go";
  EXPECT_TRUE(notices_another_layout([&] { read_cvf_paper("<p>moved</p>", record); }));
}

const std::string kEcva =
    R"(<button class="accordion">ECCV 2024 Papers</button><div class="accordion-content"><div id="content"><dl>
<dt class="ptitle"><br><a href=papers/eccv_2024/papers_ECCV/html/4_ECCV_2024_paper.php>A Retained Set</a></dt>
<dd>Ada Oak*, Bo Elm¹</dd><dd>[<a href='papers/eccv_2024/papers_ECCV/papers/00004.pdf'>pdf</a>]
[<a href="https://link.springer.com/chapter/10.1007/978-3-031-1_1">DOI</a>]</dd></dl></div></div>
<button class="accordion">ECCV 2018 Papers</button><div class="accordion-content"><dl><dt class="ptitle"><br>
<a href="/papers/eccv_2018/papers_ECCV/html/Ada_Oak_Physical_Trees_ECCV_2018_paper.php">Physical Trees</a></dt><dd>Oak, Ada and Elm, Bo</dd>
<dd>[<a href="papers/eccv_2018/papers_ECCV/papers/Ada_Oak_Physical_Trees_ECCV_2018_paper.pdf">pdf</a>]</dd></dl></div>)";

TEST(EcvaReader, ReadsOneYearOfThePageOfAllYears) {
  const Listing listing = read_ecva_list(kEcva, "https://www.ecva.net/papers.php", 2024);
  ASSERT_EQ(listing.records.size(), 1U);
  EXPECT_EQ(listing.records[0].id, "00004");
  EXPECT_EQ(listing.records[0].page_url,
            "https://www.ecva.net/papers/eccv_2024/papers_ECCV/html/4_ECCV_2024_paper.php")
      << "an unquoted address";
  EXPECT_EQ(listing.records[0].pdf_url, "https://www.ecva.net/papers/eccv_2024/papers_ECCV/papers/00004.pdf");
  EXPECT_EQ(listing.records[0].doi, "10.1007/978-3-031-1_1");
  EXPECT_EQ(cleaned("eccv", 2024, listing.records[0]).paper.authors, (Names{"Ada Oak", "Bo Elm"}))
      << "marks go";
}

TEST(EcvaReader, ReadsTheNamesOf2018) {
  const Listing listing = read_ecva_list(kEcva, "https://www.ecva.net/papers.php", 2018);
  ASSERT_EQ(listing.records.size(), 1U);
  EXPECT_EQ(listing.records[0].id, "Ada_Oak_Physical_Trees_ECCV_2018");
  EXPECT_EQ(cleaned("eccv", 2018, listing.records[0]).paper.authors, (Names{"Ada Oak", "Bo Elm"}))
      << "Last, First and Last, First";
}

TEST(EcvaReader, NoticesAMissingYearAndAnotherLayout) {
  EXPECT_TRUE(
      notices_another_layout([] { (void)read_ecva_list(kEcva, "https://www.ecva.net/papers.php", 2022); }));
  EXPECT_TRUE(notices_another_layout(
      [] { (void)read_ecva_list(with(kEcva, "ptitle", "t"), "https://www.ecva.net/papers.php", 2024); }));
}

TEST(EcvaReader, ReadsAPaper) {
  Record record;
  record.id = "1";
  record.title = "T";
  read_ecva_paper(
      "<div id=papertitle>T</div><div id=authors><b><i>Ada Oak</i></b></div><div id=abstract>\"It "
      "isn\xC3\xA2\xE2\x82\xAC\xE2\x84\xA2t 360\xC2\xB0 wide at all.\"</div>",
      record);
  EXPECT_EQ(cleaned("eccv", 2022, record).paper.abstract, "It isn’t 360° wide at all.")
      << "mojibake is undone";
}

}  // namespace
}  // namespace mustcite::collect
