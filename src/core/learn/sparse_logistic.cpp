#include "core/learn/sparse_logistic.hpp"

#include <cmath>
#include <numeric>
#include <random>

#include "core/base/error.hpp"

namespace mustcite::learn {

void SparseExamples::add(const std::vector<std::uint32_t>& row, float label, float weight) {
  columns.insert(columns.end(), row.begin(), row.end());
  begins.push_back(columns.size());
  labels.push_back(label);
  weights.push_back(weight);
}

LinearModel fit_sparse_logistic(const SparseExamples& examples, const SparseLogisticOptions& options) {
  if (examples.rows() == 0)
    fail(ErrorCode::invalid_input, "fitting a sparse logistic regression without rows");
  for (const std::uint32_t column : examples.columns) {
    if (column >= options.columns)
      fail(ErrorCode::invalid_input, "fitting a sparse logistic regression: column {} of {}", column,
           options.columns);
  }
  std::vector<double> weights(options.columns, 0.0);
  std::vector<double> squares(options.columns, 1e-6);
  double intercept = 0;
  double intercept_squares = 1e-6;
  std::vector<std::size_t> order(examples.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(options.seed);
  for (int pass = 0; pass < options.passes; ++pass) {
    // std::shuffle's order is the library's own; this one is the same everywhere.
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[static_cast<std::size_t>(random() % (i + 1))]);
    for (const std::size_t row : order) {
      const std::size_t begin = examples.begins[row];
      const std::size_t end = examples.begins[row + 1];
      double score = intercept;
      for (std::size_t i = begin; i < end; ++i) score += weights[examples.columns[i]];
      const double error =
          examples.weights[row] * (1 / (1 + std::exp(-score)) - double{examples.labels[row]});
      intercept_squares += error * error;
      intercept -= options.step * error / std::sqrt(intercept_squares);
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t column = examples.columns[i];
        const double gradient = error + options.regularisation * weights[column];
        squares[column] += gradient * gradient;
        weights[column] -= options.step * gradient / std::sqrt(squares[column]);
      }
    }
  }
  LinearModel model;
  model.weights.assign(weights.begin(), weights.end());
  model.intercept = static_cast<float>(intercept);
  return model;
}

}  // namespace mustcite::learn
