#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/base/error.hpp"
#include "engine/paragraph/train_discourse.hpp"

namespace mustcite::paragraph {
namespace {

namespace fs = std::filesystem;
using D = Discourse;

/// Paragraphs whose classes words alone tell.
std::vector<Paragraph> toy_paragraphs(int count) {
  const std::pair<const char*, D> sentences[] = {
      {"Pruning is a matter of taste.", D::transition},
      {"Oak et al. (2019) prune in winter.", D::single_summary},
      {"Many prune roots (Elm, 2018; Ash, 2019).", D::narrative_citation},
      {"We instead prune nothing in this paper.", D::reflection},
  };
  std::vector<Paragraph> paragraphs;
  for (int i = 0; i < count; ++i) {
    Paragraph paragraph;
    paragraph.id = "p" + std::to_string(i);
    for (int k = 0; k < 4; ++k) {
      const auto& [text, tag] = sentences[static_cast<std::size_t>(k == 0 || k == 3 ? k : (i + k) % 2 + 1)];
      paragraph.sentences.emplace_back(text);
      paragraph.tags.push_back(tag);
    }
    paragraphs.push_back(std::move(paragraph));
  }
  return paragraphs;
}

TEST(Discourse, NamesAreThoseOfCorwa) {
  for (std::size_t i = 0; i < kDiscourses; ++i) {
    const auto tag = static_cast<D>(i);
    EXPECT_EQ(parse_discourse(name_of(tag)), tag);
  }
  EXPECT_FALSE(parse_discourse("transition"));
}

TEST(Discourse, TheTopicIsTheFirstTransitionNearTheBeginning) {
  const std::vector<D> second{D::single_summary, D::transition, D::transition};
  EXPECT_EQ(topic_of(second).sentence, 1U);
  EXPECT_TRUE(topic_of(second).tagged);
  const std::vector<D> late{D::reflection, D::other, D::other, D::transition};
  EXPECT_EQ(topic_of(late).sentence, 0U);
  EXPECT_FALSE(topic_of(late).tagged);
}

TEST(Discourse, FeaturesDoNotDependOnWhoIsCited) {
  const std::vector<std::string> one{"As Oak (2019) shows, trees grow [3]."};
  const std::vector<std::string> other{"As Elm (2003) shows, trees grow [17]."};
  EXPECT_EQ(discourse_features(one).features, discourse_features(other).features);
}

// By hand: of class 0 two are labelled, one found right, one sentence of class 1 is taken for it:
// precision 1/2, recall 1/2, F1 1/2. Class 1: labelled 2, found 2, right 1: F1 1/2. Class 5: right: F1 1.
TEST(Discourse, ScoresAreTheMeanOverTheClassesThatAreThere) {
  const std::vector<std::uint8_t> labelled{0, 0, 1, 1, 5};
  const std::vector<std::uint8_t> found{0, 1, 0, 1, 5};
  const auto scores = score_tags(labelled, found);
  EXPECT_DOUBLE_EQ(scores.classes[0].f1(), 0.5);
  EXPECT_DOUBLE_EQ(scores.macro_f1(), (0.5 + 0.5 + 1) / 3);
  EXPECT_DOUBLE_EQ(scores.accuracy(), 0.6);
  EXPECT_THROW(static_cast<void>(score_tags(labelled, std::vector<std::uint8_t>{0})), Error);
}

TEST(Discourse, TrainingLearnsWritesAndIsTheSameAgain) {
  const auto train = toy_paragraphs(40);
  const auto test = toy_paragraphs(6);
  const fs::path folder = fs::path(testing::TempDir()) / "discourse-model";
  SilentProgress progress;
  const auto report = train_tagger(train, test, {}, folder, progress);
  EXPECT_EQ(report.sentences, 160U);
  EXPECT_DOUBLE_EQ(report.chain.macro_f1(), 1);
  EXPECT_DOUBLE_EQ(report.linear.macro_f1(), 1);
  EXPECT_LT(report.majority.macro_f1(), 0.2);
  const auto tags = Tagger::load(folder).tag(test[0].sentences);
  ASSERT_EQ(tags.size(), 4U);
  for (std::size_t i = 0; i < tags.size(); ++i) EXPECT_EQ(tags[i].tag, test[0].tags[i]);
  const auto again = train_tagger(train, {}, {}, fs::path(testing::TempDir()) / "discourse-again", progress);
  EXPECT_EQ(again.bytes, report.bytes);
}

TEST(Discourse, WithoutTagsThereIsNothingToTrainOn) {
  auto paragraphs = toy_paragraphs(3);
  for (auto& paragraph : paragraphs) paragraph.tags.clear();
  SilentProgress progress;
  EXPECT_THROW(train_tagger(paragraphs, {}, {}, {}, progress), Error);
}

TEST(Discourse, AnEmptyParagraphHasNoTags) {
  const fs::path folder = fs::path(testing::TempDir()) / "discourse-empty";
  SilentProgress progress;
  train_tagger(toy_paragraphs(4), {}, {}, folder, progress);
  EXPECT_TRUE(Tagger::load(folder).tag({}).empty());
  EXPECT_THROW(Tagger::load(folder / "nowhere"), Error);
}

fs::path corwa() {
  const char* set = std::getenv("MUSTCITE_SHARED");
  return (set != nullptr ? fs::path(set) : fs::path(MUSTCITE_SOURCE_DIR) / "../shared") / "data" / "corwa";
}

TEST(CorwaSlow, TheChainBeatsTheMajorityAndTheLinearModelOnTheSameFeatures) {
  if (!fs::exists(corwa())) GTEST_SKIP() << "skipped: no ../shared";
  ReadReport reading;
  const auto train = read_paragraphs(corwa() / "CORWA_train.jsonl", reading);
  const auto test = read_paragraphs(corwa() / "CORWA_test.jsonl", reading);
  EXPECT_EQ(reading.rejected, 0U);
  SilentProgress progress;
  const auto report = train_tagger(train, test, {}, {}, progress);
  EXPECT_EQ(report.test_sentences, 5391U);
  EXPECT_LT(report.bytes, 1000000U);
  EXPECT_GT(report.chain.macro_f1(), report.linear.macro_f1());
  EXPECT_GT(report.chain.macro_f1(), report.majority.macro_f1() + 0.3);
}

}  // namespace
}  // namespace mustcite::paragraph
