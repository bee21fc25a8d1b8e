#include "engine/dense/vector_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "core/base/error.hpp"
#include "engine/dense/half.hpp"
#include "unit/model/scratch.hpp"

namespace mustcite::dense {
namespace {

std::vector<std::uint16_t> random_halves(std::mt19937_64& random, std::size_t dims, bool unit) {
  std::normal_distribution<float> normal;
  std::vector<float> values(dims);
  float square = 0;
  for (float& value : values) {
    value = normal(random);
    square += value * value;
  }
  std::vector<std::uint16_t> halves;
  for (const float value : values) halves.push_back(to_half(unit ? value / std::sqrt(square) : value));
  return halves;
}

VectorInfo info_for(std::uint32_t dims, Metric metric, Storage storage) {
  VectorInfo info;
  info.recipe.name = "tiny";
  info.recipe.model = "org/tiny";
  info.recipe.metric = metric;
  info.model_digest = "model";
  info.snapshot_digest = "snapshot";
  info.dims = dims;
  info.storage = storage;
  return info;
}

void write(const std::filesystem::path& folder, const VectorInfo& info, std::size_t rows,
           std::uint64_t seed) {
  std::mt19937_64 random(seed);
  VectorWriter writer(folder, info);
  for (std::size_t i = 0; i < rows; ++i)
    writer.add(random_halves(random, info.dims, info.recipe.metric == Metric::cosine), i);
  writer.close();
}

void expect_same(const std::vector<Scored>& found, const std::vector<Scored>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].doc, wanted[i].doc) << i;
    EXPECT_EQ(found[i].score, wanted[i].score) << i;
  }
}

TEST(Half, KeepsEveryValueItHas) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = from_half(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(from_half(to_half(value))));
    } else {
      EXPECT_EQ(to_half(value), half) << bits;
    }
  }
}

TEST(Half, RoundsToTheNearestTiesToEven) {
  EXPECT_EQ(from_half(to_half(1.0F + 0x1p-11F)), 1.0F);            // half way to the next: even is below
  EXPECT_EQ(from_half(to_half(1.0F + 0x3p-11F)), 1.0F + 0x1p-9F);  // half way, even is above
  EXPECT_EQ(from_half(to_half(1.0F + 0x1.01p-11F)), 1.0F + 0x1p-10F);
  EXPECT_EQ(from_half(to_half(65519.0F)), 65504.0F);
  EXPECT_TRUE(std::isinf(from_half(to_half(65520.0F))));
  EXPECT_EQ(from_half(to_half(0x1p-24F)), 0x1p-24F);  // the smallest
  EXPECT_EQ(from_half(to_half(0x1p-25F)), 0.0F);      // half of it: even is zero
}

TEST(Half, WidensRowsOfAnyLengthAsOneByOne) {
  std::mt19937_64 random(1);
  const auto halves = random_halves(random, 37, false);
  std::vector<float> wide(37);
  widen(halves, wide);
  for (std::size_t i = 0; i < 37; ++i) EXPECT_EQ(wide[i], from_half(halves[i]));
}

// The plain twin computes every row.
TEST(VectorFile, SearchEqualsItsPlainTwinForEveryMetricAndStorage) {
  std::mt19937_64 random(7);
  for (const Metric metric : {Metric::cosine, Metric::dot, Metric::l2}) {
    for (const Storage storage : {Storage::float16, Storage::int8}) {
      for (const std::uint32_t dims : {3U, 64U, 100U, 384U}) {
        const test::Scratch scratch;
        write(scratch.path(), info_for(dims, metric, storage), 700, dims);
        const VectorFile file = VectorFile::open(scratch.path());
        ASSERT_EQ(file.info().rows, 700U);
        std::vector<float> query(dims);
        for (int round = 0; round < 3; ++round) {
          widen(random_halves(random, dims, metric == Metric::cosine), query);
          const std::vector<DocId> exclude{DocId{0}, DocId{17}, DocId{255}, DocId{256}, DocId{699}};
          expect_same(file.search(query, {10, std::nullopt, {}}),
                      file.search_plain(query, {10, std::nullopt, {}}));
          expect_same(file.search(query, {50, 300, exclude}), file.search_plain(query, {50, 300, exclude}));
          expect_same(file.search(query, {1000, std::nullopt, exclude}),
                      file.search_plain(query, {1000, std::nullopt, exclude}));
          expect_same(file.search(query, {5, 0, {}}), {});
        }
      }
    }
  }
}

TEST(VectorFile, EqualVectorsComeInTheOrderOfTheirRows) {
  const test::Scratch scratch;
  const std::vector<std::uint16_t> same(64, to_half(0.125F));
  {
    VectorWriter writer(scratch.path(), info_for(64, Metric::cosine, Storage::float16));
    for (int i = 0; i < 600; ++i) writer.add(same, 1);
    writer.close();
  }
  const auto found =
      VectorFile::open(scratch.path()).search(std::vector<float>(64, 0.125F), {4, std::nullopt, {}});
  ASSERT_EQ(found.size(), 4U);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found[i].doc.value, i);
    EXPECT_FLOAT_EQ(found[i].score, 1.0F);
  }
}

TEST(VectorFile, DistanceIsTheNegativeSquare) {
  const test::Scratch scratch;
  {
    VectorWriter writer(scratch.path(), info_for(2, Metric::l2, Storage::float16));
    writer.add(std::vector<std::uint16_t>{to_half(3), to_half(4)}, 1);
    writer.add(std::vector<std::uint16_t>{to_half(1), to_half(1)}, 2);
    writer.close();
  }
  const VectorFile file = VectorFile::open(scratch.path());
  const auto found = file.search(std::vector<float>{1, 2}, {2, std::nullopt, {}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].doc.value, 1U);
  EXPECT_FLOAT_EQ(found[0].score, -1.0F);  // (1-1)^2 + (2-1)^2
  EXPECT_FLOAT_EQ(found[1].score, -8.0F);  // (1-3)^2 + (2-4)^2
  EXPECT_EQ(file.text_digest(1), 2U);
}

TEST(VectorFile, RefusesADamagedOrMissingFile) {
  const test::Scratch scratch;
  EXPECT_EQ(test::code_of([&] { static_cast<void>(VectorFile::open(scratch.path())); }),
            ErrorCode::not_found);
  write(scratch.path(), info_for(64, Metric::cosine, Storage::float16), 20, 1);
  {
    std::fstream file(scratch.path() / "vectors.bin", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(500);
    file.put('\x7f');
  }
  EXPECT_THAT(test::message_of([&] { static_cast<void>(VectorFile::open(scratch.path())); }),
              testing::HasSubstr("mustcite index build --dense"));
}

TEST(Storage, KnowsItsNames) {
  EXPECT_EQ(parse_storage("int8"), Storage::int8);
  EXPECT_EQ(test::code_of([] { static_cast<void>(parse_storage("float12")); }), ErrorCode::usage);
}

}  // namespace
}  // namespace mustcite::dense
