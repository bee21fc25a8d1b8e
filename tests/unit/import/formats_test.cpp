#include <gmock/gmock.h>

#include <algorithm>

#include "stages/import/venues.hpp"
#include "unit/import/importing.hpp"

namespace mustcite::importing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kAcl = R"(<?xml version='1.0' encoding='UTF-8'?>
<collection id="2031.acl">
  <volume id="long">
    <meta>
      <booktitle>Proceedings of an Annual Meeting (Volume 1: Long Papers)</booktitle>
      <month>July</month><year>2021</year><venue>acl</venue>
    </meta>
    <frontmatter><url>2031.acl-long.0</url></frontmatter>
    <paper id="1">
      <title><fixed-case>BERT</fixed-case> in <tex-math>O(n^2)</tex-math> &amp; <i>more</i></title>
      <author><first>Ada</first><last>Lovelace</last><affiliation>None</affiliation></author>
      <author><last>Madonna</last></author>
      <abstract>We study <b>it</b> at <url>http://x.org</url>.</abstract>
      <url hash="x">2031.acl-long.1</url>
      <doi>10.1/ACL.1</doi>
    </paper>
    <paper id="2"><title>Gone</title><retracted date="2021-08-01">why</retracted></paper>
    <paper id="3"><title>Unlinked</title></paper>
  </volume>
</collection>
)";

TEST_F(Importing, ReadsTheAclAnthology) {
  const Report report = import_text("acl.xml", kAcl);
  EXPECT_EQ(report.kind, Kind::acl_xml);
  EXPECT_EQ(report.papers.read, 4U);
  EXPECT_EQ(report.papers.added, 2U);
  const Paper first = paper("2031.acl-long.1");
  EXPECT_EQ(first.title, "BERT in $O(n^2)$ & more");
  EXPECT_EQ(first.abstract, "We study it at http://x.org.");
  EXPECT_EQ(first.authors, (std::vector<std::string>{"Ada Lovelace", "Madonna"}));
  EXPECT_EQ(first.venue, "acl");
  EXPECT_EQ(first.track, "long");
  EXPECT_EQ(first.date, (Date{2021, 7, 0}));
  EXPECT_EQ(first.doi, "10.1/acl.1");
  EXPECT_EQ(paper("2031.acl-long.3").title, "Unlinked");
  EXPECT_THAT(ledger().at(8), HasSubstr("front matter"));
  EXPECT_THAT(ledger().at(17), HasSubstr("retracted"));
}

TEST_F(Importing, NamesFindingsAndWorkshopsOfTheAnthology) {
  import_text("f.xml",
              R"(<collection id="2031.findings"><volume id="emnlp"><meta><booktitle>Findings of X</booktitle>
<year>2021</year><venue>findings</venue></meta><paper id="7"><title>A</title></paper></volume></collection>)");
  EXPECT_EQ(paper("2031.findings-emnlp.7").venue, "emnlp");
  EXPECT_EQ(paper("2031.findings-emnlp.7").track, "findings");
  import_text("w.xml",
              R"(<collection id="W31"><volume id="4"><meta><booktitle>The Third Workshop on Y</booktitle>
<year>2013</year><venue>ws</venue><venue>ywork</venue></meta><paper id="5"><title>B</title></paper></volume></collection>)");
  EXPECT_EQ(paper("W31-0405").venue, "ywork");
  EXPECT_EQ(paper("W31-0405").track, "workshop");
}

TEST_F(Importing, KeepsWhatStandsBeforeABreakInXml) {
  const std::string text = kAcl;
  const Report report = import_text("acl.xml", text.substr(0, text.find("<paper id=\"3\">")) + "<paper <<");
  EXPECT_EQ(report.papers.added, 1U);
  EXPECT_EQ(report.papers.rejected, 4U)
      << "front matter, the retracted paper, the paper without title, and the break";
}

TEST_F(Importing, ReadsBibtexUnderItsKeys) {
  const Report report = import_text(
      "refs.bib", R"(@inproceedings{smith2020, title={{Deep} Things}, author={Smith, Jane and others},
 booktitle={Advances in Neural Information Processing Systems 33}, year=2020, month=dec}
@misc{smith2020, title={Another}}
@misc{nothing}
@misc{untitled, year={2020}}
)");
  EXPECT_EQ(report.papers.read, 4U);
  EXPECT_EQ(report.papers.added, 1U);
  const Paper stored = paper("smith2020");
  EXPECT_EQ(stored.title, "Deep Things");
  EXPECT_EQ(stored.authors, (std::vector<std::string>{"Jane Smith"}));
  EXPECT_EQ(stored.venue, "neurips");
  EXPECT_EQ(stored.date, (Date{2020, 12, 0}));
}

TEST_F(Importing, NeverLetsABibliographyChangeAKnownPaper) {
  import_text(
      "p.jsonl",
      "{\"id\":\"x1\",\"title\":\"Known Work\",\"year\":2020}\n{\"id\":\"k\",\"title\":\"Holder\"}\n");
  const Report report = import_text(
      "refs.bib",
      "@misc{a, title={Known work.}, year=1999}\n@misc{k, title={Intruder}}\n@misc{n, title={New}}");
  EXPECT_EQ(report.papers.unchanged, 1U);
  EXPECT_EQ(report.papers.rejected, 1U);
  EXPECT_EQ(report.papers.added, 1U);
  EXPECT_EQ(paper("x1").date.year, 2020);
  EXPECT_EQ(paper("k").title, "Holder");
}

