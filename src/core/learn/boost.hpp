#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/learn/trees.hpp"

namespace mustcite::learn {

/// Training rows: `columns` floats each, NaN where nothing is known.
struct Examples {
  std::size_t columns = 0;
  std::vector<float> values;          ///< row-major
  std::vector<float> labels;          ///< one per row
  std::vector<float> weights;         ///< one per row (per group for ranking objectives), or empty
  std::vector<std::uint32_t> groups;  ///< rows of each query, in order: for ranking objectives; may be empty

  [[nodiscard]] std::size_t rows() const noexcept { return labels.size(); }
};

struct BoostOptions {
  /// XGBoost's own parameters, e.g. {"objective", "binary:logistic"}, {"max_depth", "6"}.
  std::map<std::string, std::string> params;
  int rounds = 300;
  /// Part of the result: sums of gradients depend on it in their last bits. Keep it fixed for equal models.
  int threads = 1;
  std::uint64_t seed = 1;
};

/// Boosted trees trained by XGBoost. Equal examples, options and threads give equal trees.
class Booster {
 public:
  /// Throws invalid_input when the examples do not fit together or XGBoost refuses a parameter.
  /// `after_round` is called after each round with its number (from 1).
  static Booster train(const Examples& examples, const BoostOptions& options,
                       const std::function<void(int round)>& after_round = {});
  Booster(Booster&&) noexcept;
  Booster& operator=(Booster&&) noexcept;
  ~Booster();

  /// XGBoost's own predictions before the link function: the oracle of `Trees`.
  [[nodiscard]] std::vector<float> margins(const Examples& examples) const;
  /// XGBoost's JSON form.
  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] Trees trees() const { return Trees::from_xgboost_json(to_json()); }

 private:
  struct Impl;
  explicit Booster(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::learn
