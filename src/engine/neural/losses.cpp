#include "engine/neural/losses.hpp"

namespace mustcite::neural {
namespace {

at::Tensor unit(const at::Tensor& x) {
  return x / x.norm(2, {1}, true).clamp_min(1e-12);
}

at::Tensor distance(const at::Tensor& a, const at::Tensor& b) {
  return at::pairwise_distance(a, b);
}

at::Tensor hinge(const at::Tensor& near, const at::Tensor& far, double margin) {
  return at::relu(near - far + margin).mean();
}

}  // namespace

at::Tensor cosines(const at::Tensor& queries, const at::Tensor& documents) {
  return at::matmul(unit(queries), unit(documents).t());
}

at::Tensor nt_xent_of_scores(const at::Tensor& scores, const at::Tensor& positive, const at::Tensor& ignored,
                             const at::Tensor& offsets) {
  const auto negative = at::logical_or(positive, ignored).logical_not();
  // Where no negative is, the sum is exp(-inf) = 0 and the positive's loss 0: masked to a finite bottom, so
  // that gradients stay numbers.
  const auto weighed = offsets.defined() ? scores - offsets : scores;
  const auto rivals =
      at::logsumexp(weighed.masked_fill(negative.logical_not(), -1e30), {1}, /*keepdim=*/true);
  const auto each = at::logaddexp(scores, rivals) - scores;
  const auto weight = positive.to(scores.scalar_type());
  const auto count = weight.sum(1);
  const auto per_query = (each * weight).sum(1) / count.clamp_min(1);
  const auto with_target = count.gt(0).to(scores.scalar_type());
  return (per_query * with_target).sum() / with_target.sum().clamp_min(1);
}

at::Tensor triplet(const at::Tensor& query, const at::Tensor& positive, const at::Tensor& negative,
                   double margin) {
  return hinge(distance(query, positive), distance(query, negative), margin);
}

at::Tensor quadruplet_of_distances(const QuadrupletDistances& d, double margin) {
  return hinge(d.query_first, d.query_negative, margin) + hinge(d.query_second, d.query_negative, margin) +
         hinge(d.first_second, d.first_negative, margin) + hinge(d.first_second, d.second_negative, margin);
}

at::Tensor quadruplet(const at::Tensor& query, const at::Tensor& first, const at::Tensor& second,
                      const at::Tensor& negative, double margin) {
  return quadruplet_of_distances(
      {distance(query, first), distance(query, second), distance(query, negative), distance(first, second),
       distance(first, negative), distance(second, negative)},
      margin);
}

at::Tensor pairwise_softmax(const at::Tensor& positive_scores, const at::Tensor& negative_scores) {
  return at::softplus(negative_scores - positive_scores).mean();
}

}  // namespace mustcite::neural
