#include "engine/hatten/network.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "testing/torch_values.hpp"

namespace mustcite::hatten {
namespace {

using test::apart;

Shape small() {
  Shape shape;
  shape.width = 16;
  shape.heads = 4;
  shape.inner = 24;
  shape.words = 20;
  shape.longest = 6;
  return shape;
}

at::Tensor vectors(const Network& network, const std::vector<PaperWords>& papers) {
  const at::NoGradGuard without_gradients;
  std::vector<const PaperWords*> pointers;
  for (const auto& paper : papers) pointers.push_back(&paper);
  return network.vectors(pointers, 0);
}

TEST(HattenNetwork, APapersVectorDoesNotDependOnItsCompany) {
  const Network network(small(), 1, {});
  const PaperWords a{{2, 3}, {4, 5, 6, 7}};
  const PaperWords b{{8}, {}};
  const PaperWords c{{9, 10, 11}, {12}};
  const auto together = vectors(network, {a, b, c});
  EXPECT_LT(apart(together[0], vectors(network, {a})[0]), 1e-5);
  EXPECT_LT(apart(together[1], vectors(network, {b})[0]), 1e-5);
  EXPECT_LT(apart(together[2], vectors(network, {c, a})[0]), 1e-5);
}

TEST(HattenNetwork, TitlesOfOneWordAndMissingPartsGiveNumbers) {
  const Network network(small(), 1, {});
  const auto all = vectors(network, {{{2}, {}}, {{}, {3, 4}}, {{}, {}}, {{1, 1, 1}, {1}}});
  EXPECT_TRUE(all.isfinite().all().item<bool>());
  EXPECT_GT(apart(all[0], all[1]), 1e-3);
  EXPECT_EQ(vectors(network, {}).size(0), 0);
}

TEST(HattenNetwork, WordsBeyondTheLongestAreCut) {
  const Network network(small(), 1, {});
  const auto all = vectors(network, {{{2}, {3, 4, 5, 6, 7, 8}}, {{2}, {3, 4, 5, 6, 7, 8, 9, 10, 11}}});
  EXPECT_LT(apart(all[0], all[1]), 1e-6);
}

TEST(HattenNetwork, TitleAndAbstractAreNotTheSameToIt) {
  const Network network(small(), 1, {});
  const auto all = vectors(network, {{{2, 3}, {4}}, {{4}, {2, 3}}});
  EXPECT_GT(apart(all[0], all[1]), 1e-3);
}

TEST(HattenNetwork, TheSeedDecidesTheWeights) {
  const std::vector<PaperWords> papers{{{2, 3}, {4, 5}}};
  EXPECT_EQ(apart(vectors(Network(small(), 7, {}), papers), vectors(Network(small(), 7, {}), papers)), 0);
  EXPECT_GT(apart(vectors(Network(small(), 7, {}), papers), vectors(Network(small(), 8, {}), papers)), 1e-3);
}

TEST(HattenNetwork, GradientsEqualCentralDifferencesInEveryWeight) {
  Network network(small(), 3, {});
  network.parameters().learn({});
  const std::vector<PaperWords> papers{{{2, 3}, {4, 5, 6}}, {{7}, {}}};
  const std::vector<const PaperWords*> pointers{&papers[0], &papers[1]};
  const auto weight = at::randn({2, 16});
  const auto f = [&] { return (network.vectors(pointers, 0) * weight).sum(); };
  for (const auto& parameter : network.parameters().optimiser().parameters()) {
    EXPECT_LT(test::gradient_error(f, parameter.value, 8, 2e-3), 0.05) << parameter.name;
  }
}

TEST(HattenNetwork, AGivenTableIsKeptAsItIs) {
  Shape shape = small();
  shape.given = 5;
  const auto table = at::randn({20, 5});
  Network network(shape, 1, table);
  network.parameters().learn({});
  const std::vector<PaperWords> papers{{{2, 3}, {4}}};
  const std::vector<const PaperWords*> pointers{&papers[0]};
  network.vectors(pointers, 0).sum().backward();
  network.parameters().optimiser().step(0.1);
  EXPECT_FALSE(table.requires_grad());
  for (const auto& parameter : network.parameters().optimiser().parameters())
    EXPECT_NE(parameter.name, "words");
}

TEST(HattenNetwork, RefusesAWidthThatHeadsCannotShare) {
  Shape shape = small();
  shape.heads = 5;
  EXPECT_THROW(Network(shape, 1, {}), Error);
}

}  // namespace
}  // namespace mustcite::hatten
