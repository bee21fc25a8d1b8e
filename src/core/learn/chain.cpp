#include "core/learn/chain.hpp"

#include <algorithm>
#include <cmath>

namespace mustcite::learn {
namespace {

/// Divides by the sum and returns it. A row of zeros (nothing fits, in float) becomes an even one.
float normalise(float* row, std::size_t count) {
  float sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += row[i];
  if (!(sum > 0)) {
    std::fill_n(row, count, 1.0F / static_cast<float>(count));
    return 1e-30F;
  }
  const float inverse = 1 / sum;
  for (std::size_t i = 0; i < count; ++i) row[i] *= inverse;
  return sum;
}

}  // namespace

void Chain::set_transitions(std::span<const float> transitions, std::span<const float> first,
                            std::size_t labels) {
  labels_ = labels;
  transitions_.assign(transitions.begin(), transitions.end());
  first_.assign(first.begin(), first.end());
  transposed_.resize(transitions.size());
  for (std::size_t from = 0; from < labels; ++from) {
    for (std::size_t to = 0; to < labels; ++to)
      transposed_[to * labels + from] = transitions[from * labels + to];
  }
}

double Chain::run(std::span<float> emissions, std::size_t size) {
  size_ = size;
  const std::size_t labels = labels_;
  forward_.assign(size * labels, 0);
  backward_.assign(size * labels, 0);
  nodes_.resize(size * labels);
  scales_.resize(size);
  double log_sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    float* scores = emissions.data() + i * labels;
    const float most = *std::max_element(scores, scores + labels);
    for (std::size_t y = 0; y < labels; ++y) scores[y] = std::exp(scores[y] - most);
    log_sum += static_cast<double>(most);
    float* row = forward_.data() + i * labels;
    if (i == 0) {
      std::copy(first_.begin(), first_.end(), row);
    } else {
      const float* before = row - labels;
      for (std::size_t from = 0; from < labels; ++from) {
        const float weight = before[from];
        const float* to = transitions_.data() + from * labels;
        for (std::size_t y = 0; y < labels; ++y) row[y] += weight * to[y];
      }
    }
    for (std::size_t y = 0; y < labels; ++y) row[y] *= scores[y];
    scales_[i] = normalise(row, labels);
    log_sum += std::log(static_cast<double>(scales_[i]));
  }
  for (std::size_t i = size; i-- > 0;) {
    float* row = backward_.data() + i * labels;
    if (i + 1 == size) {
      std::fill_n(row, labels, 1.0F);
    } else {
      const float* behind = row + labels;
      const float* scores = emissions.data() + (i + 1) * labels;
      for (std::size_t to = 0; to < labels; ++to) {
        const float weight = behind[to] * scores[to];
        const float* from = transposed_.data() + to * labels;
        for (std::size_t y = 0; y < labels; ++y) row[y] += weight * from[y];
      }
      normalise(row, labels);
    }
    float* node = nodes_.data() + i * labels;
    for (std::size_t y = 0; y < labels; ++y) node[y] = forward_[i * labels + y] * row[y];
    normalise(node, labels);
  }
  return log_sum;
}

void Chain::add_edges(std::span<const float> emissions, std::span<float> sums) const {
  const std::size_t labels = labels_;
  std::vector<float> right(labels);
  for (std::size_t i = 0; i + 1 < size_; ++i) {
    const float* left = forward_.data() + i * labels;
    const float* scores = emissions.data() + (i + 1) * labels;
    const float* behind = backward_.data() + (i + 1) * labels;
    float total = 0;
    for (std::size_t y = 0; y < labels; ++y) right[y] = scores[y] * behind[y];
    for (std::size_t from = 0; from < labels; ++from) {
      const float* to = transitions_.data() + from * labels;
      float sum = 0;
      for (std::size_t y = 0; y < labels; ++y) sum += to[y] * right[y];
      total += left[from] * sum;
    }
    if (!(total > 0)) continue;
    const float inverse = 1 / total;
    for (std::size_t from = 0; from < labels; ++from) {
      const float weight = left[from] * inverse;
      const float* to = transitions_.data() + from * labels;
      float* sum = sums.data() + from * labels;
      for (std::size_t y = 0; y < labels; ++y) sum[y] += weight * to[y] * right[y];
    }
  }
}

}  // namespace mustcite::learn
