#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/rank/svd.hpp"

namespace mustcite::rank {

/// Two texts that belong together, as rows of the text matrix: a paper and one it cites, a title and its
/// abstract.
struct TextPair {
  std::uint32_t query = 0;
  std::uint32_t target = 0;
};

struct EmbeddingOptions {
  std::size_t batch = 1024;
  int epochs = 4;
  float rate = 0.08F;
  float temperature = 0.08F;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  ///< the result does not depend on it
};

/// Learns one vector per term so that texts that belong together get near vectors. A text's vector is the sum
/// of its terms' vectors, weighted by its (unit length) row, made unit length. Starts from `vectors` (terms x
/// dims, row-major) and changes it in place by AdaGrad on the softmax of each query over the targets of its
/// batch; other pairs of the same query or target are no rivals. `after_batch` is called with the number of
/// pairs done.
void train_embedding(const SparseRows& texts, const std::vector<TextPair>& pairs, std::vector<float>& vectors,
                     std::size_t dims, const EmbeddingOptions& options,
                     const std::function<void(std::size_t)>& after_batch = {});

}  // namespace mustcite::rank
