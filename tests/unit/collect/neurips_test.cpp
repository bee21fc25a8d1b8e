// proceedings.neurips.cc: pages written by us after its structure, each with a hard record.
#include <gtest/gtest.h>

#include "unit/collect/reading.hpp"

namespace mustcite::collect {
namespace {

const std::string kBase = "https://proceedings.neurips.cc/paper_files/paper/2024";

const std::string kFirst = R"(
<li class="conference" data-track="conference"><div class="paper-content">
<a title="paper title" href="/paper_files/paper/2024/hash/00000000000000000000000000000001-Abstract-Conference.html">Plain
 Walks on $\mathbb{Z}^d$</a>
<span class="paper-authors">Ada Quill, &amp;quot;Bob&amp;quot; Stone, &#12471; &#22283;</span></div>
<span class="paper-track-badge">Main Conference Track</span></li>)";

const std::string kList = R"(<!doctype html><html><body><h1 class="book-title">Advances 37</h1>
<span class="paper-count">2 papers</span>
<button class="track-filter" data-track="all">All</button><button class="track-filter" data-track="conference">Main</button>
<ul class="paper-list">)" +
                          kFirst + R"(
<li class="datasets_and_benchmarks_track" data-track="datasets_and_benchmarks_track"><div class="paper-content">
<a title="paper title" href="/paper_files/paper/2024/hash/00000000000000000000000000000002-Abstract-Datasets_and_Benchmarks_Track.html">A Table of Teapots</a>
<span class="paper-authors">Cy Vane</span></div></li>
</ul></body></html>)";

TEST(NeurIpsReader, ReadsTheYearListWithTracksAndStatedCount) {
  const Listing listing = read_neurips_list(kList, kBase);
  ASSERT_EQ(listing.records.size(), 2U);
  EXPECT_EQ(listing.stated, 2U);
  EXPECT_TRUE(listing.problems.empty());
  const Record& first = listing.records[0];
  EXPECT_EQ(first.id, "00000000000000000000000000000001");
  EXPECT_EQ(first.track, "conference");
  EXPECT_EQ(first.pdf_url,
            "https://proceedings.neurips.cc/paper_files/paper/2024/file/"
            "00000000000000000000000000000001-Paper-Conference.pdf");
  EXPECT_EQ(listing.records[1].track, "datasets_and_benchmarks_track");
  const Cleaned paper = cleaned("neurips", 2024, first);
  EXPECT_EQ(paper.paper.id.str(), "neurips-2024-00000000000000000000000000000001");
  EXPECT_EQ(paper.paper.title, R"(Plain Walks on $\mathbb{Z}^d$)");
  EXPECT_EQ(paper.paper.authors, (Names{"Ada Quill", "\"Bob\" Stone", "シ 國"}))
      << "entities that were escaped twice";
}

TEST(NeurIpsReader, CountsOnePaperLessWhenOneIsGone) {
  const Listing listing = read_neurips_list(without(kList, kFirst), kBase);
  EXPECT_EQ(listing.records.size(), 1U);
  EXPECT_EQ(listing.stated, 2U) << "so the site's own number gives it away";
}

