#include "stages/extract/tei/read_tei.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "testing/error_code.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::extract;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string entry(int id, const std::string& surname, int year, const std::string& title) {
  return fmt::format(
      R"(<biblStruct xml:id="b{}"><analytic><title level="a" type="main">{}</title><author><persName><forename
 type="first">Ann</forename><forename type="middle">B</forename><surname>{}</surname></persName></author>
 </analytic><monogr><title level="j">Journal of Tests</title><imprint><date type="published" when="{}"/></imprint>
 </monogr></biblStruct>)",
      id, title, surname, year);
}

/// A file as GROBID writes it: name and version, title, abstract, body, list.
std::string tei(const std::string& body, const std::string& entries, const std::string& back = "") {
  return R"(<?xml version="1.0" encoding="UTF-8"?>
<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0"><teiHeader xml:lang="en"><fileDesc><titleStmt>
<title level="a" type="main">A Title of Tests.</title></titleStmt><sourceDesc><biblStruct><analytic><author><persName>
<forename type="first">Jo</forename><surname>Doe</surname></persName></author></analytic></biblStruct></sourceDesc>
</fileDesc><encodingDesc><appInfo><application version="0.8.0" ident="GROBID"/></appInfo></encodingDesc><profileDesc>
<abstract><div><p>We test readers.</p></div></abstract></profileDesc></teiHeader><text xml:lang="en"><body>)" +
         body + "</body><back>" + back + R"(<div type="references"><listBibl>)" + entries +
         "</listBibl></div></back></text></TEI>";
}

Document read(const std::string& xml) {
  return read_tei(xml, "paper.tei.xml", {});
}

/// "marker>1,2" of every mention, entries counted from 1.
std::vector<std::string> found(const Document& document) {
  std::vector<std::string> out;
  for (const auto& mention : document.mentions) {
    std::string line = document.text.substr(mention.span.begin, mention.span.end - mention.span.begin) + ">";
    for (std::size_t i = 0; i < mention.references.size(); ++i)
      line += (i > 0 ? "," : "") + std::to_string(mention.references[i] + 1);
    out.push_back(line);
  }
  return out;
}

TEST(Tei, ReadsTitleAuthorsAbstractAndTool) {
  const Document document = read(tei("<div><head n=\"1\">Introduction</head><p>Words.</p></div>", ""));
  EXPECT_EQ(document.title, "A Title of Tests");
  EXPECT_THAT(document.authors, ElementsAre("Jo Doe"));
  EXPECT_EQ(document.abstract, "We test readers.");
  EXPECT_EQ(document.provenance.tool, "grobid 0.8.0");
  EXPECT_EQ(document.provenance.reader, Reader::grobid);
  EXPECT_EQ(document.provenance.sha256.size(), 64u);
}

TEST(Tei, SectionsCoverTheTextAndCarryNumbersLevelsAndKinds) {
  const Document document =
      read(tei("<div><head n=\"1\">Introduction</head><p>One.</p></div><div><head "
               "n=\"4\">Experiments</head><p>Two.</p>"
               "</div><div><head n=\"4.1\">Data</head><p>Three.</p></div><div><p>Four.</p></div>",
               ""));
  ASSERT_THAT(document.sections, SizeIs(4));
  EXPECT_EQ(
      document.text,
      "Abstract\n\nWe test readers.\n\n1 Introduction\n\nOne.\n\n4 Experiments\n\nTwo.\n\n4.1 Data\n\nThree."
      "\n\nFour.");
  EXPECT_EQ(document.sections[0].span.begin, 0u);
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_EQ(document.sections[i].span.begin, document.sections[i - 1].span.end);
  EXPECT_EQ(document.sections[3].span.end, document.text.size());
  EXPECT_THAT(document.sections[3].path, ElementsAre("4 Experiments", "4.1 Data"));
  EXPECT_EQ(document.sections[3].kind, SectionKind::experiments);
}

TEST(Tei, TextBeforeTheFirstHeadingIsNoPartOfTheAbstract) {
  const Document document = read(
      tei("<div><p>Whales are long.</p></div><div><head>Methods</head><p>We measure them.</p></div>", ""));
  ASSERT_THAT(document.sections, SizeIs(3));
  EXPECT_EQ(document.sections[1].heading, "");
  EXPECT_EQ(document.sections[1].kind, SectionKind::other);
  EXPECT_EQ(document.abstract, "We test readers.");
}

