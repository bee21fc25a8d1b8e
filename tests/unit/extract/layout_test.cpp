#include "stages/extract/native/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/extract/native/flow.hpp"
#include "stages/extract/native/tokens.hpp"
#include "unit/extract/content_builder.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::extract::native;
using mustcite::testing::ContentBuilder;

std::vector<std::string> lines(const pdf::Content& content) {
  std::vector<std::string> out;
  for (const auto& page : lay_out(content).pages) {
    for (const auto& line : page.lines) out.push_back(line.text());
  }
  return out;
}

std::size_t place(const std::vector<std::string>& all, const std::string& wanted) {
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), wanted) - all.begin());
}

/// Two columns of `rows` lines each under a heading that spans both; words fill the columns of 240 points.
void two_columns(ContentBuilder& builder, int rows, float top) {
  for (int i = 0; i < rows; ++i) {
    builder.line(54, top + static_cast<float>(i) * 12,
                 "left" + std::to_string(i) + " aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddd");
    builder.line(318, top + 3 + static_cast<float>(i) * 12,
                 "right" + std::to_string(i) + " aaaaaaaaaa bbbbbbbbbb cccccccccc ddddddd");
  }
}

TEST(Layout, ReadsTheLeftColumnBeforeTheRightOne) {
  ContentBuilder builder;
  builder.page();
  two_columns(builder, 20, 100);
  const auto all = lines(builder.content());
  ASSERT_EQ(all.size(), 40u);
  EXPECT_TRUE(all[0].starts_with("left0 "));
  EXPECT_TRUE(all[19].starts_with("left19 "));
  EXPECT_TRUE(all[20].starts_with("right0 "));
}

TEST(Layout, ALineAcrossTheGutterPartsBandsOfColumns) {
  ContentBuilder builder;
  builder.page();
  two_columns(builder, 12, 80);
  builder.line(
      100, 240,
      "Figure one spans both columns with a caption that is long enough to cross the gutter of this page");
  two_columns(builder, 12, 270);
  const auto all = lines(builder.content());
  ASSERT_EQ(all.size(), 49u);
  EXPECT_TRUE(all[12].starts_with("right0 "));
  EXPECT_TRUE(all[24].starts_with("Figure one"));
  EXPECT_TRUE(all[25].starts_with("left0 "));
}

TEST(Layout, APageMostlyOverTheWholeWidthHasTheColumnsOfTheOthers) {
  ContentBuilder builder;
  builder.page();
  for (int i = 0; i < 40; ++i)
    builder.line(54, 60.F + static_cast<float>(i) * 12,
                 std::string(static_cast<std::size_t>(i % 9 + 1), 'x') +
                     " words of a long abstract that runs over the whole width of the first page of a paper");
  two_columns(builder, 8, 560);
  for (int page = 0; page < 3; ++page) {
    builder.page();
    two_columns(builder, 40, 100);
  }
  const auto all = lines(builder.content());
  ASSERT_GE(all.size(), 56u);
  EXPECT_TRUE(all[40].starts_with("left0 ")) << all[40];
  EXPECT_TRUE(all[48].starts_with("right0 ")) << all[48];
}

TEST(FontTraits, ReadCodedNamesOfPublishersAsWell) {
  EXPECT_TRUE(font_traits("JCIFJM+PfghsfAdvTTaf7f9f4f.B").bold);
  EXPECT_TRUE(font_traits("JCIGLL+SvvdvvAdvTT7329fd89.I").italic);
  EXPECT_TRUE(font_traits("HDFAKL+AdvOT1ef757c0.BI+20").bold);
  EXPECT_FALSE(font_traits("JCIFNM+DyqgfkAdvTTe45e47d2").bold);
  EXPECT_FALSE(font_traits("ABCDEF+Book.B").bold);
}

TEST(Layout, ASingleColumnWithATableStaysOne) {
  ContentBuilder builder;
  builder.page();
  for (int i = 0; i < 30; ++i)
    builder.line(72, 80.F + static_cast<float>(i) * 12,
                 std::string(static_cast<std::size_t>(i % 7 + 1), 'x') +
                     " words that run over the whole width of the page from one margin to the other one");
  for (int i = 0; i < 6; ++i) {
    builder.line(72, 460.F + static_cast<float>(i) * 12, "cell");
    builder.line(400, 460.F + static_cast<float>(i) * 12, "value");
  }
  const auto all = lines(builder.content());
  EXPECT_EQ(all.back(), "cell value");
}

