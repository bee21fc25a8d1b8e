#include "core/learn/agreement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "testing/error_code.hpp"

namespace mustcite::learn {
namespace {

struct GoldenTable {
  Ratings ratings;
  std::vector<double> categories;
  std::map<std::string, double> expected;
};

/// Tables and values of tests/unit/learn/golden/make_agreement.py.
std::vector<GoldenTable> read_golden() {
  std::ifstream file(MUSTCITE_SOURCE_DIR "/tests/unit/learn/golden/agreement.txt");
  std::vector<GoldenTable> tables;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name == "table") {
      GoldenTable table;
      std::size_t categories = 0;
      words >> table.ratings.items >> table.ratings.raters >> categories;
      for (std::size_t c = 1; c <= categories; ++c) table.categories.push_back(static_cast<double>(c));
      std::getline(file, line);
      std::istringstream values(line);
      std::string value;
      while (values >> value) table.ratings.values.push_back(value == "." ? kMissing : std::stod(value));
      tables.push_back(std::move(table));
    } else {
      words >> tables.back().expected[name];
    }
  }
  return tables;
}

double measure(const GoldenTable& table, const std::string& name) {
  static const std::map<std::string, Level> levels{{"nominal", Level::nominal},
                                                   {"ordinal", Level::ordinal},
                                                   {"interval", Level::interval},
                                                   {"ratio", Level::ratio}};
  static const std::map<std::string, Weighting> weightings{
      {"identity", Weighting::identity}, {"linear", Weighting::linear}, {"quadratic", Weighting::quadratic}};
  const std::string last = name.substr(name.rfind('_') + 1);
  if (name.starts_with("alpha_")) return krippendorff_alpha(table.ratings, levels.at(last));
  if (name.starts_with("gwet_")) return gwet_ac(table.ratings, weightings.at(last), table.categories);
  const auto a = table.ratings.column(0);
  const auto b = table.ratings.column(1);
  if (name.starts_with("kappa_seen_")) return cohen_kappa(a, b, weightings.at(last));
  return cohen_kappa(a, b, weightings.at(last), table.categories);
}

TEST(Agreement, EqualsKrippendorffScikitLearnAndIrrCacOnTwoHundredTables) {
  const auto tables = read_golden();
  ASSERT_EQ(tables.size(), 200U);
  std::map<std::string, int> compared;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (const auto& [name, value] : tables[t].expected) {
      EXPECT_NEAR(measure(tables[t], name), value, 1e-9) << name << " of table " << t;
      ++compared[name];
    }
  }
  EXPECT_EQ(compared.size(), 13U);
  for (const auto& [name, count] : compared) EXPECT_GT(count, 150) << name;
}

TEST(Agreement, AlphaOfKrippendorffsOwnExample) {
  // Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: 4 observers, 12 units.
  const double x = kMissing;
  const Ratings ratings{12, 4, {1, 1, x, 1, 2, 2, 3, 2, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 1, 2, 3, 4,
                                4, 4, 4, 4, 1, 1, 2, 1, 2, 2, 2, 2, x, 5, 5, 5, x, x, 1, 1, x, x, 3, x}};
  EXPECT_NEAR(krippendorff_alpha(ratings, Level::nominal), 0.743, 5e-4);
  EXPECT_NEAR(krippendorff_alpha(ratings, Level::ordinal), 0.815, 5e-4);
  EXPECT_NEAR(krippendorff_alpha(ratings, Level::interval), 0.849, 5e-4);
  EXPECT_NEAR(krippendorff_alpha(ratings, Level::ratio), 0.797, 5e-4);
}

TEST(Agreement, IsUndefinedWhereNothingCanBeCompared) {
  EXPECT_TRUE(std::isnan(krippendorff_alpha({2, 2, {1, kMissing, kMissing, 2}}, Level::nominal)));
  EXPECT_TRUE(std::isnan(krippendorff_alpha({2, 2, {1, 1, 1, 1}}, Level::nominal)));
  EXPECT_TRUE(std::isnan(gwet_ac({1, 2, {1, kMissing}}, Weighting::identity)));
  EXPECT_TRUE(std::isnan(agreement_within({1, 2, {1, kMissing}}, 0)));
  EXPECT_TRUE(std::isnan(cohen_kappa(std::vector<double>{}, std::vector<double>{}, Weighting::identity)));
}

