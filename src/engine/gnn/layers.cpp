#include "engine/gnn/layers.hpp"

namespace mustcite::gnn {

at::Tensor gcn_weights(const Sparse& sparse, const at::Tensor& row_degrees,
                       const at::Tensor& column_degrees) {
  auto out = at::empty({static_cast<std::int64_t>(sparse.edges())}, row_degrees.options());
  const auto rows = row_degrees.rsqrt().contiguous();
  const auto columns = column_degrees.rsqrt().contiguous();
  AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "gcn_weights", [&] {
    const scalar_t* of_rows = rows.data_ptr<scalar_t>();
    const scalar_t* of_columns = columns.data_ptr<scalar_t>();
    scalar_t* to = out.data_ptr<scalar_t>();
    for (std::uint32_t row = 0; row < sparse.rows(); ++row) {
      for (std::uint32_t e = sparse.begin()[row]; e < sparse.begin()[row + 1]; ++e)
        to[e] = of_rows[row] * of_columns[sparse.columns()[e]];
    }
  });
  return out;
}

at::Tensor gcn(const SparsePtr& sparse, const at::Tensor& weights, const at::Tensor& x, const at::Tensor& w,
               const at::Tensor& b) {
  const auto messages = x.matmul(w).unsqueeze(1);
  return spmm(sparse, weights.unsqueeze(1), messages).squeeze(1) + b;
}

at::Tensor gat(const SparsePtr& sparse, const at::Tensor& x, const Attention& attention, Heads heads,
               double negative_slope) {
  const auto count = attention.source.size(0);
  const auto g = x.matmul(attention.w).view({x.size(0), count, -1});
  const auto of_columns = (g * attention.source.unsqueeze(0)).sum(2);
  const auto of_rows = (g.narrow(0, 0, sparse->rows()) * attention.target.unsqueeze(0)).sum(2);
  const auto logits = at::leaky_relu(edge_sum(sparse, of_rows, of_columns), negative_slope);
  const auto out = spmm(sparse, edge_softmax(sparse, logits), g);
  return (heads == Heads::joined ? out.reshape({out.size(0), -1}) : out.mean(1)) + attention.bias;
}

at::Tensor reconstruction_loss(const at::Tensor& z, const at::Tensor& edges, const at::Tensor& non_edges) {
  const auto products = [&](const at::Tensor& pairs) {
    return (z.index_select(0, pairs.select(1, 0)) * z.index_select(0, pairs.select(1, 1))).sum(1);
  };
  // -log sigmoid(v) = softplus(-v), and -log(1 - sigmoid(v)) = softplus(v).
  auto loss = at::zeros({}, z.options());
  if (edges.size(0) > 0) loss = loss + at::softplus(-products(edges)).mean();
  if (non_edges.size(0) > 0) loss = loss + at::softplus(products(non_edges)).mean();
  return loss;
}

namespace {

at::Tensor weighted_mean(const at::Tensor& values, const at::Tensor& weights) {
  return (values * weights).sum() / weights.sum().clamp_min(1e-12);
}

/// t log(mean of exp(value / t)) over each pair itself and its query's unrelated ones: [queries, documents].
at::Tensor exponential_means(const at::Tensor& values, const at::Tensor& unrelated, double temperature) {
  const auto scaled = values / temperature;
  const auto others = (scaled + unrelated.clamp_min(1e-30).log()).masked_fill(unrelated <= 0, -1e9);
  const auto count = unrelated.sum({1}, true) + 1;
  return temperature * (at::logaddexp(others.logsumexp({1}, true), scaled) - count.log());
}

}  // namespace

at::Tensor distance_and_similarity(const at::Tensor& queries, const at::Tensor& documents,
                                   const at::Tensor& related, const at::Tensor& unrelated, double weight,
                                   double temperature) {
  const auto cosines = queries.matmul(documents.t());
  // Of unit vectors; the bound keeps the root's slope finite where two are the same.
  const auto distances = (2 - 2 * cosines).clamp_min(1e-8).sqrt();
  const auto others = temperature > 0
                          ? weighted_mean(exponential_means(cosines, unrelated, temperature), related)
                          : weighted_mean(cosines, unrelated);
  return weighted_mean(distances, related) + weight * (others - weighted_mean(cosines, related));
}

at::Tensor unit_rows(const at::Tensor& x) {
  return x / x.norm(2, {1}, true).clamp_min(1e-12);
}

}  // namespace mustcite::gnn
