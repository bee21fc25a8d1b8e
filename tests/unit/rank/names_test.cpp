#include "engine/rank/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mustcite::rank {
namespace {

using ::testing::ElementsAre;

TEST(NameWords, KeepsPartsTogether) {
  EXPECT_THAT(name_words("CIFAR-10, word2vec (C++) and multi_task."),
              ElementsAre("CIFAR-10", "word2vec", "C++", "and", "multi_task"));
  EXPECT_THAT(name_words("- trailing-"), ElementsAre("trailing"));
}

TEST(NameLike, WordsWithCapitalsInsideOrDigits) {
  for (const char* word : {"BERT", "ResNet", "CIFAR-10", "GPT3", "GloVe", "t-SNE"})
    EXPECT_TRUE(is_name_like(word)) << word;
  for (const char* word : {"The", "learning", "2020", "x", "zero-shot", "Deep"})
    EXPECT_FALSE(is_name_like(word)) << word;
}

TEST(MineNames, TakesTheStartOfATitle) {
  EXPECT_THAT(mine_names("Alpha: a simple baseline", ""), ElementsAre(MinedName{"alpha", NameKind::prefix}));
  EXPECT_THAT(mine_names("Open Graph Bench: data for graphs", ""),
              ElementsAre(MinedName{"open graph bench", NameKind::phrase}));
  EXPECT_TRUE(mine_names("a very long start of a title: and the rest", "").empty());
}

TEST(MineNames, TakesNamesInsideATitle) {
  EXPECT_THAT(mine_names("Fine-tuning of ToyNet on MNIST-3D", ""),
              ElementsAre(MinedName{"toynet", NameKind::title}, MinedName{"mnist-3d", NameKind::title}));
}

TEST(MineNames, SkipsTitlesInCapitals) {
  EXPECT_TRUE(mine_names("TOY NETWORKS FOR ALL", "").empty());
}

TEST(MineNames, TakesWhatAnAbstractIntroduces) {
  EXPECT_THAT(mine_names("A method", "We present ToyNet, a wide toy network (WTN)."),
              ElementsAre(MinedName{"wtn", NameKind::abstract_}, MinedName{"toynet", NameKind::abstract_}));
  EXPECT_TRUE(mine_names("A method", "We present results (see below).").empty());
}

TEST(MineNames, EachNameOnce) {
  EXPECT_EQ(mine_names("ToyNet: why ToyNet works", "ToyNet (ToyNet)").size(), 1U);
}

}  // namespace
}  // namespace mustcite::rank
