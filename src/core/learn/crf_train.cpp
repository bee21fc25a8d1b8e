#include "core/learn/crf_train.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "core/learn/chain.hpp"

namespace mustcite::learn {
namespace {

/// Sequences tried for each first step size.
constexpr std::size_t kSample = 500;
constexpr double kStepSizes[] = {0.02, 0.05, 0.1, 0.2, 0.5};

/// SplitMix64: the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

void shuffle(std::vector<std::uint32_t>& order, Random& random) {
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.next() % i]);
}

void check(std::span<const CrfSequence> sequences, std::size_t labels) {
  if (sequences.empty() || labels == 0 || labels > CrfModel::kMostLabels)
    fail(ErrorCode::invalid_input, "training a labeller: {} sequences with {} labels", sequences.size(),
         labels);
  for (const auto& sequence : sequences) {
    if (sequence.labels.size() != sequence.size() ||
        std::any_of(sequence.labels.begin(), sequence.labels.end(),
                    [&](std::uint8_t y) { return y >= labels; }))
      fail(ErrorCode::invalid_input, "training a labeller: a sequence lacks labels or has one out of range");
  }
}

/// Features that are frequent enough, ascending.
std::vector<std::uint32_t> frequent(std::span<const CrfSequence> sequences, std::uint32_t least) {
  std::vector<std::uint32_t> all;
  for (const auto& sequence : sequences)
    all.insert(all.end(), sequence.features.begin(), sequence.features.end());
  std::sort(all.begin(), all.end());
  std::vector<std::uint32_t> kept;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = static_cast<std::size_t>(
        std::upper_bound(all.begin() + static_cast<std::ptrdiff_t>(at), all.end(), all[at]) - all.begin());
    if (end - at >= least) kept.push_back(all[at]);
    at = end;
  }
  return kept;
}

/// The sequences with features replaced by row numbers, others dropped.
std::vector<CrfSequence> numbered(std::span<const CrfSequence> sequences,
                                  const std::vector<std::uint32_t>& keys) {
  std::unordered_map<std::uint32_t, std::uint32_t> rows;
  rows.reserve(keys.size());
  for (std::uint32_t row = 0; row < keys.size(); ++row) rows.emplace(keys[row], row);
  std::vector<CrfSequence> result;
  for (const auto& sequence : sequences) {
    if (sequence.size() == 0) continue;
    CrfSequence copy;
    copy.labels = sequence.labels;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      for (const auto key : sequence.at(i)) {
        if (const auto row = rows.find(key); row != rows.end()) copy.features.push_back(row->second);
      }
      copy.begins.push_back(static_cast<std::uint32_t>(copy.features.size()));
    }
    result.push_back(std::move(copy));
  }
  return result;
}

class Trainer {
 public:
  Trainer(std::vector<CrfSequence> sequences, std::size_t labels, std::size_t rows, const CrfOptions& options)
      : sequences_(std::move(sequences)),
        labels_(labels),
        rows_(rows),
        lambda_(options.regularisation / static_cast<double>(std::max<std::size_t>(1, sequences_.size()))) {
    clear();
  }

  /// The step size whose loss over a sample falls furthest in one pass.
  void choose_step(std::uint64_t seed) {
    std::vector<std::uint32_t> sample(sequences_.size());
    std::iota(sample.begin(), sample.end(), 0U);
    Random random(seed);
    shuffle(sample, random);
    sample.resize(std::min(sample.size(), kSample));
    double least = 0;
    double chosen = 0;
    for (const double step : kStepSizes) {
      clear();
      first_step_ = step;
      pass(sample);
      const double loss = pass(sample);
      if (std::isfinite(loss) && (chosen == 0 || loss < least)) {
        least = loss;
        chosen = step;
      }
    }
    clear();
    first_step_ = chosen == 0 ? kStepSizes[0] : chosen;
  }

  /// One step for each sequence of `order`; the mean loss on the way.
  double pass(std::span<const std::uint32_t> order) {
    double loss = 0;
    for (const auto index : order) {
      stop_if_interrupted();
      const double step = first_step_ / (1 + lambda_ * first_step_ * static_cast<double>(steps_++));
      loss += learn(sequences_[index], step);
      scale_ *= 1 - lambda_ * step;
      if (scale_ < 1e-4) rescale();
    }
    return loss / static_cast<double>(std::max<std::size_t>(1, order.size()));
  }

  void add_to(std::vector<double>& sums) {
    rescale();
    sums.resize(weights_.size());
    for (std::size_t i = 0; i < weights_.size(); ++i) sums[i] += static_cast<double>(weights_[i]);
  }

  [[nodiscard]] std::size_t sequences() const { return sequences_.size(); }

 private:
  [[nodiscard]] float* transitions() { return weights_.data() + rows_ * labels_; }
  [[nodiscard]] float* first() { return transitions() + labels_ * labels_; }

  void clear() {
    weights_.assign(rows_ * labels_ + labels_ * labels_ + labels_, 0.0F);
    scale_ = 1;
    steps_ = 0;
  }

