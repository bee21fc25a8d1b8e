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
