// www.ijcai.org, jmlr.org and auai.org: pages written by us after their structure.
#include <gtest/gtest.h>

#include "stages/collect/html/decode_page.hpp"
#include "unit/collect/reading.hpp"

namespace mustcite::collect {
namespace {

const std::string kPaper =
    R"(<div class="paper_wrapper" id="paper62"><div class="title">Gale–Shapley&#8203; Matching</div><div class="authors">Rohit Oak, Dinesh Elm</div>
<div class="details">(<a href="0062.pdf">PDF</a> | <a href="/proceedings/2017/62">Details</a>)</div></div>)";
const std::string kYear =
    R"(<div class="section"><div class="section_title"><h3>Main Track</h3></div><div class="subsection"><div class="subsection_title">Agents</div>)" +
    kPaper +
    R"(</div></div><div class="section"><div class="section_title"><h3>Journal track</h3></div>
<div class="paper_wrapper" id="paper63"><div class="title">Again (Extended Abstract)</div><div class="authors">A B</div><div class="details">(<a href="0063.pdf">PDF</a>)</div></div></div>)";

TEST(IjcaiReader, ReadsAYearWithItsTracks) {
  const Listing listing = read_ijcai_list(kYear, "https://www.ijcai.org/proceedings/2017/");
  ASSERT_EQ(listing.records.size(), 2U);
  EXPECT_EQ(listing.records[0].id, "62");
  EXPECT_EQ(listing.records[0].track, "Main Track");
  EXPECT_EQ(listing.records[0].pdf_url, "https://www.ijcai.org/proceedings/2017/0062.pdf");
  EXPECT_EQ(listing.records[0].page_url, "https://www.ijcai.org/proceedings/2017/62");
  EXPECT_EQ(listing.records[1].track, "Journal track");
  EXPECT_EQ(cleaned("ijcai", 2017, listing.records[0]).paper.title, "Gale–Shapley Matching")
      << "a zero-width blank goes";
  EXPECT_EQ(read_ijcai_list(without(kYear, kPaper), "https://www.ijcai.org/proceedings/2017/").records.size(),
            1U);
  EXPECT_TRUE(notices_another_layout(
      [] { (void)read_ijcai_list(with(kYear, "paper_wrapper", "p"), "https://www.ijcai.org/"); }));
}

TEST(IjcaiReader, TakesTheAbstractAndNotTheKeywords) {
  Record record;
  read_ijcai_paper(
      R"(<meta name="citation_title" content="T"><meta name="citation_author" content="A B"><meta name="citation_doi" content="10.24963/ijcai.2017/62">
<h1>IJCAI</h1><h1>T</h1><h2>A B</h2><hr><div class="row"><div class="col-md-12">First line
second line.</div><div class="col-md-12"><div class="keywords"><div class="title">Keywords:</div><div class="topic">Agents</div></div></div></div>)",
      record);
  EXPECT_EQ(record.abstract, "First line second line.");
  EXPECT_EQ(record.doi, "10.24963/ijcai.2017/62");
  EXPECT_TRUE(notices_another_layout([&] { read_ijcai_paper("<h1>Not found</h1>", record); }));
}

TEST(IjcaiReader, ReadsThePagesOf2016) {
  const Listing listing = read_ijcai_old_list(
      R"(<h3>Volume One</h3><p>Auditable Intelligence / 2<br/><i>Ada Oak</i> <a href="/Abstract/16/008">Abstract</a>
<a href="/Proceedings/16/Papers/008.pdf">PDF</a></p>)",
      "https://www.ijcai.org/proceedings/2016/");
  ASSERT_EQ(listing.records.size(), 1U);
  Record record = listing.records[0];
  EXPECT_EQ(record.id, "008");
  EXPECT_EQ(record.title, "Auditable Intelligence");
  read_ijcai_old_paper(
      R"(<div class="content"><p>Auditable Artificial Intelligence / 2<br /><i>Ada Oak, Bo Elm</i></p><p>A complete &amp; official text.</p>
<p><a href="/Proceedings/16/Papers/008.pdf">PDF</a></p></div>)",
      record);
  EXPECT_EQ(record.title, "Auditable Artificial Intelligence");
  EXPECT_EQ(record.abstract, "A complete & official text.");
  EXPECT_EQ(record.pdf_url, "https://www.ijcai.org/Proceedings/16/Papers/008.pdf");
  EXPECT_EQ(cleaned("ijcai", 2016, record).paper.authors, (Names{"Ada Oak", "Bo Elm"}));
}

TEST(IjcaiReader, ReadsAListOfAcceptedPapers) {
  const Listing listing = read_ijcai_accepted(
      R"(<ul><li class="ij-paper"><span class="ij-pid">#12</span><div class="ij-ptitle">Soon</div>
<span class="ij-author">A B</span><span class="ij-author">C D</span><div class="ij-abstract">Text.</div></li></ul>)",
      "https://2026.ijcai.org/accepted-papers/");
  ASSERT_EQ(listing.records.size(), 1U);
  EXPECT_EQ(listing.records[0].id, "12");
  EXPECT_EQ(listing.records[0].authors, (Names{"A B", "C D"}));
}