  void rescale() {
    for (auto& weight : weights_) weight = static_cast<float>(weight * scale_);
    scale_ = 1;
  }

  double learn(const CrfSequence& sequence, double step) {
    const std::size_t size = sequence.size();
    const auto scale = static_cast<float>(scale_);
    scores_.assign(size * labels_, 0.0F);
    for (std::size_t i = 0; i < size; ++i) {
      float* sums = scores_.data() + i * labels_;
      for (const auto row : sequence.at(i)) {
        const float* weights = weights_.data() + row * labels_;
        for (std::size_t y = 0; y < labels_; ++y) sums[y] += weights[y];
      }
      for (std::size_t y = 0; y < labels_; ++y) sums[y] *= scale;
    }
    const double gold = gold_score(sequence);
    exponentials_.resize(labels_ * labels_ + labels_);
    for (std::size_t i = 0; i < exponentials_.size(); ++i)
      exponentials_[i] = std::exp(transitions()[i] * scale);
    chain_.set_transitions(std::span(exponentials_).first(labels_ * labels_),
                           std::span(exponentials_).subspan(labels_ * labels_), labels_);
    const double total = chain_.run(scores_, size);
    // Weights are stored without the common scale: so are the steps.
    const auto amount = static_cast<float>(step / scale_);
    edges_.assign(labels_ * labels_, 0.0F);
    chain_.add_edges(scores_, edges_);
    for (std::size_t i = 0; i < edges_.size(); ++i) transitions()[i] -= amount * edges_[i];
    delta_.resize(labels_);
    for (std::size_t i = 0; i < size; ++i) {
      const auto node = chain_.node(i);
      for (std::size_t y = 0; y < labels_; ++y) delta_[y] = -amount * node[y];
      delta_[sequence.labels[i]] += amount;
      for (const auto row : sequence.at(i)) {
        float* weights = weights_.data() + row * labels_;
        for (std::size_t y = 0; y < labels_; ++y) weights[y] += delta_[y];
      }
      if (i == 0) {
        for (std::size_t y = 0; y < labels_; ++y) first()[y] += delta_[y];
      } else {
        transitions()[sequence.labels[i - 1] * labels_ + sequence.labels[i]] += amount;
      }
    }
    return total - gold;
  }

  double gold_score(const CrfSequence& sequence) {
    double sum = 0;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      sum += static_cast<double>(scores_[i * labels_ + sequence.labels[i]]);
      const float weight = i == 0 ? first()[sequence.labels[0]]
                                  : transitions()[sequence.labels[i - 1] * labels_ + sequence.labels[i]];
      sum += static_cast<double>(weight) * scale_;
    }
    return sum;
  }

  std::vector<CrfSequence> sequences_;
  std::size_t labels_;
  std::size_t rows_;
  double lambda_;
  double first_step_ = 0.1;
  double scale_ = 1;  ///< the weights are these numbers times this
  std::size_t steps_ = 0;
  std::vector<float> weights_, scores_, exponentials_, edges_, delta_;
  Chain chain_;
};

}  // namespace

CrfModel train_crf(std::span<const CrfSequence> sequences, std::vector<std::string> labels,
                   const CrfOptions& options, const std::function<void(const CrfRound&)>& after_round) {
  check(sequences, labels.size());
  const std::vector<std::uint32_t> keys = frequent(sequences, options.least_count);
  const std::size_t count = labels.size();
  Trainer trainer(numbered(sequences, keys), count, keys.size(), options);
  trainer.choose_step(options.seed);
  std::vector<std::uint32_t> order(trainer.sequences());
  std::iota(order.begin(), order.end(), 0U);
  Random random(options.seed);
  std::vector<double> sums;
  int added = 0;
  for (int round = 1; round <= options.rounds; ++round) {
    shuffle(order, random);
    const double loss = trainer.pass(order);
    if (round > options.rounds - std::max(1, options.averaged)) {
      trainer.add_to(sums);
      ++added;
    }
    if (after_round) after_round({round, loss});
  }
  std::vector<std::uint32_t> kept;
  std::vector<float> weights;
  std::vector<float> row(count);
  const auto averaged = [&](std::size_t at) { return static_cast<float>(sums[at] / std::max(1, added)); };
  sums.resize(keys.size() * count + count * count + count);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    float most = 0;
    for (std::size_t y = 0; y < count; ++y) {
      row[y] = averaged(i * count + y);
      most = std::max(most, std::fabs(row[y]));
    }
    if (most < options.least_weight) continue;
    kept.push_back(keys[i]);
    weights.insert(weights.end(), row.begin(), row.end());
  }
  std::vector<float> transitions;
  std::vector<float> first;
  for (std::size_t i = 0; i < count * count; ++i) transitions.push_back(averaged(keys.size() * count + i));
  for (std::size_t y = 0; y < count; ++y) first.push_back(averaged(keys.size() * count + count * count + y));
  return CrfModel(std::move(labels), std::move(kept), weights, std::move(transitions), std::move(first));
}

}  // namespace mustcite::learn