TEST(NeurIpsReader, ReadsListsWithoutTracksAsBefore2022) {
  const std::string page =
      R"(<ul class="paper-list"><li class="" data-track="none"><div class="paper-content">
<a title="paper title" href="/paper_files/paper/2001/hash/0000000000000000000000000000000a-Abstract.html">Spikes</a>
<span class="paper-authors">H\`elene Poe</span></div></li></ul>)";
  const Listing listing = read_neurips_list(page, "https://proceedings.neurips.cc/paper_files/paper/2001");
  ASSERT_EQ(listing.records.size(), 1U);
  EXPECT_EQ(listing.records[0].track, "");
  EXPECT_EQ(listing.records[0].pdf_url,
            "https://proceedings.neurips.cc/paper_files/paper/2001/file/"
            "0000000000000000000000000000000a-Paper.pdf");
  EXPECT_EQ(cleaned("neurips", 2001, listing.records[0]).paper.authors, Names{"Hèlene Poe"})
      << "a name in LaTeX";
}

TEST(NeurIpsReader, FollowsTheVolumeThatHoldsTheRestOf2025) {
  const std::string page = R"(<span class="paper-count">1 papers</span><p>See also
<a href="/paper_files/paper/2025/vol38-main-conference">vol 38</a></p><ul class="paper-list"><li data-track="creative_ai_track">
<a title="paper title" href="/paper_files/paper/2025/hash/0000000000000000000000000000000b-Abstract-Creative_AI_Track.html">Dance</a>
<span class="paper-authors">E F</span></li></ul>)";
  const Listing listing = read_neurips_list(page, "https://proceedings.neurips.cc/paper_files/paper/2025");
  EXPECT_EQ(listing.more,
            Names{"https://proceedings.neurips.cc/paper_files/paper/2025/vol38-main-conference"});
  EXPECT_EQ(listing.records.at(0).track, "creative_ai_track");
}

TEST(NeurIpsReader, KeepsTheRoundsOfTheDatasetsHostApart) {
  const std::string item =
      R"(<li class="roundN"><a title="paper title" href="/paper/2021/hash/00000000000000000000000000000001-Abstract-roundN.html">
Cats</a> <i>Ann Oak, Ben Elm</i></li>)";
  const Listing listing =
      read_neurips_list("<ul>" + with(item, "roundN", "round1") + with(item, "roundN", "round2") + "</ul>",
                        "https://datasets-benchmarks-proceedings.neurips.cc/paper/2021");
  ASSERT_EQ(listing.records.size(), 2U) << "one hash, two papers";
  EXPECT_EQ(listing.records[0].id, "00000000000000000000000000000001-round1");
  EXPECT_EQ(listing.records[1].id, "00000000000000000000000000000001-round2");
  EXPECT_EQ(cleaned("neurips", 2021, listing.records[0]).paper.authors, (Names{"Ann Oak", "Ben Elm"}));
}

const std::string kPaper = R"(<!doctype html><html><head>
<meta name="citation_title" content="In&#64257;nite Mixtures &amp;amp; More"><meta name="citation_author" content="Sj&ouml;lund, Jens">
<meta name="citation_author" content="QIANQIAN SHEN"><meta name="citation_doi" content="10.52202/079017-0001">
<meta name="citation_pdf_url" content="https://proceedings.neurips.cc/paper_files/paper/2024/file/01-Paper-Conference.pdf">
</head><body><h1 class="paper-title">Infinite Mixtures</h1><section class="paper-section"><h2 class="section-label">Abstract</h2>
<p class="paper-abstract"><p>We classi(cid:12)ed (cid:173) points with a <b>kernel</b> where n < m and avoid over- fitting of &lt;i&gt;priors&lt;/i&gt;.</p></p>
</section><section class="paper-section"><h2 class="section-label">DOI</h2><p>10.52202</p></section></body></html>)";

TEST(NeurIpsReader, FindsTheAbstractThatNestedParagraphsHide) {
  Record record;
  record.id = "01";
  record.title = "from the list";
  read_neurips_paper(kPaper, record);
  EXPECT_EQ(record.doi, "10.52202/079017-0001");
  const Cleaned paper = cleaned("neurips", 2024, record);
  EXPECT_EQ(paper.paper.title, "Infinite Mixtures & More") << "a ligature, and an entity escaped twice";
  EXPECT_EQ(paper.paper.authors, (Names{"Jens Sjölund", "Qianqian Shen"}));
  EXPECT_EQ(paper.paper.abstract,
            "We classified points with a kernel where n < m and avoid overfitting of priors.")
      << "(cid:) marks become what they stand for, or go, a hyphen of a line end is undone, the DOI section "
         "is no part of it";
}

TEST(NeurIpsReader, ReadsTheHeadingsOfTheOlderPages) {
  Record record;
  read_neurips_paper(
      R"(<meta name="citation_title" content="T"><div class="col"><h4>T</h4><p>Part of Advances</p><h4>Authors</h4>
<p><i>A B</i></p><h4>Abstract</h4><p></p><p>Cells are counted.</p><h4>Later</h4><p>no</p></div>)",
      record);
  EXPECT_EQ(record.abstract, "Cells are counted.");
}

TEST(NeurIpsReader, NoticesAnotherLayout) {
  EXPECT_TRUE(notices_another_layout(
      [] { (void)read_neurips_list(with(with(kList, "paper title", "x"), "-Abstract", ""), kBase); }));
  Record record;
  EXPECT_TRUE(notices_another_layout([&] { read_neurips_paper("<h1>Welcome</h1><p>soon</p>", record); }));
}

}  // namespace
}  // namespace mustcite::collect