TEST(Agreement, RefusesTablesAndCategoriesThatDoNotFit) {
  EXPECT_EQ(testing::code_of([] {
              return krippendorff_alpha({2, 2, {1, 2, 3}}, Level::nominal);
            }),
            ErrorCode::invalid_input);
  const std::vector<double> a{1, 6};
  const std::vector<double> scale{1, 2, 3, 4, 5};
  EXPECT_EQ(testing::code_of([&] { return cohen_kappa(a, a, Weighting::quadratic, scale); }),
            ErrorCode::invalid_input);
}

TEST(Agreement, CountsItemsOnWhichAllRatersAreClose) {
  const Ratings ratings{4, 3, {1, 1, 1, 1, 2, 1, 1, 3, kMissing, 5, kMissing, kMissing}};
  EXPECT_DOUBLE_EQ(agreement_within(ratings, 0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(agreement_within(ratings, 1), 2.0 / 3);
}

TEST(Agreement, PairwiseKappaIsMeasuredOnWhatEachPairRated) {
  // Raters 0 and 1 agree fully on three items, 0 and 2 differ on one of two (kappa 0), 1 and 2 the same.
  const double x = kMissing;
  const Ratings ratings{3, 3, {0, 0, 0, 1, 1, 0, 0, 0, x}};
  const auto pairs = pairwise_kappa(ratings, Weighting::identity);
  EXPECT_EQ(pairs.pairs, 3U);
  EXPECT_DOUBLE_EQ(pairs.max, 1);
  EXPECT_DOUBLE_EQ(pairs.min, 0);
  EXPECT_NEAR(pairs.mean, 1.0 / 3, 1e-12);
}

TEST(Agreement, MajorityAndMedianAreRatingsThatWereGiven) {
  const Ratings ratings{3, 4, {0, 1, 1, 0, 2, 4, 5, 5, 3, kMissing, kMissing, kMissing}};
  EXPECT_EQ(majority(ratings, Ties::low), (std::vector<double>{0, 5, 3}));
  EXPECT_EQ(majority(ratings, Ties::high), (std::vector<double>{1, 5, 3}));
  EXPECT_EQ(median(ratings), (std::vector<double>{0, 4, 3}));
}

TEST(Agreement, AreaUnderCurveCountsTiesHalf) {
  const std::vector<double> scores{0.1, 0.4, 0.4, 0.8};
  const std::vector<double> labels{0, 1, 0, 1};
  EXPECT_DOUBLE_EQ(area_under_curve(scores, labels), 3.5 / 4);
}

TEST(Agreement, BootstrapIsSeededAndHoldsTheStatistic) {
  const std::vector<double> values{0, 0, 1, 1, 1, 1, 0, 1, 1, 0};
  const auto mean = [&](std::span<const std::size_t> rows) {
    double sum = 0;
    for (const std::size_t row : rows) sum += values[row];
    return sum / static_cast<double>(rows.size());
  };
  const Interval first = bootstrap(values.size(), 2000, 7, mean);
  const Interval again = bootstrap(values.size(), 2000, 7, mean);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  // The binomial's central 95 % for n = 10, p = 0.6 runs from 0.3 to 0.9.
  EXPECT_NEAR(first.low, 0.3, 1e-9);
  EXPECT_NEAR(first.high, 0.9, 1e-9);
}

TEST(Agreement, WordsFollowLandisAndKoch) {
  EXPECT_STREQ(landis_koch(-0.1), "poor");
  EXPECT_STREQ(landis_koch(0.461), "moderate");
  EXPECT_STREQ(landis_koch(0.61), "substantial");
  EXPECT_STREQ(landis_koch(0.95), "almost perfect");
}

}  // namespace
}  // namespace mustcite::learn
