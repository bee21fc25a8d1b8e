#include "engine/index/kernels.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

namespace mustcite::index::kernels {
namespace {

using format::kClasses;
using format::kDenseGroupBytes;
using format::kGroupRows;

TEST(NibblePlace, GivesEverySlotOfAGroupItsOwnFourBits) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;
  for (std::uint32_t slot = 0; slot < kGroupRows; ++slot) {
    const auto place = format::nibble_place(slot);
    EXPECT_LT(place.byte, kDenseGroupBytes);
    places.emplace(place.byte, place.shift);
  }
  EXPECT_EQ(places.size(), kGroupRows);
}

TEST(AddDense, IsTheSameAtEveryLevel) {
  std::mt19937 random(1);
  constexpr std::size_t kGroups = 37;
  for (std::size_t count = 0; count < 11; ++count) {
    std::vector<std::vector<std::uint8_t>> codes(count, std::vector<std::uint8_t>(kGroups * kDenseGroupBytes));
    std::vector<DenseTable> tables(count);
    std::vector<DenseTerm> terms;
    for (std::size_t t = 0; t < count; ++t) {
      for (auto& code : codes[t]) code = static_cast<std::uint8_t>(random());
      for (auto& table : tables[t].bytes) {
        for (auto& half : table) {
          for (auto& byte : half) byte = static_cast<std::uint8_t>(random());
        }
      }
      terms.push_back({codes[t].data(), &tables[t]});
    }
    std::array<std::uint8_t, kGroups> classes{};
    for (auto& item : classes) item = static_cast<std::uint8_t>(random() % kClasses);
    std::vector<std::uint16_t> start(kGroups * kGroupRows);
    for (auto& sum : start) sum = static_cast<std::uint16_t>(random());
    auto plain = start;
    add_dense(Level::plain, terms.data(), count, classes.data(), kGroups, plain.data());
    for (const Level level : available()) {
      auto sums = start;
      add_dense(level, terms.data(), count, classes.data(), kGroups, sums.data());
      EXPECT_EQ(sums, plain) << "level " << static_cast<int>(level) << ", " << count << " terms";
    }
  }
}

TEST(AddNarrow, IsTheSameAtEveryLevel) {
  std::mt19937 random(3);
  constexpr std::size_t kGroups = 23;
  for (std::size_t count = 0; count <= kMaxNarrowTerms; ++count) {
    std::vector<std::vector<std::uint8_t>> codes(count, std::vector<std::uint8_t>(kGroups * kDenseGroupBytes));
    std::vector<NarrowTable> tables(count);
    std::vector<NarrowTerm> terms;
    for (std::size_t t = 0; t < count; ++t) {
      for (auto& code : codes[t]) code = static_cast<std::uint8_t>(random());
      for (auto& table : tables[t].bytes) {
        for (auto& byte : table) byte = static_cast<std::uint8_t>(random() % (256 / count));
      }
      terms.push_back({codes[t].data(), &tables[t]});
    }
    std::array<std::uint8_t, kGroups> classes{};
    for (auto& item : classes) item = static_cast<std::uint8_t>(random() % kClasses);
    std::vector<std::uint16_t> start(kGroups * kGroupRows);
    for (auto& sum : start) sum = static_cast<std::uint16_t>(random());
    for (int shift = 0; shift <= 4; ++shift) {
      auto plain = start;
      add_narrow(Level::plain, terms.data(), count, classes.data(), kGroups, shift, plain.data());
      if (count > 0) {
        EXPECT_NE(plain, start);
      }
      for (const Level level : available()) {
        auto sums = start;
        add_narrow(level, terms.data(), count, classes.data(), kGroups, shift, sums.data());
        EXPECT_EQ(sums, plain) << "level " << static_cast<int>(level) << ", " << count << " terms";
      }
    }
  }
}

TEST(GroupMaxima, IsTheSameAtEveryLevel) {
  std::mt19937 random(2);
  constexpr std::size_t kGroups = 29;
  std::vector<std::uint16_t> sums(kGroups * kGroupRows);
  for (auto& sum : sums) sum = static_cast<std::uint16_t>(random() >> (random() % 16));
  sums[5] = 65535;
  std::vector<std::uint16_t> plain(kGroups);
  group_maxima(Level::plain, sums.data(), kGroups, plain.data());
  EXPECT_EQ(plain[0], 65535);
  for (const Level level : available()) {
    std::vector<std::uint16_t> maxima(kGroups);
    group_maxima(level, sums.data(), kGroups, maxima.data());
    EXPECT_EQ(maxima, plain);
  }
}

TEST(AddSparse, AddsTheTablesValueToEverySlotOfTheList) {
  const std::vector<std::uint16_t> slots{3, 0, 9, 7, 1};
  const std::vector<std::uint8_t> codes{1, 2, 1, 255, 0};
  std::vector<std::uint16_t> table(256);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<std::uint16_t>(10 * i);
  std::vector<std::uint16_t> sums(10, 1);
  add_sparse(slots.data(), codes.data(), slots.size(), table.data(), sums.data());
  EXPECT_EQ(sums, (std::vector<std::uint16_t>{21, 1, 1, 11, 1, 1, 1, 2551, 1, 11}));
}

}  // namespace
}  // namespace mustcite::index::kernels
