#include "engine/baseline/nearest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/baseline/vocabulary.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/train/demo_world.hpp"

namespace mustcite::baseline {
namespace {

TEST(Nearest, EqualsSortingEveryProduct) {
  std::mt19937 random(3);
  constexpr std::size_t kDims = 11;
  // Small whole numbers: products are exact, and there are ties.
  std::vector<float> vectors(500 * kDims);
  for (float& value : vectors) value = static_cast<float>(static_cast<int>(random() % 5) - 2);
  const std::vector<float> query(vectors.begin(), vectors.begin() + kDims);
  const std::vector<DocId> exclude{DocId{0}, DocId{7}, DocId{8}, DocId{499}};
  Request request;
  request.as_of.documents = 450;
  request.exclude = exclude;
  request.depth = 60;
  std::vector<std::pair<float, std::uint32_t>> expected;
  for (std::uint32_t row = 0; row < 450; ++row) {
    if (row == 0 || row == 7 || row == 8) continue;
    float product = 0;
    for (std::size_t i = 0; i < kDims; ++i) product += vectors[row * kDims + i] * query[i];
    expected.emplace_back(-product, row);
  }
  std::sort(expected.begin(), expected.end());
  const auto found = nearest(vectors, query, request);
  ASSERT_EQ(found.size(), 60U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].doc.value, expected[i].second);
    EXPECT_EQ(found[i].score, -expected[i].first);
  }
  request.as_of.documents = 0;
  EXPECT_TRUE(nearest(vectors, query, request).empty());
  request.as_of.documents = 3;
  EXPECT_EQ(nearest(vectors, query, request).size(), 2U);
}

TEST(Vocabulary, HoldsFrequentWordsOfTheTimeAndReadsBack) {
  const testing::TempFolder folder;
  test::DemoWorld().build(folder.path());
  const auto snapshot = snapshot::Snapshot::open(folder.path());
  const auto all = Vocabulary::build(snapshot, snapshot.size(), 500, 3);
  EXPECT_EQ(all.size(), 502U);
  const auto ids = all.encode("The of zzqqzz", 10);
  ASSERT_EQ(ids.size(), 3U);
  EXPECT_GE(ids[0], Vocabulary::kFirstWord);
  EXPECT_EQ(ids[2], Vocabulary::kUnknown);
  EXPECT_EQ(all.encode("the of the", 2).size(), 2U);
  EXPECT_TRUE(all.encode("", 5).empty());
  all.write(folder / "vocab.txt");
  EXPECT_EQ(Vocabulary::read(folder / "vocab.txt").words(), all.words());
  EXPECT_EQ(Vocabulary::build(snapshot, 0, 500, 1).size(), 2U);
  EXPECT_EQ(testing::code_of([&] { static_cast<void>(Vocabulary::read(folder / "none.txt")); }),
            ErrorCode::not_found);
}

TEST(HashedVectors, AreUnitLengthAndTheSameForTheSameText) {
  const testing::TempFolder folder;
  test::DemoWorld().build(folder.path());
  const auto snapshot = snapshot::Snapshot::open(folder.path());
  const auto vectors = make_hashed_vectors(snapshot, 64);
  std::vector<float> rows(2 * 64);
  vectors->read(3, rows);
  double length = 0;
  for (std::size_t i = 0; i < 64; ++i) length += rows[i] * rows[i];
  EXPECT_NEAR(length, 1.0, 1e-5);
  const auto view = snapshot.document(DocId{3});
  const dense::TextParts text{view.title, view.abstract, {}};
  std::vector<float> encoded(64);
  vectors->encode(std::span<const dense::TextParts>(&text, 1), encoded);
  EXPECT_TRUE(std::equal(encoded.begin(), encoded.end(), rows.begin()));
  const dense::TextParts empty{};
  vectors->encode(std::span<const dense::TextParts>(&empty, 1), encoded);
  EXPECT_EQ(std::count(encoded.begin(), encoded.end(), 0.0F), 64);
  EXPECT_EQ(
      testing::code_of([&] { static_cast<void>(open_text_vectors("nothing", snapshot, folder.path(), {})); }),
      ErrorCode::not_found);
  EXPECT_EQ(open_text_vectors("auto", snapshot, folder.path(), {})->name(), "hashed-512");
}

}  // namespace
}  // namespace mustcite::baseline