TEST_F(Importing, ReadsOpenAlexWorksWithTheirReferences) {
  const Report report = import_text(
      "works.jsonl",
      R"json({"id":"https://openalex.org/W1","doi":"https://doi.org/10.1/x","title":"A Work","publication_year":2020,"publication_date":"2020-03-04","authorships":[{"author":{"display_name":"Ada Lovelace"}},{"author":null}],"primary_location":{"landing_page_url":"https://arxiv.org/abs/2003.00001","source":{"display_name":"arXiv (Cornell University)"}},"abstract_inverted_index":{"world":[1],"Hello":[0,2]},"referenced_works":["https://openalex.org/W2","https://openalex.org/W1"]}
{"id":"https://openalex.org/W2","title":null,"display_name":"Other","publication_year":2019,"abstract_inverted_index":null}
{"id":"https://openalex.org/W3","title":null}
)json");
  ;
  EXPECT_EQ(report.kind, Kind::openalex);
  EXPECT_EQ(report.papers.added, 2U);
  EXPECT_EQ(report.papers.rejected, 1U);
  EXPECT_EQ(report.citations.added, 1U);
  EXPECT_EQ(report.citations.rejected, 1U);
  const Paper work = paper("W1");
  EXPECT_EQ(work.abstract, "Hello world Hello");
  EXPECT_EQ(work.venue, "arxiv");
  EXPECT_EQ(work.arxiv_id, "2003.00001");
  EXPECT_EQ(work.date, (Date{2020, 3, 4}));
  EXPECT_EQ(citations().at(0).mentions, std::nullopt);
  EXPECT_EQ(citations()[0].citing_year, 2020);
}

TEST_F(Importing, ReadsSemanticScholarDatasets) {
  import_text(
      "papers.jsonl",
      R"({"corpusid":1,"title":"A Work","year":2020,"venue":"Neural Information Processing Systems","authors":[{"authorId":"7","name":"Ada Lovelace"}],"externalids":{"DOI":"10.1/X","ArXiv":"2001.1"}}
{"corpusid":2,"title":"Older","year":2015,"publicationdate":"2015-02-01"}
)");
  const Report abstracts = import_text(
      "abstracts.jsonl",
      "{\"corpusid\":2,\"abstract\":\"Text of it.\"}\n{\"corpusid\":9,\"abstract\":\"Nobody's.\"}\n");
  EXPECT_EQ(abstracts.papers.updated, 1U);
  EXPECT_EQ(abstracts.papers.rejected, 1U);
  const Report pairs =
      import_text("citations.jsonl",
                  "{\"citationid\":5,\"citingcorpusid\":1,\"citedcorpusid\":2,\"contexts\":[\"First.\","
                  "\"Second.\"],\"intents\":[[\"background\"],null]}\n"
                  "{\"citationid\":6,\"citingcorpusid\":2,\"citedcorpusid\":null,\"contexts\":null}\n");
  EXPECT_EQ(pairs.kind, Kind::semantic_scholar);
  EXPECT_EQ(pairs.citations.added, 1U);
  EXPECT_EQ(pairs.citations.rejected, 1U);
  EXPECT_EQ(paper("s2:1").venue, "neurips");
  EXPECT_EQ(paper("s2:2").abstract, "Text of it.");
  EXPECT_EQ(citations().at(0).mentions, 2);
  EXPECT_EQ(citations()[0].citing_year, 2020);
}

TEST(CanonicalVenue, KnowsFullNamesAndLeavesWorkshopsApart) {
  EXPECT_EQ(canonical_venue(
                "Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing"),
            "emnlp");
  EXPECT_EQ(canonical_venue("NIPS"), "neurips");
  EXPECT_EQ(canonical_venue("NeurIPS Workshop on Neural Information Processing Systems"),
            "neurips workshop on neural information processing systems");
  EXPECT_EQ(canonical_venue("Nature"), "nature");
  EXPECT_EQ(canonical_venue("CoRR"), "arxiv");
}

TEST(ParseOpenalex, BoundsPositionsOfHostileAbstracts) {
  Collected out;
  parse_openalex_line(
      R"({"id":"W1","title":"T","abstract_inverted_index":{"a":[9223372036854775807,-1,0],"b":["x",{}]}})", 1,
      out);
  EXPECT_EQ(std::get<Paper>(out.items.at(0).content).abstract, "a");
}

TEST(ParseAclXml, SurvivesDeepNestingAndEntities) {
  std::string text =
      "<!DOCTYPE c [<!ENTITY a 'x'>]><collection id=\"P17\"><volume id=\"1\"><paper id=\"1\"><title>";
  for (int i = 0; i < 100000; ++i) text += "<b>";
  text += "&a;";
  Collected out;
  parse_acl_xml(text, out);
  EXPECT_FALSE(out.items.empty());
}

}  // namespace
}  // namespace mustcite::importing
