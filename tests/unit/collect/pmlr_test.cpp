// proceedings.mlr.press: pages and files written by us after its structure.
#include <gtest/gtest.h>

#include "stages/collect/venues/yaml.hpp"
#include "unit/collect/reading.hpp"

namespace mustcite::collect {
namespace {

const std::string kBase = "https://proceedings.mlr.press/v99/";

const std::string kEntry =
    R"(<div class="paper"><p class="title">Learning $\ell_0$ Balls</p><p class="details">
<span class="authors">Benoı̂t&nbsp;Oak,&nbsp;Li&nbsp;Wei</span>;<span class="info"><i>Proc</i>, PMLR 99:1-30</span></p>
<p class="links">[<a href="https://proceedings.mlr.press/v99/Oak19.html">abs</a>][<a href="http://proceedings.mlr.press/v99/Oak19/Oak19.pdf"
onclick="ga('x', 'forum?id=false');">Download PDF</a>][<a href="https://openreview.net/forum?id=AbC123">OpenReview</a>]</p></div>)";

const std::string kVolume =
    R"(<html><body><h2>Volume 99: Conference on Learning Theory, 25-28 June 2019, Phoenix, USA</h2>
<h3>Preface</h3><div class="paper"><p class="title">Conference on Learning Theory 2019: Preface</p><p class="details">
<span class="authors">The Editors</span></p><p class="links">[<a href="beygelzimer19.html">abs</a>]</p></div>
<h3>Original Papers</h3>)" +
    kEntry + R"(
<h3>Open Problems</h3><div class="paper"><p class="title">Open Problem: Is It Convex?</p><p class="details"><span class="authors">Cy Vane</span></p>
<p class="links">[<a href="a-vane19a.html">abs</a>][<a href="a-vane19a/a-vane19a.pdf">Download PDF</a>]</p></div></body></html>)";

TEST(PmlrReader, ReadsAVolumeWithSections) {
  const Listing listing = read_pmlr_volume(kVolume, kBase);
  ASSERT_EQ(listing.records.size(), 2U);
  EXPECT_EQ(listing.stated, 2U) << "the preface is no paper";
  ASSERT_EQ(listing.problems.size(), 1U);
  EXPECT_EQ(listing.problems[0].item, "beygelzimer19");
  const Record& first = listing.records[0];
  EXPECT_EQ(first.id, "Oak19") << "slugs keep their capitals";
  EXPECT_EQ(first.track, "Original Papers");
  EXPECT_EQ(first.pdf_url, "http://proceedings.mlr.press/v99/Oak19/Oak19.pdf");
  EXPECT_EQ(first.openreview_id, "AbC123") << "of the link, not of its script";
  EXPECT_EQ(listing.records[1].track, "Open Problems");
  EXPECT_EQ(listing.records[1].page_url, "https://proceedings.mlr.press/v99/a-vane19a.html");
  const Cleaned paper = cleaned("colt", 2019, first);
  EXPECT_EQ(paper.paper.title, R"(Learning $\ell_0$ Balls)");
  EXPECT_EQ(paper.paper.authors.at(1), "Li Wei");
}

TEST(PmlrReader, NoticesAnotherLayout) {
  EXPECT_TRUE(
      notices_another_layout([] { (void)read_pmlr_volume(with(kVolume, ">abs<", ">summary<"), kBase); }));
}

TEST(PmlrReader, SaysWhenOneEntryCannotBeRead) {
  std::string page = kVolume;
  page.replace(page.find("Learning $"), std::string("Learning $\\ell_0$ Balls").size(), "");
  const Listing listing = read_pmlr_volume(page, kBase);
  EXPECT_EQ(listing.records.size(), 1U);
  EXPECT_EQ(listing.stated, 2U) << "one entry more than papers read";
  EXPECT_EQ(listing.problems.size(), 2U);
}

const std::string kCiteproc = R"(---
- title: 'Oaks: Ada''s View of
    Trees'
  section: Original Papers
  abstract: We study one thing: colons. Plain scalars go on
    over lines and may hold "quotes" and - dashes.
  id: Oak19
  author:
  - given: Benoı̂t
    prefix: de
    family: Oak
  - given: Wei
    family: Li
  issued:
    date-parts:
    - 2019
    - 6
  pdf: http://proceedings.mlr.press/v99/Oak19/Oak19.pdf
- title: "Escapes: \"x\" \u00e9 and a \
    joined line"
  abstract: |-
    First line.
    Second line.
  id: vane19a
  author:
    - {}
    - given: Cy
      family: Vane
  extras: []
)";

TEST(PmlrReader, ReadsAWholeVolumeFromCiteproc) {
  const std::vector<Record> records = read_pmlr_citeproc(kCiteproc);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].title, "Oaks: Ada's View of Trees");
  EXPECT_EQ(
      records[0].abstract,
      "We study one thing: colons. Plain scalars go on over lines and may hold \"quotes\" and - dashes.");
  EXPECT_EQ(records[0].authors, (Names{"Benoı̂t de Oak", "Wei Li"}));
  EXPECT_EQ(cleaned("colt", 2019, records[0]).paper.authors.at(0), "Benoît de Oak") << "in composed form";
  EXPECT_EQ(records[1].title, "Escapes: \"x\" é and a joined line");
  EXPECT_EQ(records[1].abstract, "First line.\nSecond line.");
  EXPECT_EQ(records[1].authors, Names{"Cy Vane"});
}

TEST(PmlrReader, ReadsAPost) {
  const Record record = read_pmlr_post(
      "---\ntitle: Fast: and Loose\nid: chen13j\nabstract: 'Short.'\nauthor:\n- given: M\n  family: "
      "Chen\n---\n");
  EXPECT_EQ(record.title, "Fast: and Loose") << "an unquoted colon is no reason to lose a paper";
  EXPECT_EQ(record.authors, Names{"M Chen"});
}

TEST(PmlrReader, ReadsABibliography) {
  const std::vector<Record> records = read_pmlr_bib(
      "@Proceedings{COLT-2019, year = {2019}}\n@InProceedings{pmlr-v99-vane19a, title = {Th{\\'e}ories}, "
      "author = {Vane, Cy and "
      "Li, Wei}, abstract = {Some text.}, pdf = {http://x.org/a.pdf}}\n");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].id, "vane19a");
  EXPECT_EQ(records[0].title, "Théories");
  EXPECT_EQ(records[0].authors, (Names{"Cy Vane", "Wei Li"}));
}

TEST(PmlrReader, ReadsAPaperPage) {
  Record record;
  read_pmlr_paper(R"(<meta name="citation_title" content="T"><meta name="citation_author" content="A B">
<div id="abstract" class="abstract">  Text with&nbsp;blanks. </div>)",
                  record);
  EXPECT_EQ(cleaned("icml", 2013, record).paper.abstract, "Text with blanks.");
  EXPECT_TRUE(notices_another_layout([&] { read_pmlr_paper("<p>404</p>", record); }));
}

TEST(Yaml, SurvivesWhatIsNoYaml) {
  EXPECT_TRUE(read_yaml("").map.empty());
  EXPECT_TRUE(read_yaml("\n\n---\n").list.empty());
  EXPECT_EQ(read_yaml("a: 'never closed\nb: 2\n")["b"].scalar, "2");
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_EQ(read_yaml(deep).map.size(), 1U);
  EXPECT_EQ(read_yaml("x: [1, 2, 3]")["x"].list.size(), 3U);
}

}  // namespace
}  // namespace mustcite::collect
