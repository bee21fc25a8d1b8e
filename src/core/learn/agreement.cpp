#include "core/learn/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "core/base/error.hpp"

namespace mustcite::learn {
namespace {

void check(const Ratings& ratings) {
  if (ratings.values.size() != ratings.items * ratings.raters) {
    fail(ErrorCode::invalid_input, "a table of ratings has {} values for {} items and {} raters",
         ratings.values.size(), ratings.items, ratings.raters);
  }
}

/// The categories in use, ascending; or the given ones, checked against the values.
std::vector<double> domain(std::span<const double> values, std::span<const double> given) {
  std::vector<double> result(given.begin(), given.end());
  if (!given.empty()) {
    if (!std::is_sorted(result.begin(), result.end(), std::less_equal<>()))
      fail(ErrorCode::invalid_input, "the categories of ratings must rise strictly");
    for (const double value : values) {
      if (!std::isnan(value) && !std::binary_search(result.begin(), result.end(), value))
        fail(ErrorCode::invalid_input, "the rating {} is none of the categories", value);
    }
    return result;
  }
  for (const double value : values) {
    if (!std::isnan(value)) result.push_back(value);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

std::size_t position(const std::vector<double>& categories, double value) {
  return static_cast<std::size_t>(std::lower_bound(categories.begin(), categories.end(), value) -
                                  categories.begin());
}

/// Agreement weight of two categories: 1 when equal, falling with their distance.
double weight(double a, double b, double span, Weighting weighting) {
  if (weighting == Weighting::identity) return a == b ? 1.0 : 0.0;
  const double distance = std::abs(a - b) / span;
  return 1.0 - (weighting == Weighting::linear ? distance : distance * distance);
}

/// Krippendorff's squared difference. `counts` are the marginals of the coincidences.
double difference(const std::vector<double>& categories, const std::vector<double>& counts, std::size_t c,
                  std::size_t k, Level level) {
  const double a = categories[c];
  const double b = categories[k];
  switch (level) {
    case Level::nominal:
      return c == k ? 0.0 : 1.0;
    case Level::ordinal: {
      double between = -(counts[c] + counts[k]) / 2;
      for (std::size_t g = std::min(c, k); g <= std::max(c, k); ++g) between += counts[g];
      return c == k ? 0.0 : between * between;
    }
    case Level::interval:
      return (a - b) * (a - b);
    case Level::ratio:
      return a + b == 0 ? 0.0 : (a - b) * (a - b) / ((a + b) * (a + b));
  }
  return kMissing;
}

std::vector<double> present(std::span<const double> row) {
  std::vector<double> values;
  for (const double value : row) {
    if (!std::isnan(value)) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

std::vector<double> Ratings::column(std::size_t rater) const {
  std::vector<double> result(items);
  for (std::size_t i = 0; i < items; ++i) result[i] = values[i * raters + rater];
  return result;
}

Ratings Ratings::select(std::span<const std::size_t> rows) const {
  Ratings result{rows.size(), raters, {}};
  result.values.reserve(rows.size() * raters);
  for (const std::size_t item : rows) {
    const auto source = row(item);
    result.values.insert(result.values.end(), source.begin(), source.end());
  }
  return result;
}

double krippendorff_alpha(const Ratings& ratings, Level level) {
  check(ratings);
  const auto categories = domain(ratings.values, {});
  const std::size_t q = categories.size();
  std::vector<double> coincidences(q * q, 0.0);
  std::vector<double> in_item(q);
  for (std::size_t i = 0; i < ratings.items; ++i) {
    std::fill(in_item.begin(), in_item.end(), 0.0);
    double count = 0;
    for (const double value : ratings.row(i)) {
      if (std::isnan(value)) continue;
      in_item[position(categories, value)] += 1;
      count += 1;
    }
    if (count < 2) continue;
    for (std::size_t c = 0; c < q; ++c) {
      for (std::size_t k = 0; k < q; ++k)
        coincidences[c * q + k] += in_item[c] * (in_item[k] - (c == k ? 1 : 0)) / (count - 1);
    }
  }
  std::vector<double> counts(q, 0.0);
  double total = 0;
  for (std::size_t c = 0; c < q; ++c) {
    for (std::size_t k = 0; k < q; ++k) counts[c] += coincidences[c * q + k];
    total += counts[c];
  }
  double observed = 0;
  double expected = 0;
  for (std::size_t c = 0; c < q; ++c) {
    for (std::size_t k = 0; k < q; ++k) {
      const double d = difference(categories, counts, c, k, level);
      observed += coincidences[c * q + k] * d;
      expected += counts[c] * (counts[k] - (c == k ? 1 : 0)) / (total - 1) * d;
    }
  }
  return expected > 0 ? 1 - observed / expected : kMissing;
}

double cohen_kappa(std::span<const double> a, std::span<const double> b, Weighting weighting,
                   std::span<const double> given) {
  if (a.size() != b.size())
    fail(ErrorCode::invalid_input, "kappa of two raters with {} and {} ratings", a.size(), b.size());
  std::vector<double> first, second, both;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) continue;
    first.push_back(a[i]);
    second.push_back(b[i]);
  }
  both = first;
  both.insert(both.end(), second.begin(), second.end());
  const auto categories = domain(both, given);
  const std::size_t q = categories.size();
  std::vector<double> table(q * q, 0.0), rows(q, 0.0), columns(q, 0.0);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::size_t r = position(categories, first[i]);
    const std::size_t c = position(categories, second[i]);
    table[r * q + c] += 1;
    rows[r] += 1;
    columns[c] += 1;
  }
  double observed = 0;
  double expected = 0;
  const auto n = static_cast<double>(first.size());
  for (std::size_t r = 0; r < q; ++r) {
    for (std::size_t c = 0; c < q; ++c) {
      const double d =
          1 - weight(static_cast<double>(r), static_cast<double>(c), static_cast<double>(q), weighting);
      observed += d * table[r * q + c];
      expected += d * rows[r] * columns[c] / n;
    }
  }
  return expected > 0 ? 1 - observed / expected : kMissing;
}

double gwet_ac(const Ratings& ratings, Weighting weighting, std::span<const double> given) {
  check(ratings);
  const auto categories = domain(ratings.values, given);
  const std::size_t q = categories.size();
  if (q < 2) return kMissing;
  const double span = categories.back() - categories.front();
  std::vector<double> share(q, 0.0), in_item(q);
  double observed = 0;
  double rated = 0;
  double compared = 0;
  for (std::size_t i = 0; i < ratings.items; ++i) {
    std::fill(in_item.begin(), in_item.end(), 0.0);
    double count = 0;
    for (const double value : ratings.row(i)) {
      if (std::isnan(value)) continue;
      in_item[position(categories, value)] += 1;
      count += 1;
    }
    if (count == 0) continue;
    rated += 1;
    for (std::size_t k = 0; k < q; ++k) share[k] += in_item[k] / count;
    if (count < 2) continue;
    compared += 1;
    for (std::size_t k = 0; k < q; ++k) {
      double near = 0;
      for (std::size_t l = 0; l < q; ++l)
        near += weight(categories[k], categories[l], span, weighting) * in_item[l];
      observed += in_item[k] * (near - 1) / (count * (count - 1));
    }
  }
  if (compared == 0) return kMissing;
  observed /= compared;
  double total_weight = 0;
  double expected = 0;
  for (std::size_t k = 0; k < q; ++k) {
    const double p = share[k] / rated;
    expected += p * (1 - p);
    for (std::size_t l = 0; l < q; ++l) total_weight += weight(categories[k], categories[l], span, weighting);
  }
  expected *= total_weight / static_cast<double>(q * (q - 1));
  return expected < 1 ? (observed - expected) / (1 - expected) : kMissing;
}

double agreement_within(const Ratings& ratings, double spread) {
  check(ratings);
  double compared = 0;
  double close = 0;
  for (std::size_t i = 0; i < ratings.items; ++i) {
    const auto values = present(ratings.row(i));
    if (values.size() < 2) continue;
    compared += 1;
    close += values.back() - values.front() <= spread ? 1 : 0;
  }
  return compared > 0 ? close / compared : kMissing;
}

PairwiseKappa pairwise_kappa(const Ratings& ratings, Weighting weighting, std::span<const double> categories,
                             std::size_t least_common) {
  check(ratings);
  PairwiseKappa result;
  double sum = 0;
  for (std::size_t a = 0; a < ratings.raters; ++a) {
    for (std::size_t b = a + 1; b < ratings.raters; ++b) {
      const auto first = ratings.column(a);
      const auto second = ratings.column(b);
      std::size_t common = 0;
      for (std::size_t i = 0; i < ratings.items; ++i)
        common += std::isnan(first[i]) || std::isnan(second[i]) ? 0 : 1;
      if (common < least_common) continue;
      const double kappa = cohen_kappa(first, second, weighting, categories);
      if (std::isnan(kappa)) continue;
      sum += kappa;
      result.min = result.pairs == 0 ? kappa : std::min(result.min, kappa);
      result.max = result.pairs == 0 ? kappa : std::max(result.max, kappa);
      ++result.pairs;
    }
  }
  if (result.pairs > 0) result.mean = sum / static_cast<double>(result.pairs);
  return result;
}

std::vector<double> majority(const Ratings& ratings, Ties ties) {
  std::vector<double> result(ratings.items, kMissing);
  for (std::size_t i = 0; i < ratings.items; ++i) {
    std::map<double, std::size_t> votes;
    for (const double value : present(ratings.row(i))) ++votes[value];
    std::size_t most = 0;
    for (const auto& [value, count] : votes) {
      if (count > most || (count == most && ties == Ties::high)) {
        most = count;
        result[i] = value;
      }
    }
  }
  return result;
}

std::vector<double> median(const Ratings& ratings) {
  std::vector<double> result(ratings.items, kMissing);
  for (std::size_t i = 0; i < ratings.items; ++i) {
    const auto values = present(ratings.row(i));
    if (!values.empty()) result[i] = values[(values.size() - 1) / 2];
  }
  return result;
}

double accuracy(std::span<const double> a, std::span<const double> b) {
  double compared = 0;
  double equal = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) continue;
    compared += 1;
    equal += a[i] == b[i] ? 1 : 0;
  }
  return compared > 0 ? equal / compared : kMissing;
}

double area_under_curve(std::span<const double> scores, std::span<const double> labels) {
  std::vector<std::pair<double, bool>> order;
  for (std::size_t i = 0; i < std::min(scores.size(), labels.size()); ++i) {
    if (!std::isnan(scores[i]) && !std::isnan(labels[i])) order.emplace_back(scores[i], labels[i] > 0.5);
  }
  std::sort(order.begin(), order.end());
  double positives = 0;
  double ranks = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && order[end].first == order[begin].first) ++end;
    const double rank = static_cast<double>(begin + 1 + end) / 2;  // the mean of the tied ranks
    for (; begin < end; ++begin) {
      if (!order[begin].second) continue;
      positives += 1;
      ranks += rank;
    }
  }
  const double negatives = static_cast<double>(order.size()) - positives;
  if (positives == 0 || negatives == 0) return kMissing;
  return (ranks - positives * (positives + 1) / 2) / (positives * negatives);
}

Interval bootstrap(std::size_t items, std::size_t repetitions, std::uint64_t seed,
                   const std::function<double(std::span<const std::size_t>)>& statistic) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> sample(items);
  std::vector<double> found;
  for (std::size_t r = 0; items > 0 && r < repetitions; ++r) {
    for (auto& row : sample) row = static_cast<std::size_t>(random() % items);
    const double value = statistic(sample);
    if (!std::isnan(value)) found.push_back(value);
  }
  if (found.empty()) return {};
  std::sort(found.begin(), found.end());
  const auto at = [&](double share) {
    return found[static_cast<std::size_t>(share * static_cast<double>(found.size() - 1) + 0.5)];
  };
  return {at(0.025), at(0.975)};
}

const char* landis_koch(double kappa) noexcept {
  if (std::isnan(kappa)) return "undefined";
  if (kappa < 0) return "poor";
  if (kappa <= 0.20) return "slight";
  if (kappa <= 0.40) return "fair";
  if (kappa <= 0.60) return "moderate";
  if (kappa <= 0.80) return "substantial";
  return "almost perfect";
}

}  // namespace mustcite::learn