TEST(Layout, RunningHeadsAndPageNumbersGo) {
  ContentBuilder builder;
  for (int p = 1; p <= 4; ++p) {
    builder.page();
    builder.line(200, 40, "A paper on whales");
    for (int i = 0; i < 10; ++i)
      builder.line(72, 100.F + static_cast<float>(i) * 12,
                   "page" + std::to_string(p) + " line" + std::to_string(i) + " has its own words");
    builder.line(300, 750, std::to_string(p));
  }
  const auto all = lines(builder.content());
  EXPECT_EQ(all.size(), 40u);
  EXPECT_EQ(place(all, "A paper on whales"), all.size());
}

TEST(Layout, RunningHeadsOfSmallPagesOnLargePaperGo) {
  ContentBuilder builder;
  for (int page = 0; page < 4; ++page) {
    builder.page();
    builder.line(140, 112, std::to_string(page + 2) + " Smith et al.");
    for (int i = 0; i < 20; ++i)
      builder.line(140, 140.F + static_cast<float>(i) * 12,
                   "words of page " + std::string(1, static_cast<char>('a' + page)) + " and line " +
                       std::string(static_cast<std::size_t>(i + 1), 'x'));
  }
  const auto all = lines(builder.content());
  ASSERT_EQ(all.size(), 80u);
  EXPECT_TRUE(all[20].starts_with("words of page b"));
}

TEST(Layout, LineNumbersOfReviewCopiesGo) {
  ContentBuilder builder;
  builder.page();
  for (int i = 0; i < 30; ++i) {
    builder.line(30, 100.F + static_cast<float>(i) * 12, std::to_string(i + 1));
    builder.line(72, 100.F + static_cast<float>(i) * 12, "in 2010 there were words");
  }
  for (const auto& line : lines(builder.content())) EXPECT_EQ(line, "in 2010 there were words");
}

TEST(Layout, SmallCapitalsJoinTheirCapital) {
  ContentBuilder builder;
  builder.page();
  const float end = builder.line(72, 100, "R", 12);
  builder.line(end + 0.5F, 102.4F, "EFERENCES", 9.6F);
  const auto all = lines(builder.content());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0], "REFERENCES");
}

TEST(Layout, SuperscriptsAreRaised) {
  ContentBuilder builder;
  builder.page();
  const float end = builder.line(72, 100, "some words here");
  builder.line(end, 98, "12", 6);
  builder.content().pages.back().words.back().glued = true;
  const auto layout = lay_out(builder.content());
  ASSERT_EQ(layout.pages[0].lines.size(), 1u);
  EXPECT_TRUE(layout.pages[0].lines[0].tokens.back().raised);
  EXPECT_EQ(layout.pages[0].lines[0].text(), "some words here12");
}

TEST(Readable, TakesLigaturesApartAndComposesAccents) {
  EXPECT_EQ(readable("eﬃcient"), "efficient");
  EXPECT_EQ(readable("Mu\xCC\x88ller"), "Müller");
  EXPECT_EQ(readable("soft\xC2\xADly"), "soft-ly");
  EXPECT_EQ(readable("\x01\x02ok"), "ok");
}

TEST(JoinLine, TakesOutTheHyphenOfABrokenWordOnly) {
  std::string text = "computa-";
  join_line(text, "tion of");
  EXPECT_EQ(text, "computation of");
  text = "Jean-";
  join_line(text, "Pierre");
  EXPECT_EQ(text, "Jean-Pierre");
  text = "https://cran.r-";
  join_line(text, "project.example/x");
  EXPECT_EQ(text, "https://cran.r-project.example/x");
  text = "https://doi.example/10.1000/j.learnin-";
  join_line(text, "struc.2024");
  EXPECT_EQ(text, "https://doi.example/10.1000/j.learninstruc.2024");
  text = "pages 12–";
  join_line(text, "19");
  EXPECT_EQ(text, "pages 12–19");
}

TEST(Unreadable, SaysWhyAFileNeedsNougat) {
  ContentBuilder scan;
  for (int i = 0; i < 5; ++i) scan.page();
  EXPECT_THAT(unreadable_because(scan.content()), ::testing::HasSubstr("scanned"));
  ContentBuilder garbage;
  garbage.page();
  for (int i = 0; i < 200; ++i) garbage.line(72, static_cast<float>(i), "\x03\x04\x05 \x06\x07\x08 \x0E\x0F");
  EXPECT_THAT(unreadable_because(garbage.content()), ::testing::HasSubstr("encoding"));
  ContentBuilder good;
  good.page();
  for (int i = 0; i < 60; ++i)
    good.line(72, 10.F + static_cast<float>(i) * 12, "the words of a page that is read by people");
  EXPECT_EQ(unreadable_because(good.content()), "");
}

}  // namespace
