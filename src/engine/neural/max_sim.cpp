#include "engine/neural/max_sim.hpp"

#include <algorithm>

#include "core/base/threads.hpp"

namespace mustcite::neural {
namespace {

/// row += factor * other.
void add_scaled(float* row, const float* other, float factor, std::int64_t dims) {
  for (std::int64_t k = 0; k < dims; ++k) row[k] += factor * other[k];
}

}  // namespace

Interaction interact(const TokenTable& table, std::size_t threads) {
  const at::NoGradGuard without_gradients;
  const auto vectors = table.vectors.detach().contiguous();
  const auto documents = static_cast<std::int64_t>(table.document_count());
  Interaction result;
  result.scores = at::zeros({static_cast<std::int64_t>(table.query_count()), documents});
  result.nearest.assign(static_cast<std::size_t>((table.queries.back() - table.queries.front()) * documents),
                        0);
  const std::int64_t first = table.documents.front();
  const auto all = vectors.narrow(0, first, table.documents.back() - first).t();
  for (std::size_t q = 0; q < table.query_count(); ++q) {
    const std::int64_t begin = table.queries[q];
    const std::int64_t count = table.queries[q + 1] - begin;
    const auto products = at::matmul(vectors.narrow(0, begin, count), all).contiguous();
    const float* const values = products.data_ptr<float>();
    const std::int64_t width = products.size(1);
    float* const scores = result.scores.data_ptr<float>() + static_cast<std::int64_t>(q) * documents;
    std::int32_t* const nearest = result.nearest.data() + (begin - table.queries.front()) * documents;
    parallel_for(table.document_count(), threads, [&](std::size_t d, std::size_t) {
      const std::int64_t from = table.documents[d] - first;
      const std::int64_t size = table.documents[d + 1] - table.documents[d];
      float sum = 0;
      for (std::int64_t t = 0; t < count && size > 0; ++t) {
        const float* const row = values + t * width + from;
        const float* const best = std::max_element(row, row + size);
        sum += *best;
        nearest[t * documents + static_cast<std::int64_t>(d)] =
            static_cast<std::int32_t>(table.documents[d] + (best - row));
      }
      scores[d] = sum;
    });
  }
  return result;
}

at::Tensor interaction_gradient(const TokenTable& table, const Interaction& interaction,
                                const at::Tensor& of_scores, std::size_t threads) {
  const at::NoGradGuard without_gradients;
  const auto vectors = table.vectors.detach().contiguous();
  const auto weights = of_scores.detach().contiguous();
  const auto documents = static_cast<std::int64_t>(table.document_count());
  const std::int64_t dims = vectors.size(1);
  auto gradient = at::zeros_like(vectors);
  const float* const from = vectors.data_ptr<float>();
  const float* const weight = weights.data_ptr<float>();
  float* const into = gradient.data_ptr<float>();
  const std::int64_t origin = table.queries.front();
  const auto nearest = [&](std::int64_t vector, std::int64_t d) {
    return interaction.nearest[static_cast<std::size_t>((vector - origin) * documents + d)];
  };
  parallel_for(table.query_count(), threads, [&](std::size_t q, std::size_t) {
    for (std::int64_t t = table.queries[q]; t < table.queries[q + 1]; ++t) {
      for (std::int64_t d = 0; d < documents; ++d) {
        if (table.documents[static_cast<std::size_t>(d)] == table.documents[static_cast<std::size_t>(d) + 1])
          continue;
        add_scaled(into + t * dims, from + nearest(t, d) * dims,
                   weight[static_cast<std::int64_t>(q) * documents + d], dims);
      }
    }
  });
  parallel_for(table.document_count(), threads, [&](std::size_t d, std::size_t) {
    if (table.documents[d] == table.documents[d + 1]) return;
    const auto place = static_cast<std::int64_t>(d);
    for (std::size_t q = 0; q < table.query_count(); ++q) {
      const float factor = weight[static_cast<std::int64_t>(q) * documents + place];
      if (factor == 0) continue;
      for (std::int64_t t = table.queries[q]; t < table.queries[q + 1]; ++t)
        add_scaled(into + nearest(t, place) * dims, from + t * dims, factor, dims);
    }
  });
  return gradient;
}

}  // namespace mustcite::neural
