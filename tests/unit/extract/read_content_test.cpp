// Whole papers made of words and places: from the worker's answer to references and mentions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/extract/extract.hpp"
#include "stages/extract/native/reference_list.hpp"
#include "stages/extract/view.hpp"
#include "unit/extract/content_builder.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::extract;
using mustcite::testing::ContentBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Lines of text one under the other, in a single column.
class Paper {
 public:
  Paper() { builder_.page(); }
  float put(const std::string& words, float indent = 0, float size = 10, int font = 0) {
    const float top = y_;
    builder_.line(72 + indent, y_, words, size, font);
    y_ += size * 1.2F;
    return top;
  }
  void gap(float points) { y_ += points; }
  void new_page() {
    builder_.page();
    y_ = 80;
  }
  void head(const std::string& first_sentence) {
    put("On the Length of Whales", 100, 17, 1);
    put("Anna Smith and Carl Doe", 100, 11);
    gap(10);
    put("Abstract", 200, 12, 1);
    put("We measure whales. They are long.");
    gap(10);
    put("1 Introduction", 0, 12, 1);
    marker_y_ = put(first_sentence);
    put("More words follow here. They say nothing of importance at all to anyone");
    put("who reads them, but they fill the page with text of the usual size.");
    gap(8);
    put("2 Experiments", 0, 12, 1);
    put("We repeat the tests of others. All of it went very well in the end.");
    gap(8);
  }
  [[nodiscard]] ContentBuilder& builder() { return builder_; }
  [[nodiscard]] float marker_y() const { return marker_y_; }
  [[nodiscard]] float y() const { return y_; }

 private:
  ContentBuilder builder_;
  float y_ = 80;
  float marker_y_ = 0;
};

Document read(Paper& paper, bool links = false) {
  Options options;
  options.link_annotations = links;
  return read_content(paper.builder().content(), "paper.pdf", options);
}

TEST(ReadContent, ReadsANumberedPaper) {
  Paper paper;
  paper.head("Whales are long [1], and old [2, 3]. Nobody knows why.");
  paper.put("References", 0, 12, 1);
  paper.put("[1] A. Smith. The first book of whales. Sea Press,");
  paper.put("2001.", 16);
  paper.put("[2] C. Doe. The second one. Sea Press, 2002.");
  paper.put("[3] E. Poe. The third one. In Proceedings of the");
  paper.put("Sea, pages 1-9, 2003.", 16);
  const Document document = read(paper);
  EXPECT_EQ(document.title, "On the Length of Whales");
  EXPECT_THAT(document.authors, ElementsAre("Anna Smith", "Carl Doe"));
  EXPECT_EQ(document.abstract, "We measure whales. They are long.");
  EXPECT_EQ(document.style, ReferenceStyle::numeric);
  EXPECT_EQ(document.provenance.segmentation, "labels");
  ASSERT_EQ(document.references.size(), 3u);
  EXPECT_EQ(document.references[0].fields.raw, "A. Smith. The first book of whales. Sea Press, 2001.");
  EXPECT_EQ(document.references[2].label, "3");
  ASSERT_EQ(document.mentions.size(), 3u);
  EXPECT_EQ(document.sections[document.mentions[0].section].kind, SectionKind::introduction);
  EXPECT_EQ(document.mentions[0].box.page, 1u);
  const Span window = context_window(document, document.mentions[0]);
  EXPECT_THAT(document.text.substr(window.begin, window.end - window.begin),
              HasSubstr("Whales are long [1], and old [2, 3]. Nobody knows why."));
}

TEST(ReadContent, ReadsAnAuthorYearPaperWithHangingIndents) {
  Paper paper;
  paper.head("Whales are long (Smith, 2001; Doe and Poe, 2002).");
  paper.put("References", 0, 12, 1);
  paper.put("Doe, C. and Poe, E. The second one. In Proceedings of");
  paper.put("the Sea. Sea Press, 2002.", 12);
  paper.put("Smith, A. The first book of whales, with a title of");
  paper.put("two lines. Sea Press, 2001.", 12);
  paper.put("van Gull, B. Birds of the sea and of the land and of");
  paper.put("the air. Sea Press, 2003.", 12);
  const Document document = read(paper);
  EXPECT_EQ(document.style, ReferenceStyle::author_year);
  EXPECT_EQ(document.provenance.segmentation, "indents");
  ASSERT_EQ(document.references.size(), 3u);
  ASSERT_EQ(document.mentions.size(), 2u);
  EXPECT_THAT(document.mentions[0].references, ElementsAre(1u));
  EXPECT_THAT(document.mentions[1].references, ElementsAre(0u));
}

