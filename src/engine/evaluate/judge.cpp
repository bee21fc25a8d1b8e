#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/evaluate/metric.hpp"

namespace mustcite::evaluate {
namespace {

/// log2 of position + 2: what a gain at that position is divided by.
double discount(std::size_t position) {
  static const std::vector<double> table = [] {
    std::vector<double> values(4096);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::log2(static_cast<double>(i + 2));
    return values;
  }();
  return position < table.size() ? table[position] : std::log2(static_cast<double>(position + 2));
}

constexpr std::size_t kNoCutoff = std::numeric_limits<std::size_t>::max();

}  // namespace

Judge::Judge(std::span<const Metric> metrics, int relevance_level, MapDenominator denominator)
    : metrics_(metrics.begin(), metrics.end()), level_(relevance_level), denominator_(denominator) {}

void Judge::prepare(std::span<const Judgement> judgements) {
  judgements_ = judgements;
  relevant_ = not_relevant_ = 0;
  gains_.clear();
  // At least four slots a judgement: nearly every result is unjudged and should miss at once.
  slots_.assign(std::bit_ceil(judgements.size() * 4 + 4), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t j = 0; j < judgements.size(); ++j) {
    std::size_t slot = judgements[j].hash & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(j + 1);
    const int relevance = judgements[j].relevance;
    if (relevance >= level_) ++relevant_;
    if (relevance >= 0 && relevance < level_) ++not_relevant_;
    if (relevance > 0) gains_.push_back(relevance);
  }
  std::sort(gains_.begin(), gains_.end(), std::greater<>());
}

std::span<const Hit> Judge::find(const RunFile& run, std::span<const RunResult> results) {
  hits_.clear();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const RunResult& result = results[i];
    for (std::size_t slot = result.hash & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
      const std::uint32_t j = slots_[slot] - 1;
      if (judgements_[j].hash == result.hash && judgements_[j].document == run.document(result)) {
        hits_.push_back({static_cast<std::uint32_t>(i), judgements_[j].relevance, j});
        break;
      }
    }
  }
  return hits_;
}

void Judge::score(std::span<const Hit> hits, std::span<double> values) const {
  for (std::size_t m = 0; m < metrics_.size(); ++m) values[m] = value(metrics_[m], hits);
}

double Judge::value(const Metric& metric, std::span<const Hit> hits) const {
  const std::size_t cutoff = metric.cutoff == 0 ? kNoCutoff : metric.cutoff;
  const auto ratio = [](std::size_t part, std::size_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  switch (metric.measure) {
    case Measure::map:
      return average_precision(cutoff, hits);
    case Measure::recip_rank:
      for (const auto& hit : hits) {
        if (hit.relevance >= level_) return hit.position < cutoff ? 1.0 / (hit.position + 1.0) : 0.0;
      }
      return 0.0;
    case Measure::ndcg:
      return ndcg(cutoff, hits);
    case Measure::recall:
      return ratio(found_within(cutoff, hits), relevant_);
    case Measure::success:
      return found_within(cutoff, hits) > 0 ? 1.0 : 0.0;
    case Measure::precision:
      return ratio(found_within(cutoff, hits), cutoff);
    case Measure::r_precision:
      return ratio(found_within(relevant_, hits), relevant_);
    case Measure::bpref:
      return bpref(hits);
  }
  return 0.0;
}

double Judge::average_precision(std::size_t cutoff, std::span<const Hit> hits) const {
  double sum = 0.0;
  std::size_t found = 0;
  for (const auto& hit : hits) {
    if (hit.position >= cutoff) break;
    if (hit.relevance < level_) continue;
    ++found;
    sum += static_cast<double>(found) / static_cast<double>(hit.position + 1);
  }
  const std::size_t whole = denominator_ == MapDenominator::capped ? std::min(relevant_, cutoff) : relevant_;
  return whole == 0 ? 0.0 : sum / static_cast<double>(whole);
}

double Judge::ndcg(std::size_t cutoff, std::span<const Hit> hits) const {
  double sum = 0.0;
  for (const auto& hit : hits) {
    if (hit.position >= cutoff) break;
    if (hit.relevance > 0) sum += hit.relevance / discount(hit.position);
  }
  double ideal = 0.0;
  const std::size_t depth = std::min(cutoff, gains_.size());
  for (std::size_t i = 0; i < depth; ++i) ideal += gains_[i] / discount(i);
  return ideal > 0.0 ? sum / ideal : 0.0;
}

double Judge::bpref(std::span<const Hit> hits) const {
  double sum = 0.0;
  std::size_t worse_before = 0;
  for (const auto& hit : hits) {
    if (hit.relevance < 0) continue;
    if (hit.relevance < level_) {
      ++worse_before;
    } else {
      sum += worse_before == 0 ? 1.0
                               : 1.0 - static_cast<double>(std::min(worse_before, relevant_)) /
                                           static_cast<double>(std::min(not_relevant_, relevant_));
    }
  }
  return relevant_ == 0 ? 0.0 : sum / static_cast<double>(relevant_);
}

std::size_t Judge::found_within(std::size_t cutoff, std::span<const Hit> hits) const {
  std::size_t found = 0;
  for (const auto& hit : hits) {
    if (hit.position >= cutoff) break;
    if (hit.relevance >= level_) ++found;
  }
  return found;
}

}  // namespace mustcite::evaluate
