#include "engine/hatten/losses.hpp"

namespace mustcite::hatten {
namespace {

constexpr double kHardSteps = 1;
constexpr double kEasySteps = 3;

at::Tensor unit(const at::Tensor& x) {
  return x / x.norm(2, {1}, true).clamp_min(1e-12);
}

using baseline::Level;

std::int64_t number(Level level) {
  return static_cast<std::int64_t>(level);
}

}  // namespace

at::Tensor cosines(const at::Tensor& queries, const at::Tensor& documents) {
  return at::matmul(unit(queries), unit(documents).t());
}

at::Tensor margin_loss(const at::Tensor& similarity, const at::Tensor& levels, double margin) {
  const auto hard = levels.eq(number(Level::hard));
  const auto easy = levels.eq(number(Level::easy));
  const auto negative = at::logical_or(hard, easy);
  const auto gap = hard.to(at::kFloat) * (margin * kHardSteps) + easy.to(at::kFloat) * (margin * kEasySteps);
  // Pairs of query and positive, each against all documents: positives are few, so this stays small.
  const auto pairs = levels.eq(number(Level::positive)).nonzero();
  const auto query = pairs.select(1, 0);
  const auto scores = similarity.index_select(0, query);
  const auto positive = scores.gather(1, pairs.select(1, 1).unsqueeze(1));
  const auto each = at::relu(scores - positive + gap.index_select(0, query)) *
                    negative.index_select(0, query).to(at::kFloat);
  const auto above = each.detach().gt(0).sum().clamp_min(1);
  return each.sum() / above;
}

}  // namespace mustcite::hatten
