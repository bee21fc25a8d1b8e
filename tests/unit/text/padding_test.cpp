#include "core/text/padding.hpp"

#include <gtest/gtest.h>

namespace mustcite::text {
namespace {

TEST(Padding, CountsCharactersAndNotBytes) {
  EXPECT_EQ(count_characters(""), 0U);
  EXPECT_EQ(count_characters("Öl ± 3"), 6U);
}

TEST(Padding, FillsTheSideAskedForAndNeverCuts) {
  EXPECT_EQ(padded("±1", 4, true), "±1  ");
  EXPECT_EQ(padded("±1", 4, false), "  ±1");
  EXPECT_EQ(padded("longer", 3, true), "longer");
}

}  // namespace
}  // namespace mustcite::text
