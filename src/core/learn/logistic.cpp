#include "core/learn/logistic.hpp"

#include <Eigen/Dense>
#include <cmath>

#include "core/base/error.hpp"

namespace mustcite::learn {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows in blocks small enough to be turned into doubles one after another.
constexpr Eigen::Index kBlock = 2048;

class LogisticFit {
 public:
  LogisticFit(std::span<const float> rows, std::span<const float> labels, std::span<const float> weights,
              double regularisation)
      : rows_(rows.data(), static_cast<Eigen::Index>(labels.size()),
              static_cast<Eigen::Index>(rows.size() / labels.size())),
        labels_(labels),
        weights_(weights),
        regularisation_(regularisation) {
    standardise();
  }

  LinearModel run(const LogisticOptions& options) {
    const Eigen::Index size = rows_.cols() + 1;
    Eigen::VectorXd beta = Eigen::VectorXd::Zero(size);
    Eigen::VectorXd gradient(size);
    Eigen::MatrixXd hessian(size, size);
    double loss = loss_at(beta);
    for (int round = 0; round < options.max_rounds; ++round) {
      derivatives(beta, gradient, hessian);
      const Eigen::VectorXd step = hessian.ldlt().solve(gradient);
      double scale = 1;
      double next = loss;
      for (; scale > 1e-8; scale /= 2) {
        next = loss_at(beta - scale * step);
        if (next <= loss) break;
      }
      if (scale <= 1e-8) break;
      beta -= scale * step;
      const bool done = loss - next <= options.tolerance * std::abs(loss);
      loss = next;
      if (done) break;
    }
    LinearModel model;
    double intercept = beta(size - 1);
    for (Eigen::Index j = 0; j + 1 < size; ++j) {
      const double weight = beta(j) / spread_(j);
      model.weights.push_back(static_cast<float>(weight));
      intercept -= weight * mean_(j);
    }
    model.intercept = static_cast<float>(intercept);
    return model;
  }

 private:
  void standardise() {
    const auto count = static_cast<double>(rows_.rows());
    mean_ = Eigen::VectorXd::Zero(rows_.cols());
    spread_ = Eigen::VectorXd::Zero(rows_.cols());
    for (Eigen::Index i = 0; i < rows_.rows(); ++i) mean_ += rows_.row(i).cast<double>().transpose();
    mean_ /= count;
    for (Eigen::Index i = 0; i < rows_.rows(); ++i) {
      spread_ += (rows_.row(i).cast<double>().transpose() - mean_).cwiseAbs2();
    }
    spread_ = (spread_ / count).cwiseSqrt();
    for (Eigen::Index j = 0; j < spread_.size(); ++j) {
      if (!(spread_(j) > 1e-9)) spread_(j) = 1e30;  // a constant says nothing: its standardised value is 0
    }
  }

  [[nodiscard]] Eigen::MatrixXd block(Eigen::Index first, Eigen::Index n) const {
    Eigen::MatrixXd x(n, rows_.cols() + 1);
    x.leftCols(rows_.cols()) =
        (rows_.middleRows(first, n).cast<double>().rowwise() - mean_.transpose()).array().rowwise() /
        spread_.transpose().array();
    x.col(rows_.cols()).setOnes();
    return x;
  }

  [[nodiscard]] double weight_of(Eigen::Index row) const {
    return weights_.empty() ? 1.0 : double{weights_[static_cast<std::size_t>(row)]};
  }

  [[nodiscard]] double loss_at(const Eigen::VectorXd& beta) const {
    double loss = 0.5 * regularisation_ * beta.head(rows_.cols()).squaredNorm();
    for (Eigen::Index first = 0; first < rows_.rows(); first += kBlock) {
      const Eigen::Index n = std::min(kBlock, rows_.rows() - first);
      const Eigen::VectorXd z = block(first, n) * beta;
      for (Eigen::Index i = 0; i < n; ++i) {
        const double signed_z = labels_[static_cast<std::size_t>(first + i)] > 0.5F ? -z(i) : z(i);
        loss += weight_of(first + i) *
                (signed_z > 0 ? signed_z + std::log1p(std::exp(-signed_z)) : std::log1p(std::exp(signed_z)));
      }
    }
    return loss;
  }

  void derivatives(const Eigen::VectorXd& beta, Eigen::VectorXd& gradient, Eigen::MatrixXd& hessian) const {
    gradient = regularisation_ * beta;
    gradient(rows_.cols()) = 0;
    hessian = Eigen::MatrixXd::Identity(beta.size(), beta.size()) * regularisation_;
    hessian(rows_.cols(), rows_.cols()) = 1e-9;
    for (Eigen::Index first = 0; first < rows_.rows(); first += kBlock) {
      const Eigen::Index n = std::min(kBlock, rows_.rows() - first);
      const Eigen::MatrixXd x = block(first, n);
      const Eigen::VectorXd z = x * beta;
      Eigen::VectorXd slope(n), curve(n);
      for (Eigen::Index i = 0; i < n; ++i) {
        const double p = 1 / (1 + std::exp(-z(i)));
        const double label = labels_[static_cast<std::size_t>(first + i)] > 0.5F ? 1.0 : 0.0;
        slope(i) = weight_of(first + i) * (p - label);
        curve(i) = weight_of(first + i) * p * (1 - p);
      }
      gradient.noalias() += x.transpose() * slope;
      hessian.noalias() += x.transpose() * curve.asDiagonal() * x;
    }
  }

  Eigen::Map<const RowMajor> rows_;
  std::span<const float> labels_;
  std::span<const float> weights_;
  double regularisation_;
  Eigen::VectorXd mean_;
  Eigen::VectorXd spread_;
};

}  // namespace

float LinearModel::score(std::span<const float> row) const {
  float sum = intercept;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * row[i];
  return sum;
}

LinearModel fit_logistic(std::span<const float> rows, std::span<const float> labels,
                         std::span<const float> weights, const LogisticOptions& options) {
  if (labels.empty() || rows.size() % labels.size() != 0 || rows.empty() ||
      (!weights.empty() && weights.size() != labels.size())) {
    fail(ErrorCode::invalid_input, "fitting a logistic regression: {} values for {} labels and {} weights",
         rows.size(), labels.size(), weights.size());
  }
  for (const float value : rows) {
    if (!std::isfinite(value))
      fail(ErrorCode::invalid_input, "fitting a logistic regression: a value is not finite");
  }
  return LogisticFit(rows, labels, weights, options.regularisation).run(options);
}

}  // namespace mustcite::learn
