#include "engine/rank/svd.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "core/base/threads.hpp"

namespace mustcite::rank {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Columns worked on together: a slice of the dense factor stays in cache. Each column is summed in the order
/// of the rows whatever the slices or threads, so the result is always the same.
constexpr Eigen::Index kSlice = 64;

std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

Matrix random_signs(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Matrix signs(rows, columns);
  for (Eigen::Index i = 0; i < signs.size(); ++i) {
    signs.data()[i] = (mixed(seed ^ mixed(static_cast<std::uint64_t>(i))) & 1U) != 0 ? 1.0F : -1.0F;
  }
  return signs;
}

/// A^T A times columns [first, first + n) of `in`.
void multiply_slice(const SparseRows& a, const Matrix& in, Matrix& out, Eigen::Index first, Eigen::Index n) {
  Matrix slice = in.middleCols(first, n);
  Matrix sum = Matrix::Zero(in.rows(), n);
  std::vector<float> line(static_cast<std::size_t>(n));
  for (std::size_t row = 0; row < a.rows(); ++row) {
    std::fill(line.begin(), line.end(), 0.0F);
    for (std::uint64_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
      const float* const from = slice.data() + static_cast<Eigen::Index>(a.columns[k]) * n;
      const float value = a.values[k];
      for (Eigen::Index j = 0; j < n; ++j) line[static_cast<std::size_t>(j)] += value * from[j];
    }
    for (std::uint64_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
      float* const to = sum.data() + static_cast<Eigen::Index>(a.columns[k]) * n;
      const float value = a.values[k];
      for (Eigen::Index j = 0; j < n; ++j) to[j] += value * line[static_cast<std::size_t>(j)];
    }
  }
  out.middleCols(first, n) = sum;
}

Matrix multiply(const SparseRows& a, const Matrix& in, std::size_t threads) {
  Matrix out(in.rows(), in.cols());
  const auto slices = static_cast<std::size_t>((in.cols() + kSlice - 1) / kSlice);
  parallel_for(slices, threads, [&](std::size_t slice, std::size_t) {
    const Eigen::Index first = static_cast<Eigen::Index>(slice) * kSlice;
    multiply_slice(a, in, out, first, std::min(kSlice, in.cols() - first));
  });
  return out;
}

Eigen::MatrixXd gram(const Matrix& left, const Matrix& right) {
  // Blocks of rows in double, added in order.
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(left.cols(), right.cols());
  constexpr Eigen::Index kRows = 512;
  for (Eigen::Index row = 0; row < left.rows(); row += kRows) {
    const Eigen::Index n = std::min(kRows, left.rows() - row);
    sum.noalias() +=
        left.middleRows(row, n).cast<double>().transpose() * right.middleRows(row, n).cast<double>();
  }
  return sum;
}

/// Makes the columns orthonormal. Directions that hardly exist are dropped.
Matrix orthonormal(Matrix z) {
  for (int pass = 0; pass < 2; ++pass) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram(z, z));
    const Eigen::VectorXd& values = eigen.eigenvalues();
    const double floor = std::max(values(values.size() - 1), 0.0) * 1e-10;
    Eigen::Index first = 0;
    while (first < values.size() && values(first) <= floor) ++first;
    const Eigen::Index kept = values.size() - first;
    const Eigen::MatrixXd turn =
        eigen.eigenvectors().rightCols(kept) * values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();
    z = Matrix(z * turn.cast<float>());
  }
  return z;
}

/// Signs of singular vectors are free: the entry largest in size is made positive.
void fix_signs(Matrix& vectors) {
  for (Eigen::Index column = 0; column < vectors.cols(); ++column) {
    Eigen::Index at = 0;
    vectors.col(column).cwiseAbs().maxCoeff(&at);
    if (vectors(at, column) < 0) vectors.col(column) *= -1.0F;
  }
}

}  // namespace

Svd truncated_svd(const SparseRows& matrix, const SvdOptions& options,
                  const std::function<void()>& after_round) {
  Svd result;
  const auto limit = static_cast<std::uint32_t>(std::min<std::size_t>(matrix.rows(), matrix.width));
  const std::uint32_t carried = std::min(options.rank + options.oversample, limit);
  if (carried == 0) return result;
  Matrix z = orthonormal(random_signs(matrix.width, carried, options.seed));
  Matrix product = multiply(matrix, z, options.threads);
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    stop_if_interrupted();
    z = orthonormal(std::move(product));
    product = multiply(matrix, z, options.threads);
    if (after_round) after_round();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram(z, product));
  const Eigen::VectorXd values = eigen.eigenvalues().reverse();
  const Eigen::MatrixXd turn = eigen.eigenvectors().rowwise().reverse();
  result.rank = std::min<std::uint32_t>(options.rank, static_cast<std::uint32_t>(z.cols()));
  while (result.rank > 0 && values(result.rank - 1) <= values(0) * 1e-10) --result.rank;
  Matrix right = z * turn.leftCols(result.rank).cast<float>();
  fix_signs(right);
  result.right.assign(right.data(), right.data() + right.size());
  for (std::uint32_t i = 0; i < result.rank; ++i) {
    result.singular_values.push_back(static_cast<float>(std::sqrt(std::max(values(i), 0.0))));
  }
  return result;
}

}  // namespace mustcite::rank
