#include "core/learn/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"

namespace mustcite::learn {
namespace {

void check_sizes(std::span<const float> scores, std::span<const float> labels) {
  if (scores.empty() || scores.size() != labels.size()) {
    fail(ErrorCode::invalid_input, "calibrating scores: {} scores with {} labels", scores.size(),
         labels.size());
  }
}

/// Examples in order of score; equal scores keep their order.
std::vector<std::size_t> by_score(std::span<const float> scores) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  return order;
}

struct Block {
  double scores = 0;
  double labels = 0;
  double count = 0;
  [[nodiscard]] double mean() const { return labels / count; }
  void take(const Block& other) {
    scores += other.scores;
    labels += other.labels;
    count += other.count;
  }
};

}  // namespace

Calibration::Calibration(std::vector<Point> points) : points_(std::move(points)) {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const bool rises = i == 0 || (points_[i].score > points_[i - 1].score &&
                                  points_[i].probability >= points_[i - 1].probability);
    if (!rises || !(points_[i].probability >= 0) || !(points_[i].probability <= 1) ||
        !std::isfinite(points_[i].score)) {
      fail(ErrorCode::invalid_input, "reading a calibration curve: point {} breaks its order", i);
    }
  }
}

Calibration Calibration::isotonic(std::span<const float> scores, std::span<const float> labels,
                                  std::size_t min_block) {
  check_sizes(scores, labels);
  const std::vector<std::size_t> order = by_score(scores);
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < order.size();) {
    Block block;
    const float score = scores[order[i]];
    for (; i < order.size() && (scores[order[i]] == score || block.count < static_cast<double>(min_block));
         ++i) {
      block.take({scores[order[i]], labels[order[i]], 1});
    }
    // Equal scores never straddle two blocks.
    for (; i < order.size() && scores[order[i]] == scores[order[i - 1]]; ++i) {
      block.take({scores[order[i]], labels[order[i]], 1});
    }
    if (block.count < static_cast<double>(min_block) && !blocks.empty()) {
      blocks.back().take(block);  // the rest at the top is too few for a block of its own
    } else {
      blocks.push_back(block);
    }
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
      blocks[blocks.size() - 2].take(blocks.back());
      blocks.pop_back();
    }
  }
  std::vector<Point> points;
  for (const Block& block : blocks) {
    const Point point{static_cast<float>(block.scores / block.count), static_cast<float>(block.mean())};
    if (!points.empty() && point.score <= points.back().score) continue;
    points.push_back(point);
  }
  return Calibration(std::move(points));
}

float Calibration::operator()(float score) const noexcept {
  if (points_.empty() || std::isnan(score)) return std::numeric_limits<float>::quiet_NaN();
  const auto above = std::upper_bound(points_.begin(), points_.end(), score,
                                      [](float value, const Point& point) { return value < point.score; });
  if (above == points_.begin()) return points_.front().probability;
  if (above == points_.end()) return points_.back().probability;
  const Point& low = *(above - 1);
  const float share = (score - low.score) / (above->score - low.score);
  return low.probability + share * (above->probability - low.probability);
}

double Platt::operator()(double score) const noexcept {
  const double z = slope * score + offset;
  return z >= 0 ? std::exp(-z) / (1 + std::exp(-z)) : 1 / (1 + std::exp(z));
}

Platt Platt::fit(std::span<const float> scores, std::span<const float> labels) {
  check_sizes(scores, labels);
  double ones = 0;
  for (const float label : labels) ones += label > 0.5F ? 1 : 0;
  const double zeros = static_cast<double>(labels.size()) - ones;
  const double high = (ones + 1) / (ones + 2);
  const double low = 1 / (zeros + 2);
  Platt fit{0, std::log((zeros + 1) / (ones + 1))};
  const auto loss_of = [&](const Platt& at) {
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double z = at.slope * scores[i] + at.offset;
      const double target = labels[i] > 0.5F ? high : low;
      // -t log p - (1 - t) log(1 - p) with p = 1 / (1 + e^z), written so that nothing overflows
      sum += target * z + (z >= 0 ? std::log1p(std::exp(-z)) : -z + std::log1p(std::exp(z)));
    }
    return sum;
  };
  double loss = loss_of(fit);
  for (int round = 0; round < 100; ++round) {
    double ga = 0, gb = 0, haa = 1e-12, hab = 0, hbb = 1e-12;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double p = fit(scores[i]);
      const double d = (labels[i] > 0.5F ? high : low) - p;  // derivative of the loss by z
      const double h = p * (1 - p);
      ga += scores[i] * d;
      gb += d;
      haa += scores[i] * scores[i] * h;
      hab += scores[i] * h;
      hbb += h;
    }
    if (std::abs(ga) < 1e-7 && std::abs(gb) < 1e-7) break;
    const double det = haa * hbb - hab * hab;
    if (!(det > 0)) break;
    const double da = -(hbb * ga - hab * gb) / det;
    const double db = -(haa * gb - hab * ga) / det;
    double step = 1;
    for (; step > 1e-10; step /= 2) {
      const Platt next{fit.slope + step * da, fit.offset + step * db};
      const double next_loss = loss_of(next);
      if (next_loss < loss) {
        fit = next;
        loss = next_loss;
        break;
      }
    }
    if (step <= 1e-10) break;
  }
  return fit;
}

double calibration_error(std::span<const float> probabilities, std::span<const float> labels,
                         std::size_t bins) {
  check_sizes(probabilities, labels);
  const std::vector<std::size_t> order = by_score(probabilities);
  double error = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const std::size_t begin = order.size() * bin / bins;
    const std::size_t end = order.size() * (bin + 1) / bins;
    double difference = 0;
    for (std::size_t i = begin; i < end; ++i)
      difference += double{probabilities[order[i]]} - double{labels[order[i]]};
    error += std::abs(difference);
  }
  return error / static_cast<double>(order.size());
}

PrecisionCut cut_for_precision(std::span<const float> probabilities, std::span<const float> labels,
                               double precision) {
  check_sizes(probabilities, labels);
  std::vector<std::size_t> order;
  double all = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    all += labels[i];
    if (!std::isnan(probabilities[i])) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return probabilities[a] > probabilities[b]; });
  PrecisionCut cut;
  double ones = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    ones += labels[order[i]];
    if (i + 1 < order.size() && probabilities[order[i + 1]] == probabilities[order[i]]) continue;
    const double share = ones / static_cast<double>(i + 1);
    if (share >= precision) cut = {probabilities[order[i]], share, all > 0 ? ones / all : 0, i + 1};
  }
  return cut;
}

}  // namespace mustcite::learn
