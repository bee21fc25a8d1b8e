#include "engine/gnn/sparse.hpp"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "testing/error_code.hpp"

namespace mustcite::gnn {
namespace {

/// 7 rows over 9 columns: row 3 has no edge, column 8 none either, and one edge stands twice.
SparsePtr small() {
  return std::make_shared<Sparse>(std::vector<std::uint32_t>{0, 3, 5, 6, 6, 10, 11, 13},
                                  std::vector<std::uint32_t>{0, 2, 2, 1, 7, 3, 0, 4, 5, 6, 7, 1, 2}, 9);
}

at::Tensor drawn(at::IntArrayRef sizes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  auto tensor = at::empty(sizes, at::kDouble);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.data_ptr<double>()[i] = normal(random);
  return tensor;
}

/// The matrix of one head, dense: parallel edges add up.
at::Tensor dense(const Sparse& sparse, const at::Tensor& weights, std::int64_t head) {
  auto matrix = at::zeros({sparse.rows(), sparse.column_count()}, at::kDouble);
  for (std::uint32_t row = 0; row < sparse.rows(); ++row) {
    for (std::uint32_t e = sparse.begin()[row]; e < sparse.begin()[row + 1]; ++e)
      matrix[row][sparse.columns()[e]] += weights[e][head].item<double>();
  }
  return matrix;
}

/// Compares the gradient of sum(factor * f) with differences of f.
void check_gradient(const std::function<at::Tensor()>& f, at::Tensor& input) {
  const auto factor = drawn(f().sizes(), 99);
  input.requires_grad_(true);
  (f() * factor).sum().backward();
  const auto gradient = input.grad().clone();
  input.requires_grad_(false);
  constexpr double kStep = 1e-6;
  for (std::int64_t i = 0; i < input.numel(); ++i) {
    double& value = input.data_ptr<double>()[i];
    const double before = value;
    value = before + kStep;
    const double above = (f() * factor).sum().item<double>();
    value = before - kStep;
    const double below = (f() * factor).sum().item<double>();
    value = before;
    EXPECT_NEAR(gradient.data_ptr<double>()[i], (above - below) / (2 * kStep), 1e-6) << "number " << i;
  }
}

TEST(Sparse, MessagesEqualADenseProduct) {
  const auto sparse = small();
  const auto weights = drawn({13, 2}, 1);
  const auto x = drawn({9, 2, 5}, 2);
  const auto out = spmm(sparse, weights, x);
  for (std::int64_t head = 0; head < 2; ++head) {
    const auto expected = dense(*sparse, weights, head).matmul(x.select(1, head));
    EXPECT_LT((out.select(1, head) - expected).abs().max().item<double>(), 1e-12);
  }
  EXPECT_EQ(out[3].abs().sum().item<double>(), 0.0);
}

TEST(Sparse, GradientsOfMessagesEqualDifferences) {
  const auto sparse = small();
  auto weights = drawn({13, 2}, 3);
  auto x = drawn({9, 2, 3}, 4);
  check_gradient([&] { return spmm(sparse, weights, x); }, weights);
  check_gradient([&] { return spmm(sparse, weights, x); }, x);
}

TEST(Sparse, GradientsOfEdgeSumsAndSoftmaxEqualDifferences) {
  const auto sparse = small();
  auto rows = drawn({7, 2}, 5);
  auto columns = drawn({9, 2}, 6);
  check_gradient([&] { return edge_sum(sparse, rows, columns); }, rows);
  check_gradient([&] { return edge_sum(sparse, rows, columns); }, columns);
  auto logits = drawn({13, 2}, 7);
  check_gradient([&] { return edge_softmax(sparse, logits); }, logits);
}

TEST(Sparse, SoftmaxOfARowAddsUpToOneWhateverItsSize) {
  const auto sparse = small();
  const auto shares = edge_softmax(sparse, drawn({13, 1}, 8) * 500);
  for (std::uint32_t row = 0; row < sparse->rows(); ++row) {
    const auto begin = sparse->begin()[row];
    const auto count = sparse->begin()[row + 1] - begin;
    if (count == 0) continue;
    EXPECT_NEAR(shares.narrow(0, begin, count).sum().item<double>(), 1.0, 1e-12);
  }
}

TEST(Sparse, ARowOf50000EdgesGivesTheSameBitsOnAnyNumberOfThreads) {
  std::mt19937_64 random(11);
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> columns;
  for (std::uint32_t row = 0; row < 3000; ++row) {
    const std::size_t count = row == 17 ? 50000 : random() % 6;
    for (std::size_t k = 0; k < count; ++k) columns.push_back(static_cast<std::uint32_t>(random() % 4000));
    begin.push_back(static_cast<std::uint32_t>(columns.size()));
  }
  const auto sparse = std::make_shared<Sparse>(std::move(begin), std::move(columns), 4000);
  const auto run = [&](int threads) {
    at::set_num_threads(threads);
    const auto weights =
        drawn({static_cast<std::int64_t>(sparse->edges()), 1}, 12).to(at::kFloat).requires_grad_(true);
    const auto x = drawn({4000, 1, 8}, 13).to(at::kFloat).requires_grad_(true);
    const auto out = spmm(sparse, edge_softmax(sparse, weights), x);
    out.square().sum().backward();
    return std::vector<at::Tensor>{out.detach(), weights.grad().clone(), x.grad().clone()};
  };
  const auto one = run(1);
  const auto four = run(4);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::equal(one[i], four[i])) << i;
}

TEST(Sparse, RefusesColumnsOutOfRangeAndBrokenRows) {
  EXPECT_EQ(testing::code_of([] { Sparse({0, 1}, {3}, 3); }), ErrorCode::invalid_input);
  EXPECT_EQ(testing::code_of([] { Sparse({0, 2, 1}, {0}, 3); }), ErrorCode::invalid_input);
  EXPECT_EQ(testing::code_of([] { Sparse({}, {}, 3); }), ErrorCode::invalid_input);
}

}  // namespace
}  // namespace mustcite::gnn
