#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <set>

#include "core/base/error.hpp"
#include "engine/dense/approximate.hpp"
#include "engine/dense/half.hpp"
#include "unit/model/scratch.hpp"

extern "C" const mustcite::dense::ApproximatePlugin* mustcite_approximate_plugin();

namespace mustcite::dense {
namespace {

constexpr std::uint32_t kDims = 32;

/// Unit vectors around forty directions.
std::vector<std::vector<float>> clustered(std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> centres(40, std::vector<float>(kDims));
  std::mt19937_64 fixed(9);
  for (auto& centre : centres) {
    for (float& value : centre) value = normal(fixed);
  }
  std::vector<std::vector<float>> vectors;
  for (std::size_t i = 0; i < rows; ++i) {
    auto vector = centres[random() % centres.size()];
    float square = 0;
    for (float& value : vector) {
      value += 0.7F * normal(random);
      square += value * value;
    }
    for (float& value : vector) value /= std::sqrt(square);
    vectors.push_back(std::move(vector));
  }
  return vectors;
}

void write(const std::filesystem::path& folder, std::size_t rows, Metric metric) {
  VectorInfo info;
  info.recipe.name = "tiny";
  info.recipe.model = "org/tiny";
  info.recipe.metric = metric;
  info.dims = kDims;
  VectorWriter writer(folder, info);
  std::vector<std::uint16_t> halves(kDims);
  for (const auto& vector : clustered(rows, 1)) {
    std::transform(vector.begin(), vector.end(), halves.begin(), to_half);
    writer.add(halves, 0);
  }
  writer.close();
}

class FaissSlow : public testing::Test {
 protected:
  /// Share of the exact best ten that the approximate search finds too.
  double recall(Approximate kind, Metric metric) {
    const test::Scratch scratch;
    write(scratch.path(), 3000, metric);
    const VectorFile vectors = VectorFile::open(scratch.path());
    mustcite_approximate_plugin()->build(vectors, kind, scratch.path() / "index");
    const auto index = mustcite_approximate_plugin()->open(scratch.path() / "index");
    std::size_t hits = 0;
    const auto queries = clustered(50, 2);
    for (const auto& query : queries) {
      const std::vector<DocId> exclude{DocId{5}};
      const DenseSearch search{10, 2500, exclude};
      const auto found = search_approximately(vectors, *index, query, search);
      EXPECT_EQ(found.size(), 10U);
      std::set<std::uint32_t> wanted;
      for (const Scored& item : vectors.search(query, search)) wanted.insert(item.doc.value);
      for (const Scored& item : found) {
        EXPECT_LT(item.doc.value, 2500U);
        EXPECT_NE(item.doc.value, 5U);
        hits += wanted.count(item.doc.value);
      }
    }
    return static_cast<double>(hits) / static_cast<double>(10 * queries.size());
  }
};

TEST_F(FaissSlow, FindsNearlyAllThatExactSearchFinds) {
  EXPECT_GE(recall(Approximate::hnsw, Metric::cosine), 0.95);
  EXPECT_GE(recall(Approximate::hnsw, Metric::l2), 0.95);
  EXPECT_GE(recall(Approximate::ivf_pq, Metric::cosine), 0.8);
  EXPECT_GE(recall(Approximate::ivf_pq, Metric::l2), 0.8);
}

TEST_F(FaissSlow, ScoresAreThoseOfExactSearch) {
  const test::Scratch scratch;
  write(scratch.path(), 1500, Metric::cosine);
  const VectorFile vectors = VectorFile::open(scratch.path());
  mustcite_approximate_plugin()->build(vectors, Approximate::hnsw, scratch.path() / "index");
  const auto index = mustcite_approximate_plugin()->open(scratch.path() / "index");
  const auto query = clustered(1, 3)[0];
  // Asked for every row, it misses none.
  const auto exact = vectors.search(query, {1500, std::nullopt, {}});
  const auto found = search_approximately(vectors, *index, query, {1500, std::nullopt, {}});
  ASSERT_GE(found.size(), 1490U);
  EXPECT_EQ(found[0].doc, exact[0].doc);
  EXPECT_EQ(found[0].score, exact[0].score);
}

TEST_F(FaissSlow, RefusesFewRowsAndDamagedFiles) {
  const test::Scratch scratch;
  write(scratch.path(), 50, Metric::cosine);
  const VectorFile vectors = VectorFile::open(scratch.path());
  EXPECT_EQ(test::code_of([&] {
              mustcite_approximate_plugin()->build(vectors, Approximate::hnsw, scratch.path() / "index");
            }),
            ErrorCode::invalid_input);
  std::ofstream(scratch.path() / "index") << "no index";
  EXPECT_EQ(test::code_of(
                [&] { static_cast<void>(mustcite_approximate_plugin()->open(scratch.path() / "index")); }),
            ErrorCode::corrupt);
}

}  // namespace
}  // namespace mustcite::dense
