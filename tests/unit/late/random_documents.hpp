#pragma once

#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace mustcite::test {

/// Documents of token vectors around common directions, as encoders give them: unit length, clustered.
class RandomDocuments {
 public:
  RandomDocuments(std::size_t dims, std::size_t directions, std::uint64_t seed) : dims_(dims), random_(seed) {
    for (std::size_t i = 0; i < directions; ++i) directions_.push_back(unit(normal_vector(1)));
  }

  /// A document, or a query, of so many tokens; row-major.
  std::vector<float> next(std::size_t tokens) {
    std::vector<float> all;
    for (std::size_t t = 0; t < tokens; ++t) {
      std::vector<float> one = directions_[random_() % directions_.size()];
      const auto noise = normal_vector(0.35F / std::sqrt(static_cast<float>(dims_)));
      for (std::size_t k = 0; k < dims_; ++k) one[k] += noise[k];
      const auto made = unit(one);
      all.insert(all.end(), made.begin(), made.end());
    }
    return all;
  }

 private:
  std::vector<float> normal_vector(float scale) {
    std::normal_distribution<float> normal(0, scale);
    std::vector<float> values(dims_);
    for (float& value : values) value = normal(random_);
    return values;
  }
  static std::vector<float> unit(std::vector<float> values) {
    float square = 0;
    for (const float value : values) square += value * value;
    for (float& value : values) value /= std::sqrt(square);
    return values;
  }

  std::size_t dims_;
  std::mt19937_64 random_;
  std::vector<std::vector<float>> directions_;
};

}  // namespace mustcite::test
