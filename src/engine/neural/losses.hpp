#pragma once

#include "engine/neural/torch.hpp"

/// The losses of contrastive training. Each takes vectors and gives one number, through which gradients flow.
namespace mustcite::neural {

/// Cosines of queries [q, d] with documents [m, d]: [q, m].
[[nodiscard]] at::Tensor cosines(const at::Tensor& queries, const at::Tensor& documents);

/// NT-Xent over a batch, from scores s [q, m] over the temperature: cosines, or MaxSim. `positive` and
/// `ignored` are boolean [q, m]. For each positive p of a query i:
///
///   -log( exp(s_ip) / (exp(s_ip) + sum of exp(s_in) over n that are neither positive nor ignored) )
///
/// averaged over the positives of a query, then over the queries that have one. `ignored` holds what is known
/// to be relevant too but is no target here: it is no negative either. `offsets` [m], where given, are taken
/// off the scores of negatives: with the logarithm of a document's chance to be in the batch, the sum over
/// the batch stands for the sum over all documents (Bengio and Senécal 2008), and what is cited often is not
/// pushed away for being seen often.
[[nodiscard]] at::Tensor nt_xent_of_scores(const at::Tensor& scores, const at::Tensor& positive,
                                           const at::Tensor& ignored, const at::Tensor& offsets = {});

/// Mean of max(0, d(q, p) - d(q, n) + margin) over rows; d is the L2 distance (of PyTorch's
/// pairwise_distance).
[[nodiscard]] at::Tensor triplet(const at::Tensor& query, const at::Tensor& positive,
                                 const at::Tensor& negative, double margin);

/// The six distances of quadruplets, [rows] each.
struct QuadrupletDistances {
  at::Tensor query_first, query_second, query_negative, first_second, first_negative, second_negative;
};

/// h(q p1, q n) + h(q p2, q n) + h(p1 p2, p1 n) + h(p1 p2, p2 n) with h(a, b) = max(0, a - b + margin), each
/// term averaged over the rows.
[[nodiscard]] at::Tensor quadruplet_of_distances(const QuadrupletDistances& distances, double margin);
[[nodiscard]] at::Tensor quadruplet(const at::Tensor& query, const at::Tensor& first,
                                    const at::Tensor& second, const at::Tensor& negative, double margin);

/// Mean of -log softmax of the positive's score against the negative's: late interaction as ColBERT is
/// trained.
[[nodiscard]] at::Tensor pairwise_softmax(const at::Tensor& positive_scores,
                                          const at::Tensor& negative_scores);

}  // namespace mustcite::neural