TEST(ReadContent, PartsEntriesByGapsWhereNothingHangs) {
  Paper paper;
  paper.head("Whales are long (Smith, 2001; Doe, 2002; Poe, 2003).");
  paper.put("References", 0, 12, 1);
  for (const char* name : {"Doe, C. The second one, which is a very long title indeed.",
                           "Poe, E. The third one, which is a very long title indeed.",
                           "Smith, A. The first one, which is a very long title indeed."}) {
    paper.put(name);
    paper.put(std::string("Printed by the Sea Press in the year ") + (name[0] == 'D'   ? "2002."
                                                                      : name[0] == 'P' ? "2003."
                                                                                       : "2001."));
    paper.gap(5);
  }
  const Document document = read(paper);
  EXPECT_EQ(document.provenance.segmentation, "gaps");
  EXPECT_EQ(document.references.size(), 3u);
  EXPECT_EQ(document.mentions.size(), 3u);
}

TEST(ReadContent, AnEntryGoesOnOverThePageBreak) {
  Paper paper;
  paper.head("Whales are long [1] and [2].");
  paper.put("References", 0, 12, 1);
  paper.put("[1] A. Smith. A book that is");
  paper.new_page();
  paper.put("continued. Sea Press, 2001.", 16);
  paper.put("[2] C. Doe. Another. Sea Press, 2002.");
  paper.put("A Proofs", 0, 12, 1);
  paper.put("Here nothing is proved [2].");
  const Document document = read(paper);
  ASSERT_EQ(document.references.size(), 2u);
  EXPECT_EQ(document.references[0].fields.raw, "A. Smith. A book that is continued. Sea Press, 2001.");
  EXPECT_EQ(document.references[1].fields.raw, "C. Doe. Another. Sea Press, 2002.");
  ASSERT_EQ(document.mentions.size(), 3u);
  EXPECT_EQ(document.sections[document.mentions[2].section].kind, SectionKind::appendix);
}

/// A paper whose links name entries that its text alone would tell as well.
Paper linked_paper() {
  Paper paper;
  paper.head("Whales [1] are long [2].");
  // Words of ten points: "Whales" takes 30 points, a space 2.5.
  const float x = 72 + 30 + 2.5F + 5;
  paper.builder().link(x, paper.marker_y(), x + 5, paper.marker_y() + 10, "cite.smith");
  paper.put("References", 0, 12, 1);
  paper.builder().destination("cite.smith", 72, paper.y() - 1);
  paper.put("[1] A. Smith. The first one. Sea Press, 2001.");
  paper.builder().destination("cite.doe", 72, paper.y() - 1);
  paper.put("[2] C. Doe. The second one. Sea Press, 2002.");
  return paper;
}

TEST(ReadContent, LinksAndTextConfirmEachOther) {
  Paper paper = linked_paper();
  const Document document = read(paper, true);
  EXPECT_EQ(document.provenance.segmentation, "destinations");
  EXPECT_TRUE(document.provenance.used_links);
  ASSERT_EQ(document.references.size(), 2u);
  EXPECT_EQ(document.references[0].destination, "cite.smith");
  ASSERT_EQ(document.mentions.size(), 2u);
  EXPECT_TRUE(document.mentions[0].has(Evidence::link));
  EXPECT_TRUE(document.mentions[0].has(Evidence::label));
  EXPECT_FALSE(document.mentions[1].has(Evidence::link));
  EXPECT_GT(document.mentions[0].confidence, document.mentions[1].confidence);
}

TEST(ReadContent, ALinkThatCoversNoMarkerConfirmsTheMentionOfItsEntryOnThePage) {
  Paper paper = linked_paper();
  // As in a table that was scaled after its links were placed: the rectangle lies beside everything.
  paper.builder().link(500, 20, 540, 30, "cite.doe");
  const Document document = read(paper, true);
  ASSERT_EQ(document.mentions.size(), 2u);
  EXPECT_TRUE(document.mentions[1].has(Evidence::link));
  EXPECT_TRUE(document.mentions[1].has(Evidence::label));
  EXPECT_GE(document.mentions[1].confidence, 0.97);
}

TEST(ReadContent, WithoutLinkAnnotationsNeitherLinksNorDestinationsAreUsed) {
  Paper paper = linked_paper();
  const Document document = read(paper, false);
  EXPECT_EQ(document.provenance.segmentation, "labels");
  EXPECT_FALSE(document.provenance.used_links);
  ASSERT_EQ(document.references.size(), 2u);
  EXPECT_EQ(document.references[0].destination, "");
  ASSERT_EQ(document.mentions.size(), 2u);
  EXPECT_FALSE(document.mentions[0].has(Evidence::link));
}

TEST(ReadContent, SaysThatThereIsNoListAndThatAScanNeedsNougat) {
  Paper paper;
  paper.head("Nothing is cited.");
  const Document document = read(paper);
  ASSERT_FALSE(document.problems.empty());
  EXPECT_EQ(document.problems[0].kind, ProblemKind::no_references);
  ContentBuilder scan;
  scan.page();
  const Document empty = read_content(scan.content(), "scan.pdf", {});
  ASSERT_EQ(empty.problems.size(), 1u);
  EXPECT_EQ(empty.problems[0].kind, ProblemKind::needs_nougat);
  EXPECT_TRUE(empty.references.empty());
}

