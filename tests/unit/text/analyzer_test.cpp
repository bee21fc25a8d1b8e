#include "core/text/analyzer.hpp"

#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "mustcite/error.hpp"

namespace mustcite::text {
namespace {

using Terms = std::vector<std::string>;

Terms plain(std::string_view text) {
  return make_analyzer("plain")->terms(text);
}
Terms english(std::string_view text) {
  return make_analyzer("english")->terms(text);
}

TEST(PlainAnalyzer, KeepsHyphensAndUnderscoresInsideTermsOnly) {
  EXPECT_EQ(plain("Self-Attention, CIFAR-10 -x y- a--b snake_case_2 _z"),
            (Terms{"self-attention", "cifar-10", "x", "y", "a", "b", "snake_case_2", "z"}));
}

TEST(PlainAnalyzer, AgreesWithTheRegularExpressionOnRandomText) {
  // The oracle is the definition itself, run by the standard library's regular expressions.
  const std::regex term("[a-z0-9]+(?:[-_][a-z0-9]+)*");
  const std::string alphabet = "abzAZ09-_ .,\xC3\xA9";
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) text.push_back(alphabet[random() % alphabet.size()]);
    std::string lower = text;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    const Terms expected(std::sregex_token_iterator(lower.begin(), lower.end(), term),
                         std::sregex_token_iterator());
    EXPECT_EQ(plain(text), expected) << text;
  }
}

TEST(EnglishAnalyzer, StemsAsPorterPublished) {
  // Examples printed in M. F. Porter, An algorithm for suffix stripping, 1980.
  EXPECT_EQ(
      english("caresses ponies cats relational conditional digitizer triplicate hopefulness adjustable"),
      (Terms{"caress", "poni", "cat", "relat", "condit", "digit", "triplic", "hope", "adjust"}));
}

TEST(EnglishAnalyzer, StemsHyphenatedTermsAtTheirLastPart) {
  EXPECT_EQ(english("Auto-Encoders few-shot_learning"), (Terms{"auto-encod", "few-shot_learn"}));
}

TEST(EnglishAnalyzer, DropsStopWordsButKeepsTermsThatContainThem) {
  EXPECT_EQ(english("We show that this is the state-of-the-art"), (Terms{"show", "state-of-the-art"}));
  EXPECT_TRUE(english("the of and which").empty());
}

TEST(EnglishAnalyzer, FoldsAccentsLigaturesAndWidths) {
  EXPECT_EQ(english("Schölkopf naïve Łukasz ﬁnite Ｂｅｒｔ"),
            (Terms{"scholkopf", "naiv", "lukasz", "finit", "bert"}));
}

TEST(EnglishAnalyzer, ReadsHanInPairsAndOtherScriptsNotAtAll) {
  EXPECT_EQ(english("深度学习 model 图"), (Terms{"model", "深度", "度学", "学习", "图"}));
  EXPECT_TRUE(english("нейронные сети").empty());
}

TEST(EnglishAnalyzer, SurvivesBrokenUtf8AndVeryLongWords) {
  EXPECT_EQ(english("good \xFF\xC3 text"), (Terms{"good", "text"}));
  EXPECT_EQ(english(std::string(5000000, 'q')).size(), 1U);
}

TEST(EnglishAnalyzer, GivesTheSameTermsOnManyThreads) {
  const auto analyzer = make_analyzer("english");
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "relational-" + std::to_string(i) + " running generalizations ";
  const Terms expected = analyzer->terms(text);
  std::vector<Terms> results(4);
  std::vector<std::thread> threads;
  for (Terms& result : results) threads.emplace_back([&] { result = analyzer->terms(text); });
  for (std::thread& thread : threads) thread.join();
  for (const Terms& result : results) EXPECT_EQ(result, expected);
}

TEST(Analyzer, NamesItselfSoThatTheNameMakesItAgain) {
  for (const std::string name : {"plain", "english"}) {
    const std::string versioned = make_analyzer(name)->name();
    EXPECT_EQ(make_analyzer(versioned)->name(), versioned);
  }
}

TEST(Analyzer, RefusesUnknownNames) {
  try {
    (void)make_analyzer("german");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
  }
}

}  // namespace
}  // namespace mustcite::text
