#include "engine/dense/remembered.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.hpp"

namespace mustcite::dense {
namespace {

TEST(Remembered, AsksOnlyForWhatItDoesNotKnow) {
  Remembered known(2);
  const std::vector<std::string> two{"a", "b"};
  EXPECT_EQ(known.missing(two).size(), 2U);
  known.keep("a", std::vector<float>{1, 2});
  EXPECT_EQ(known.missing(two), std::vector<std::string_view>{"b"});
  EXPECT_EQ(known.at("a"), (std::vector<float>{1, 2}));
}

TEST(Remembered, ForgetsEverythingBeforeItBecomesTooMuch) {
  Remembered known(2);
  const std::vector<std::string> two{"a", "b"};
  for (const std::string& text : two) known.keep(text, std::vector<float>{1});
  EXPECT_TRUE(known.missing(two).empty());
  const std::vector<std::string> third{"c"};
  EXPECT_EQ(known.missing(third).size(), 1U);
  EXPECT_EQ(known.missing(two).size(), 2U);
}

TEST(Remembered, KnowsTextsThatCameInOneLargeCall) {
  Remembered known(1);
  const std::vector<std::string> two{"a", "b"};
  static_cast<void>(known.missing(two));
  for (const std::string& text : two) known.keep(text, std::vector<float>{1});
  EXPECT_TRUE(known.missing(two).empty());
  EXPECT_EQ(known.at("b").size(), 1U);
}

TEST(Remembered, NumbersThatAreNoneNameTheModel) {
  const float bad[] = {1, std::numeric_limits<float>::quiet_NaN()};
  try {
    expect_numbers(bad, "models/some");
    ADD_FAILURE() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_input);
    EXPECT_NE(std::string(error.what()).find("models/some"), std::string::npos);
  }
}

}  // namespace
}  // namespace mustcite::dense