TEST(Labels, AreReadAtTheStartOfALineOnly) {
  using native::Label;
  using native::label_at_start;
  EXPECT_EQ(label_at_start("[12] A. Smith", Label::Form::bracketed).number, 12);
  EXPECT_EQ(label_at_start("12. Smith", Label::Form::dotted).number, 12);
  EXPECT_EQ(label_at_start("12.5 points", Label::Form::dotted).form, Label::Form::none);
  EXPECT_EQ(label_at_start("[KPR+17] Keller", Label::Form::alpha).text, "KPR+17");
  EXPECT_EQ(label_at_start("see [12]", Label::Form::bracketed).form, Label::Form::none);
}

TEST(View, MarksMentionsAndEscapesWhatThePaperPrints) {
  Paper paper = linked_paper();
  Document document = read(paper, true);
  document.title = "<script>alert(1)</script>";
  const std::string html = html_view(document);
  EXPECT_THAT(html, HasSubstr("<a href=\"#r1\"><mark"));
  EXPECT_THAT(html, ::testing::Not(HasSubstr("<script>")));
  EXPECT_THAT(text_view(document), HasSubstr("[⟦1→1 "));
}

TEST(View, ThePageHasTheHeadingsParagraphsAndCountsOfThePaper) {
  Paper paper;
  paper.head("Whales are long [1], and old [2].");
  paper.put("References", 0, 12, 1);
  paper.put("[1] A. Smith. The first book of whales. Sea Press, 2001.");
  paper.put("[2] C. Doe. The second one. Sea Press, 2002.");
  paper.put("[3] E. Poe. The third one. Sea Press, 2003.");
  const std::string html = html_view(read(paper));
  EXPECT_THAT(html, HasSubstr("3 references, 2 mentions"));
  EXPECT_THAT(html, HasSubstr("<h2>1 Introduction</h2>\n<p>Whales are long ["));
  EXPECT_THAT(html, HasSubstr("<h2>2 Experiments</h2>\n<p>We repeat"));
  EXPECT_THAT(html, HasSubstr("Sea Press, 2003. <span class=\"soft\">not mentioned</span>"));
}

TEST(ReadContent, ALineOfCodeInASentenceStaysInItsParagraph) {
  Paper paper;
  paper.put("On the Length of Whales", 100, 17, 1);
  paper.put("Anna Smith", 100, 11);
  paper.gap(10);
  paper.put("1 Introduction", 0, 12, 1);
  for (int i = 0; i < 6; ++i)
    paper.put("Whales are long, and longer than the boats of those who measure them.");
  paper.put("Whales are long [1] and stand in relations to others such as is(Whale,");
  // "Mammal) and has(Whale," in type of eight points, "or" in that of the text.
  const float x = paper.builder().line(72, paper.y() + 2, "Mammal)", 8);
  paper.builder().line(x + 3, paper.y(), "or", 10);
  paper.builder().line(x + 16, paper.y() + 2, "longer_than(Whale, Boat).", 8);
  paper.gap(12);
  paper.put("Nobody knows why.");
  paper.gap(10);
  paper.put("References", 0, 12, 1);
  paper.put("[1] A. Smith. The first book of whales. Sea Press, 2001.");
  paper.put("[2] C. Doe. The second one. Sea Press, 2002.");
  EXPECT_THAT(read(paper).text,
              HasSubstr("such as is(Whale, Mammal) or longer_than(Whale, Boat). Nobody knows why."));
}

TEST(Headings, OfPapersWithoutNumbersAreBoldLinesOfTheirOwn) {
  Paper paper;
  paper.put("On the Length of Whales", 100, 17, 1);
  paper.put("Anna Smith", 100, 11);
  paper.gap(10);
  paper.put("Abstract", 0, 11, 1);
  paper.put("We measure whales. They are long.");
  paper.gap(10);
  paper.put("Methods", 0, 11, 1);
  paper.put("We took a rope and a boat, as others did [1], and went out to sea.");
  paper.gap(12);
  paper.put("Ropes and boats", 0, 10, 1);
  paper.put("Ropes are of hemp [2]. They get longer when they are wet, and boats");
  paper.put("leak", 0, 10, 1);
  paper.put("now and then, which is no matter as long as the weather holds.");
  paper.gap(10);
  paper.put("References", 0, 11, 1);
  paper.put("1. A. Smith. The first book of whales. Sea Press, 2001.");
  paper.put("2. C. Doe. The second one. Sea Press, 2002.");
  std::vector<std::string> headings;
  for (const auto& section : read(paper).sections) headings.push_back(section.heading);
  EXPECT_THAT(headings, ElementsAre("Abstract", "Methods", "Ropes and boats"));
}

}  // namespace
