#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/learn/logistic.hpp"

namespace mustcite::learn {

/// Rows whose columns are 0 or 1, kept as the ascending numbers of the ones.
struct SparseExamples {
  std::vector<std::uint32_t> columns;
  std::vector<std::size_t> begins{0};  ///< row i is columns[begins[i] .. begins[i + 1])
  std::vector<float> labels;
  std::vector<float> weights;

  void add(const std::vector<std::uint32_t>& row, float label, float weight = 1);
  [[nodiscard]] std::size_t rows() const noexcept { return labels.size(); }
};

struct SparseLogisticOptions {
  std::size_t columns = 0;       ///< every column number lies below
  int passes = 8;                ///< over the rows, each in a fresh, seeded order
  double step = 0.1;             ///< AdaGrad's
  double regularisation = 2e-5;  ///< squared weights, per row that touches them
  std::uint64_t seed = 1;
};

/// Logistic regression by AdaGrad: suits tens of thousands of columns of which a row has a few dozen. Labels
/// are 0 to 1. Equal input and options give equal weights. Throws invalid_input for a column out of range or
/// no rows.
[[nodiscard]] LinearModel fit_sparse_logistic(const SparseExamples& examples,
                                              const SparseLogisticOptions& options);

}  // namespace mustcite::learn
