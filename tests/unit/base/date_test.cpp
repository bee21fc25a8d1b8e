#include "core/base/date.hpp"

#include <gtest/gtest.h>

namespace mustcite {
namespace {

TEST(Date, ParsesTheThreeForms) {
  EXPECT_EQ(parse_date("2024"), (Date{2024, 0, 0}));
  EXPECT_EQ(parse_date("2024-05"), (Date{2024, 5, 0}));
  EXPECT_EQ(parse_date("2024-05-15"), (Date{2024, 5, 15}));
}

TEST(Date, RefusesEverythingElse) {
  for (const char* text :
       {"", "24", "0999", "2024-", "2024-00", "2024-13", "2024-5", "2024/05", "2024-05-00", "2024-05-32",
        "2024-05-15T00", "20240515", "-024", "2024-+5", "abcd", "2024-04-31"}) {
    EXPECT_EQ(parse_date(text), std::nullopt) << text;
  }
}

TEST(Date, KnowsLeapYears) {
  EXPECT_TRUE(parse_date("2024-02-29"));
  EXPECT_TRUE(parse_date("2000-02-29"));
  EXPECT_FALSE(parse_date("1900-02-29"));
  EXPECT_FALSE(parse_date("2023-02-29"));
}

TEST(Date, FormatsWhatItParsed) {
  for (const char* text : {"2024", "2024-05", "2024-05-15"}) EXPECT_EQ(format_date(*parse_date(text)), text);
  EXPECT_EQ(format_date(Date{}), "");
}

TEST(StrictlyOlder, LeavesTheSameYearOutUnlessDatesProveIt) {
  const Date cutoff{2024, 5, 15};
  EXPECT_TRUE(strictly_older({2023, 0, 0}, {2024, 0, 0}));
  EXPECT_FALSE(strictly_older({2024, 0, 0}, {2024, 0, 0}));
  EXPECT_FALSE(strictly_older({2024, 1, 1}, {2024, 0, 0}));
  EXPECT_FALSE(strictly_older({2024, 0, 0}, cutoff)) << "may be of December";
  EXPECT_TRUE(strictly_older({2024, 4, 0}, cutoff));
  EXPECT_FALSE(strictly_older({2024, 5, 0}, cutoff));
  EXPECT_TRUE(strictly_older({2024, 5, 14}, cutoff));
  EXPECT_FALSE(strictly_older({2024, 5, 15}, cutoff));
}

TEST(StrictlyOlder, IsNeverTrueForAnUnknownYear) {
  EXPECT_FALSE(strictly_older({}, {2024, 0, 0}));
  EXPECT_FALSE(strictly_older({2000, 0, 0}, {}));
}

}  // namespace
}  // namespace mustcite