TEST(Tei, LettersAreSubsectionsWhereSectionsAreRoman) {
  const Document document = read(
      tei("<div><head>I. INTRODUCTION</head><p>One.</p></div><div><head>A. Scope</head><p>Two.</p></div><div>"
          "<head>II. METHOD</head><p>Three.</p></div><div><head>IV. RESULTS</head><p>Four.</p></div>",
          ""));
  ASSERT_THAT(document.sections, SizeIs(5));
  EXPECT_THAT(document.sections[2].path, ElementsAre("I. INTRODUCTION", "A. Scope"));
  EXPECT_EQ(document.sections[2].kind, SectionKind::introduction);
}

TEST(Tei, ReadsTheFieldsOfAnEntryAndComposesItsRawString) {
  const Document document = read(tei("<div><p>Words.</p></div>", entry(0, "Smith", 2017, "On tests")));
  ASSERT_THAT(document.references, SizeIs(1));
  const auto& reference = document.references[0];
  EXPECT_EQ(reference.fields.title, "On tests");
  EXPECT_THAT(reference.fields.authors, ElementsAre("Ann B. Smith"));
  EXPECT_EQ(reference.fields.year, 2017);
  EXPECT_EQ(reference.fields.venue, "Journal of Tests");
  EXPECT_THAT(reference.surnames, ElementsAre("smith"));
  EXPECT_EQ(reference.fields.raw, "Ann B. Smith. On tests. Journal of Tests, 2017");
  EXPECT_EQ(reference.destination, "b0");
}

TEST(Tei, ABookWithoutAnArticleIsTheWork) {
  const Document document = read(tei(
      "<div><p>Words.</p></div>",
      "<biblStruct xml:id=\"b0\"><monogr><author><persName><surname>Poe</surname></persName></author><title "
      "level=\"m\">A Book</title><idno type=\"DOI\">10.1000/ABC</idno><idno type=\"arXiv\">arXiv:1706.03762v5"
      "</idno><imprint><date type=\"published\" when=\"1999-05\"/></imprint></monogr><note type=\""
      "raw_reference\">Poe. A Book. 1999.</note></biblStruct>"));
  ASSERT_THAT(document.references, SizeIs(1));
  const Reference& fields = document.references[0].fields;
  EXPECT_EQ(fields.title, "A Book");
  EXPECT_EQ(fields.year, 1999);
  EXPECT_EQ(fields.doi, "10.1000/abc");
  EXPECT_EQ(fields.arxiv_id, "1706.03762");
  EXPECT_EQ(fields.raw, "Poe. A Book. 1999.");
}

TEST(Tei, NumbersOfMarksBecomeLabelsAlsoWhereTheListIsShifted) {
  // The list lacks its second entry: "[3]" leads to the second one that is left.
  std::string marks;
  for (const auto& [number, id] : {std::pair{1, 0}, {3, 1}, {4, 2}})
    marks += fmt::format(R"(Text <ref type="bibr" target="#b{}">[{}]</ref> goes on. )", id, number);
  const Document document = read(tei(
      "<div><p>" + marks + "And [4] again, and [2].</p></div>",
      entry(0, "One", 2001, "First") + entry(1, "Three", 2003, "Third") + entry(2, "Four", 2004, "Fourth")));
  EXPECT_EQ(document.style, ReferenceStyle::numeric);
  EXPECT_EQ(document.references[1].label, "3");
  EXPECT_THAT(found(document), ElementsAre("1>1", "3>2", "4>3", "4>3"));
}

TEST(Tei, RangesThatGrobidLinksAtOneEndNameAllTheirEntries) {
  std::string entries;
  for (int i = 0; i < 5; ++i) entries += entry(i, "Name", 2000 + i, "Title");
  const Document document = read(tei(
      R"(<div><p>Seen <ref type="bibr" target="#b0">[1]</ref>, <ref type="bibr" target="#b1">[2]</ref> and <ref
 type="bibr" target="#b2">[3]</ref>-<ref type="bibr" target="#b4">[5]</ref>.</p></div>)",
      entries));
  EXPECT_THAT(found(document), ElementsAre("1>1", "2>2", "3>3", "5>4,5"));
}

