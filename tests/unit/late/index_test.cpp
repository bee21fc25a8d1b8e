#include "engine/late/index_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/dense/half.hpp"
#include "engine/late/index_writer.hpp"
#include "testing/error_code.hpp"
#include "testing/temp_folder.hpp"
#include "unit/late/random_documents.hpp"

namespace mustcite::late {
namespace {

using testing::code_of;

constexpr std::size_t kDims = 32;

IndexInfo info_of() {
  IndexInfo info;
  info.recipe.text.name = "tiny";
  info.recipe.text.model = "org/tiny";
  info.model_digest = "model";
  info.snapshot_digest = "snapshot";
  return info;
}

/// Documents of a few tokens each, document 5 without any, and their index.
class Late : public ::testing::Test {
 protected:
  void write(std::size_t rows, std::size_t bits = 4, std::size_t centroids = 64, std::size_t dims = kDims) {
    documents_.clear();
    test::RandomDocuments random(dims, 40, 11);
    Sample sample;
    sample.dims = dims;
    for (std::size_t row = 0; row < rows; ++row) {
      documents_.push_back(row == 5 ? std::vector<float>{} : random.next(3 + row % 30));
      std::transform(documents_.back().begin(), documents_.back().end(), std::back_inserter(sample.values),
                     dense::to_half);
    }
    CodecOptions options;
    options.bits = bits;
    options.centroids = centroids;
    options.threads = 1;
    const Codec codec = train_codec(sample, options, [](auto) {});
    const NearestCentroid nearest(codec);
    CompressedPart part;
    for (std::size_t row = 0; row < rows; ++row) part.add(documents_[row], 1000 + row, codec, nearest);
    write_index(folder_.path(), info_of(), codec, part);
    for (int i = 0; i < 4; ++i) queries_.push_back(random.next(5 + 30U * static_cast<std::size_t>(i)));
  }

  [[nodiscard]] LateIndex open() const { return LateIndex::open(folder_.path()); }

  mustcite::testing::TempFolder folder_;
  std::vector<std::vector<float>> documents_;
  std::vector<std::vector<float>> queries_;
};

/// A search that leaves nothing out.
LateSearch everything(std::size_t depth) {
  LateSearch search;
  search.depth = depth;
  search.probes = 1000;
  search.least = 0;
  search.rescored = 100000;
  return search;
}

void expect_same(const std::vector<Scored>& found, const std::vector<Scored>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].doc, wanted[i].doc) << i;
    EXPECT_EQ(found[i].score, wanted[i].score) << i;
  }
}

TEST(MaxSim, IsTheSumOfTheLargestProducts) {
  // Query (1, 0), (0, 1); document (0.6, 0.8), (0.8, -0.6): 0.8 + 0.8.
  const std::vector<float> query{1, 0, 0, 1};
  const std::vector<float> document{0.6F, 0.8F, 0.8F, -0.6F};
  EXPECT_NEAR(max_sim(query, document, 2), 1.6, 1e-6);
  EXPECT_EQ(max_sim(query, {}, 2), 0);
}

TEST_F(Late, ExhaustiveScoresAreMaxSimOfTheVectorsAsTheyAreKept) {
  write(120);
  const LateIndex index = open();
  ASSERT_EQ(index.info().rows, 120U);
  ASSERT_EQ(index.info().dims, kDims);
  for (const auto& query : queries_) {
    const auto found = index.search_exhaustive(query, everything(120));
    ASSERT_EQ(found.size(), 119U);  // one document has no token
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].score, max_sim(query, index.vectors(found[i].doc.value), kDims), 1e-3);
      if (i > 0) EXPECT_GE(found[i - 1].score, found[i].score);
    }
  }
}

TEST_F(Late, FourBitsAreNearTheVectorsThatWereGiven) {
  write(60);
  const LateIndex index = open();
  for (const auto& query : queries_) {
    for (std::uint32_t row = 0; row < 60; ++row) {
      const DocId doc{row};
      float score = 0;
      index.score(query, {&doc, 1}, {&score, 1});
      const double given = max_sim(query, documents_[row], kDims);
      EXPECT_NEAR(score, given, 0.02 * static_cast<double>(query.size() / kDims) + 1e-6) << row;
    }
  }
}

TEST_F(Late, SearchThatLeavesNothingOutEqualsTheExhaustiveOne) {
  for (const std::size_t bits : {1U, 2U, 4U}) {
    write(150, bits);
    const LateIndex index = open();
    for (const auto& query : queries_) {
      expect_same(index.search(query, everything(10)), index.search_exhaustive(query, everything(10)));
      expect_same(index.search(query, everything(150)), index.search_exhaustive(query, everything(150)));
    }
  }
}

