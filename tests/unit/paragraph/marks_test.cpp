#include "engine/paragraph/marks.hpp"

#include <gtest/gtest.h>

namespace mustcite::paragraph {
namespace {

std::vector<std::string> printed(const std::string& text) {
  std::vector<std::string> marks;
  for (const Mark& mark : find_marks(text)) marks.push_back(text.substr(mark.begin, mark.end - mark.begin));
  return marks;
}

std::vector<MarkForm> forms(const std::string& text) {
  std::vector<MarkForm> found;
  for (const Mark& mark : find_marks(text)) found.push_back(mark.form);
  return found;
}

using Texts = std::vector<std::string>;
using Forms = std::vector<MarkForm>;

TEST(Marks, FindsLabelsInSquareBrackets) {
  EXPECT_EQ(printed("Trees [3] and forests [4, 7-9] and vines [KPR+17]."),
            (Texts{"[3]", "[4, 7-9]", "[KPR+17]"}));
  EXPECT_EQ(find_marks("vines [4, 7-9]").front().works, 3U);
}

TEST(Marks, LeavesIntervalsAndWordsInBracketsAlone) {
  EXPECT_TRUE(find_marks("values in [0.1, 0.5], a [see below], x[12345]").empty());
}

TEST(Marks, FindsNamesAndYearsInBrackets) {
  const std::string text = "Roots matter (Oak et al., 2019; Elm and Ash, 2020b) a lot.";
  EXPECT_EQ(printed(text), (Texts{"(Oak et al., 2019; Elm and Ash, 2020b)"}));
  EXPECT_EQ(forms(text), (Forms{MarkForm::bracketed}));
  EXPECT_EQ(find_marks(text).front().works, 2U);
}

TEST(Marks, FindsNamesThatArePartOfTheSentence) {
  EXPECT_EQ(printed("Oak (2019) and Elm and Ash (2020) grow; Fir et al. [5] too, Yew et al.'s does."),
            (Texts{"Oak (2019)", "Elm and Ash (2020)", "Fir et al. [5]", "Yew et al."}));
}

TEST(Marks, TakesCapitalisedWordsWithoutAYearForWords) {
  EXPECT_TRUE(
      find_marks("Natural Language and Computer Vision use Markov and Gaussian models [sic].").empty());
}

TEST(Marks, AYearAloneIsNoCitation) {
  EXPECT_EQ(forms("Since 2015 trees (2016) grow."), (Forms{MarkForm::year, MarkForm::year}));
  EXPECT_TRUE(find_marks("the 20155 trees, B2015 and 1899").empty());
}

TEST(Masked, TakesOutMarksAndYearsAndTidiesWhatIsLeft) {
  EXPECT_EQ(masked("Trees [3], as Oak et al. (2019) say , grow (Elm, 2020) ."), "Trees, as say, grow.");
  EXPECT_EQ(masked("Nothing to hide."), "Nothing to hide.");
  EXPECT_EQ(masked("(Oak, 2019)"), "");
  EXPECT_EQ(masked(""), "");
}

TEST(Masked, LeavesUnclosedBracketsAsTheyStand) {
  EXPECT_EQ(masked("a (b [c and (d 2010"), "a (b [c and (d");
}

TEST(Marks, LongTextsOfOpenBracketsEnd) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "(A, [";
  EXPECT_TRUE(find_marks(text).empty());
}

TEST(Marks, AreAscendingAndDoNotOverlap) {
  const std::string text = "Åström and Ünal (2001), O'Neil et al. [1] (e.g. Oak, 2019) 2020 [2]";
  std::size_t end = 0;
  for (const Mark& mark : find_marks(text)) {
    EXPECT_GE(mark.begin, end);
    EXPECT_GT(mark.end, mark.begin);
    end = mark.end;
  }
  EXPECT_EQ(masked(text), "");
}

}  // namespace
}  // namespace mustcite::paragraph