TEST(Tei, MarksWithoutATargetAreLinkedByNameAndYear) {
  const Document document = read(tei(
      R"(<div><p>As <ref type="bibr">Smith (2017)</ref> and others <ref type="bibr">(Unknown, 2001)</ref> say.</p></div>)",
      entry(0, "Smith", 2017, "On tests")));
  EXPECT_THAT(found(document), ElementsAre("Smith (2017>1"));
  ASSERT_THAT(document.problems, SizeIs(1));
  EXPECT_EQ(document.problems[0].kind, ProblemKind::unlinked_markers);
  EXPECT_THAT(document.problems[0].message, HasSubstr("Unknown, 2001"));
}

TEST(Tei, ThePrintWinsOverATargetThatNamesAnotherWork) {
  const Document document =
      read(tei(R"(<div><p>As <ref type="bibr" target="#b1">Smith (2017)</ref> says.</p></div>)",
               entry(0, "Smith", 2017, "On tests") + entry(1, "Doe", 2011, "Other")));
  EXPECT_THAT(found(document), ElementsAre("Smith (2017>1"));
  EXPECT_LE(document.mentions[0].confidence, 0.9);
  EXPECT_EQ(document.problems[0].kind, ProblemKind::disagreement);
}

TEST(Tei, ATargetThatSharesNothingWithItsMarkIsLeftOut) {
  const Document document =
      read(tei(R"(<div><p>As <ref type="bibr" target="#b0">Poe (1999)</ref> says.</p></div>)",
               entry(0, "Smith", 2017, "On tests")));
  EXPECT_THAT(document.mentions, IsEmpty());
}

TEST(Tei, NumbersOfEquationsAreNoMarksWhereThePaperCitesInSquareBrackets) {
  const Document document = read(tei(
      R"(<div><p>As <ref type="bibr" target="#b0">[1]</ref>, <ref type="bibr" target="#b1">[2]</ref> and <ref type="bibr"
 target="#b0">[1]</ref> say, see (<ref type="bibr" target="#b1">2)</ref> and Eqs. <ref type="bibr" target="#b0">[1]</ref>.</p></div>)",
      entry(0, "Smith", 2017, "On tests") + entry(1, "Doe", 2011, "Other")));
  EXPECT_THAT(found(document), ElementsAre("1>1", "2>2", "1>1"));
}

TEST(Tei, PlacesComeFromCoordinates) {
  const Document document =
      read(tei(R"(<div><p>As <ref type="bibr" target="#b0" coords="3,100.5,200,30,10">[1]</ref>.</p></div>)",
               entry(0, "Smith", 2017, "On tests")));
  ASSERT_THAT(document.mentions, SizeIs(1));
  const Box& box = document.mentions[0].box;
  EXPECT_EQ(box.page, 3u);
  EXPECT_FLOAT_EQ(box.x0, 100.5F);
  EXPECT_FLOAT_EQ(box.x1, 130.5F);
  EXPECT_FLOAT_EQ(box.y1, 210);
}

TEST(Tei, CaptionsStandBehindTheBodyInASectionWithoutAHeading) {
  const Document document =
      read(tei("<div><head n=\"5\">Conclusion</head><p>Done.</p></div><figure><head>Figure "
               "1</head><figDesc>After <ref "
               "type=\"bibr\" target=\"#b0\">[1]</ref>.</figDesc></figure>",
               entry(0, "Smith", 2017, "On tests")));
  ASSERT_THAT(document.mentions, SizeIs(1));
  EXPECT_EQ(document.sections[document.mentions[0].section].heading, "");
  EXPECT_EQ(document.sections[document.mentions[0].section].kind, SectionKind::other);
}

TEST(Tei, AListThatIsEmptyIsAProblem) {
  const Document document = read(tei("<div><p>Words.</p></div>", ""));
  ASSERT_THAT(document.problems, SizeIs(1));
  EXPECT_EQ(document.problems[0].kind, ProblemKind::no_references);
}

TEST(Tei, RefusesWhatIsNoTei) {
  for (const char* bytes : {"", "no xml", "<TEI><text>", "<html><body/></html>"})
    EXPECT_EQ(mustcite::testing::code_of([&] { (void)read(bytes); }), ErrorCode::invalid_input) << bytes;
}

TEST(Tei, DeepNestingIsCutNotFollowed) {
  std::string deep;
  for (int i = 0; i < 20'000; ++i) deep += "<div>";
  deep += "words";
  for (int i = 0; i < 20'000; ++i) deep += "</div>";
  EXPECT_EQ(read(tei(deep, "")).text.find("words"), std::string::npos);
}

}  // namespace
