#pragma once

#include "engine/gnn/sparse.hpp"

namespace mustcite::gnn {

/// Weights of the edges as graph convolution sets them: 1 / sqrt(degree(row) * degree(column)). Degrees count
/// the edges into a node, the one to itself included; nodes of a sampled graph keep the degree that they have
/// when all their edges are there. `row_degrees` and `column_degrees`: [rows] and [columns].
[[nodiscard]] at::Tensor gcn_weights(const Sparse& sparse, const at::Tensor& row_degrees,
                                     const at::Tensor& column_degrees);

/// Graph convolution: sum over edges of weight * (x W), plus the bias. x: [columns, in]; w: [in, out]; b:
/// [out]; weights: [edges]. Gives [rows, out], without an activation.
[[nodiscard]] at::Tensor gcn(const SparsePtr& sparse, const at::Tensor& weights, const at::Tensor& x,
                             const at::Tensor& w, const at::Tensor& b);

/// Weights of an attention layer of several heads.
struct Attention {
  at::Tensor w;       ///< [in, heads * size]
  at::Tensor source;  ///< [heads, size]: of the column an edge comes from
  at::Tensor target;  ///< [heads, size]: of the row it goes to
  at::Tensor bias;    ///< [heads * size] when heads are joined, [size] when they are averaged
};

/// Graph attention: with g = x W, edge logits LeakyReLU(target . g[row] + source . g[column]), softmax over
/// the edges of a row, sum of attention * g[column]. Rows must be the first columns (a row's own features
/// stand there). Heads are joined to [rows, heads * size], or averaged to [rows, size].
enum class Heads { joined, averaged };
[[nodiscard]] at::Tensor gat(const SparsePtr& sparse, const at::Tensor& x, const Attention& attention,
                             Heads heads, double negative_slope = 0.2);

/// Loss of a graph autoencoder: mean of -log sigmoid(z_a . z_b) over the pairs that are edges plus mean of
/// -log(1 - sigmoid(z_a . z_b)) over those that are none. Pairs: [n, 2] of int64. No pairs of a kind: its
/// mean is 0.
[[nodiscard]] at::Tensor reconstruction_loss(const at::Tensor& z, const at::Tensor& edges,
                                             const at::Tensor& non_edges);

/// The loss of AR-GNN over unit vectors of queries [q, d] and documents [m, d]: mean Euclidean distance of
/// related pairs, plus `weight` times (mean cosine of unrelated pairs - mean cosine of related pairs).
/// `related` and `unrelated`: [q, m] of weights, 0 where a pair is no part of it; means are weighted by them.
/// With a `temperature` t the mean is exponential, t log(mean of exp(cosine / t)), and taken for each related
/// pair over itself and its query's unrelated pairs: the most similar of them count the most, and a pair that
/// is far above them no longer. 0: the plain mean over unrelated pairs.
[[nodiscard]] at::Tensor distance_and_similarity(const at::Tensor& queries, const at::Tensor& documents,
                                                 const at::Tensor& related, const at::Tensor& unrelated,
                                                 double weight, double temperature = 0);

/// Rows made unit length; rows of zeros stay.
[[nodiscard]] at::Tensor unit_rows(const at::Tensor& x);

}  // namespace mustcite::gnn