TEST_F(Late, UsualSearchFindsWhatTheExhaustiveOneFinds) {
  write(1500, 2, 256);
  const LateIndex index = open();
  LateSearch search;
  search.depth = 20;
  search.rescored = 150;
  std::size_t found = 0;
  for (const auto& query : queries_) {
    const auto wanted = index.search_exhaustive(query, search);
    for (const Scored& one : index.search(query, search))
      found +=
          std::any_of(wanted.begin(), wanted.end(), [&](const Scored& other) { return other.doc == one.doc; })
              ? 1
              : 0;
  }
  EXPECT_GE(found, 72U);  // of 80
}

TEST_F(Late, APrefixOfRowsAndHiddenOnesAreKept) {
  write(150);
  const LateIndex index = open();
  const std::vector<DocId> hidden{DocId{0}, DocId{17}, DocId{59}, DocId{149}};
  for (const std::uint32_t prefix : {0U, 1U, 60U, 150U, 1000U}) {
    auto search = everything(200);
    search.prefix = prefix;
    search.exclude = hidden;
    const auto found = index.search(queries_[1], search);
    expect_same(found, index.search_exhaustive(queries_[1], search));
    for (const Scored& one : found) {
      EXPECT_LT(one.doc.value, prefix);
      EXPECT_FALSE(std::binary_search(hidden.begin(), hidden.end(), one.doc));
    }
  }
}

TEST_F(Late, EqualDocumentsComeInTheOrderOfTheirRows) {
  test::RandomDocuments random(kDims, 5, 3);
  const auto same = random.next(6);
  Sample sample;
  sample.dims = kDims;
  std::transform(same.begin(), same.end(), std::back_inserter(sample.values), dense::to_half);
  CodecOptions options;
  options.centroids = 1;
  const Codec codec = train_codec(sample, options, [](auto) {});
  const NearestCentroid nearest(codec);
  CompressedPart part;
  for (std::size_t row = 0; row < 40; ++row) part.add(same, 1, codec, nearest);
  write_index(folder_.path(), info_of(), codec, part);
  const auto found = open().search(same, everything(4));
  ASSERT_EQ(found.size(), 4U);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(found[i].doc.value, i);
}

TEST_F(Late, AQueryWithoutVectorsFindsNothingAndOneOfOtherDimensionsIsRefused) {
  write(20);
  const LateIndex index = open();
  EXPECT_TRUE(index.search({}, {}).empty());
  EXPECT_TRUE(index.search_exhaustive({}, {}).empty());
  const std::vector<float> other(kDims + 1, 0.1F);
  EXPECT_EQ(code_of([&] { static_cast<void>(index.search(other, {})); }), ErrorCode::invalid_input);
  EXPECT_EQ(code_of([&] { static_cast<void>(index.search_exhaustive(other, {})); }),
            ErrorCode::invalid_input);
}

TEST_F(Late, ADocumentOf512TokensAndOneOfOneTokenAreFoundByTheirOwnVectors) {
  test::RandomDocuments random(kDims, 300, 4);
  const std::vector<std::vector<float>> documents{random.next(512), random.next(1), random.next(200)};
  Sample sample;
  sample.dims = kDims;
  for (const auto& document : documents)
    std::transform(document.begin(), document.end(), std::back_inserter(sample.values), dense::to_half);
  CodecOptions options;
  options.bits = 4;
  options.centroids = 64;
  const Codec codec = train_codec(sample, options, [](auto) {});
  const NearestCentroid nearest(codec);
  CompressedPart part;
  for (const auto& document : documents) part.add(document, 1, codec, nearest);
  write_index(folder_.path(), info_of(), codec, part);
  const LateIndex index = open();
  EXPECT_EQ(index.tokens(0), 512U);
  for (std::uint32_t row : {0U, 2U})
    EXPECT_EQ(index.search(documents[row], everything(1)).at(0).doc.value, row);
}

TEST_F(Late, ADamagedOrTruncatedFileIsRefused) {
  write(60);
  const auto path = folder_ / "late.bin";
  const std::string sound = io::read_file(path);
  for (std::size_t at = 100; at < sound.size(); at += sound.size() / 23) {
    std::string bytes = sound;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x40);
    // Padding between sections may change: everything else may not.
    io::write_file_atomically(path, bytes);
    const auto code = code_of([&] { static_cast<void>(open()); });
    if (code) EXPECT_EQ(code, ErrorCode::corrupt);
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{10}, std::size_t{127}, sound.size() / 2, sound.size() - 1}) {
    io::write_file_atomically(path, sound.substr(0, size));
    EXPECT_EQ(code_of([&] { static_cast<void>(open()); }), ErrorCode::corrupt) << size;
  }
  std::filesystem::remove(path);
  EXPECT_EQ(code_of([&] { static_cast<void>(open()); }), ErrorCode::not_found);
}

}  // namespace
}  // namespace mustcite::late