TEST(JmlrReader, ReadsVolumesOfAllAges) {
  // Quotes of every kind, a mis-nested name, an unclosed dt, absolute and relative addresses.
  const std::string page =
      R"(<div id="content"><dl><dt>Learning with &#8467;1 and $k$-Trees<dd><b><i>Marina Oak, Michael I. Elm</i></b>; 1(Oct):1&minus;48, 2000.
<br>[<a href='meila00a.html'>abs</a>][<a target=_blank href=/papers/volume1/meila00a/meila00a.pdf>pdf</a>]</dd>
<dt>toolbox: A Box</dt><dd><b><i>Cy Vane</b></i>; (76):1--5, 2018. <br/>(Machine Learning Open Source Software Paper)
<br/>[<a href=" http://www.jmlr.org/papers/v1/14-249.html ">abs</a>][<a href="http://jmlr.org/papers/volume1/14-249/14-249.pdf">pdf</a>]</dd></dl></div>)";
  const Listing listing = read_jmlr_volume(page, "https://jmlr.org/papers/v1/");
  ASSERT_EQ(listing.records.size(), 2U);
  EXPECT_EQ(listing.records[0].id, "meila00a");
  EXPECT_EQ(listing.records[0].page_url, "https://jmlr.org/papers/v1/meila00a.html");
  EXPECT_EQ(listing.records[0].pdf_url, "https://jmlr.org/papers/volume1/meila00a/meila00a.pdf");
  const Cleaned first = cleaned("jmlr", 2000, listing.records[0]);
  EXPECT_EQ(first.paper.title, "Learning with ℓ1 and $k$-Trees");
  EXPECT_EQ(first.paper.authors, (Names{"Marina Oak", "Michael I. Elm"}));
  EXPECT_EQ(listing.records[1].id, "14-249");
  EXPECT_EQ(listing.records[1].track, "MLOSS");
  EXPECT_EQ(listing.records[1].authors, Names{"Cy Vane"});
  EXPECT_EQ(cleaned("jmlr", 2017, listing.records[1]).paper.date.year, 2017)
      << "the volume's year, not the printed one";
  EXPECT_TRUE(
      notices_another_layout([] { (void)read_jmlr_volume("<p>JMLR</p>", "https://jmlr.org/papers/v1/"); }));
}

TEST(JmlrReader, ReadsAbstractsOfAllAges) {
  Record record;
  read_jmlr_paper(
      R"(<meta name="citation_author" content="Oak, Ada"><h2>T</h2><i>Ada Oak</i><h3>Abstract</h3><p class="abstract">New style.</p>)",
      record);
  EXPECT_EQ(record.abstract, "New style.");
  read_jmlr_paper(html::decode_page("<h2>T</h2><p><b>Ada Oak</b></p><h3>Abstract</h3>Old\x01 style with "
                                    "$\\tau$ and &lt;b&gt;marks.<font "
                                    "color=gray><p>[abs][pdf]</font>",
                                    ""),
                  record);
  record.id = "x";
  record.title = "T";
  EXPECT_EQ(cleaned("jmlr", 2003, record).paper.abstract, "Old style with $\\tau$ and marks.")
      << "control characters go";
  EXPECT_TRUE(notices_another_layout([&] { read_jmlr_paper("<p>404</p>", record); }));
}

TEST(AuaiReader, ReadsTheTableOf2015And2016) {
  const Listing listing = read_auai_table(
      R"(<table><tr><th>ID</th><th>Paper</th></tr><tr><td><b>ID: 14</b><a href="proceedings/papers/14.pdf">pdf</a></td>
<td><div><b>Bayes in Budapest</b></div><i>Ada Oak, Univ. of X; Bo Elm, Y Labs</i><div class="collapse"><div>Text here.</div></div></td></tr></table>)",
      "https://www.auai.org/uai2016/proceedings.php");
  ASSERT_EQ(listing.records.size(), 1U);
  EXPECT_EQ(listing.records[0].id, "14");
  EXPECT_EQ(listing.records[0].authors, (Names{"Ada Oak", "Bo Elm"})) << "without where they work";
  EXPECT_EQ(listing.records[0].abstract, "Text here.");
  EXPECT_EQ(listing.records[0].pdf_url, "https://www.auai.org/uai2016/proceedings/papers/14.pdf");
}

TEST(AuaiReader, ReadsTheHeadingsOf2017And2018) {
  const Listing listing = read_auai_headings(
      R"(<table><tr><td><b>ID: 3</b><a href="proceedings/papers/3.pdf">pdf</a></td><td><h4><p class="text-info">Best Paper</p></h4>
<h4>Causes of Rain</h4>Ada Oak, Univ. of X; Bo Elm, Y Labs<div class="collapse">Clouds.</div></td></tr></table>)",
      "https://www.auai.org/uai2018/accepted.php");
  ASSERT_EQ(listing.records.size(), 1U);
  EXPECT_EQ(listing.records[0].title, "Causes of Rain") << "not the banner of the award";
  EXPECT_EQ(listing.records[0].authors, (Names{"Ada Oak", "Bo Elm"}));
  EXPECT_EQ(listing.records[0].abstract, "Clouds.");
  EXPECT_TRUE(
      notices_another_layout([] { (void)read_auai_headings("<table></table>", "https://www.auai.org/"); }));
}

}  // namespace
}  // namespace mustcite::collect
