#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/extract/document.hpp"

namespace {

using namespace mustcite::extract;
using ::testing::ElementsAre;

std::vector<std::string> sentences(const std::string& text, const std::vector<std::string>& markers = {}) {
  Document document;
  document.text = text;
  for (const auto& marker : markers) {
    const std::size_t at = text.find(marker);
    Mention mention;
    mention.span = {at, at + marker.size()};
    mention.references = {0};
    document.mentions.push_back(mention);
  }
  set_sentences(document);
  std::vector<std::string> out;
  for (const auto& span : document.sentences) out.push_back(text.substr(span.begin, span.end - span.begin));
  return out;
}

TEST(Sentences, StopsOfAbbreviationsAndInitialsEndNone) {
  EXPECT_THAT(
      sentences("We follow J. Doe, e.g. in Fig. 3, i.e. the U.S. case. It works vs. others! Does it? Yes."),
      ElementsAre("We follow J. Doe, e.g. in Fig. 3, i.e. the U.S. case.", "It works vs. others!", "Does it?",
                  "Yes."));
}

TEST(Sentences, NoStopInsideAMarkerEndsOne) {
  EXPECT_THAT(sentences("This was shown by Smith et al. (2010) The rest. More.", {"Smith et al. (2010"}),
              ElementsAre("This was shown by Smith et al. (2010) The rest.", "More."));
}

TEST(Sentences, AMarkerGluedBehindTheStopBelongsToTheSentence) {
  EXPECT_THAT(sentences("It is used in speech.[12] The next one.", {"12"}),
              ElementsAre("It is used in speech.[12]", "The next one."));
}

TEST(Sentences, DecimalsAndSmallLettersDoNotBegin) {
  EXPECT_THAT(sentences("A gain of 3.5 points. and so on. Then."),
              ElementsAre("A gain of 3.5 points. and so on.", "Then."));
}

TEST(Sentences, ParagraphsEndSentences) {
  EXPECT_THAT(sentences("No stop here\n\nNew one."), ElementsAre("No stop here", "New one."));
}

TEST(ContextWindow, TakesOneSentenceOnEitherSideWithinTheSection) {
  Document document;
  document.text = "Intro\n\nFirst one. Second [1] one. Third one. Fourth.\n\nMethod\n\nFifth [1].";
  const std::size_t method = document.text.find("Method");
  document.sections = {{"Intro", {}, SectionKind::introduction, {0, method}},
                       {"Method", {}, SectionKind::method, {method, document.text.size()}}};
  for (const std::size_t at : {document.text.find("1]"), document.text.rfind("1]")}) {
    Mention mention;
    mention.span = {at, at + 1};
    mention.references = {0};
    document.mentions.push_back(mention);
  }
  set_sentences(document);
  const auto window = [&](std::size_t i) {
    const Span span = context_window(document, document.mentions[i]);
    return document.text.substr(span.begin, span.end - span.begin);
  };
  EXPECT_EQ(window(0), "First one. Second [1] one. Third one.");
  EXPECT_EQ(window(1), "Fifth [1].");
  EXPECT_EQ(document.mentions[1].section, 1u);
}

TEST(SectionKinds, AreToldFromTheHeading) {
  EXPECT_EQ(kind_of_heading("4 Experiments"), SectionKind::experiments);
  EXPECT_EQ(kind_of_heading("IV. RELATED WORK"), SectionKind::related_work);
  EXPECT_EQ(kind_of_heading("2.1 Background and Related Work"), SectionKind::related_work);
  EXPECT_EQ(kind_of_heading("Conclusions and Future Work"), SectionKind::conclusion);
  EXPECT_EQ(kind_of_heading("A Whale"), SectionKind::other);
}

TEST(SectionKinds, SubsectionsInheritAndAppendicesStay) {
  std::vector<Section> sections(6);
  const char* headings[] = {"1 Introduction", "2 Experiments", "2.1 Whales",
                            "3 Conclusion",   "A Proofs",      "A.1 Results"};
  for (std::size_t i = 0; i < 6; ++i) sections[i].heading = headings[i];
  set_section_kinds(sections, {1, 1, 2, 1, 1, 2});
  EXPECT_EQ(sections[2].kind, SectionKind::experiments);
  EXPECT_THAT(sections[2].path, ElementsAre("2 Experiments", "2.1 Whales"));
  EXPECT_EQ(sections[4].kind, SectionKind::appendix);
  EXPECT_EQ(sections[5].kind, SectionKind::appendix);
}

}  // namespace
