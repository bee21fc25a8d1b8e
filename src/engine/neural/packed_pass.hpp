#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "engine/neural/packed_network.hpp"
#include "engine/neural/packed_share.hpp"

namespace mustcite::neural {

/// One forward and one backward pass over all threads, and the memory for both, which is used again for the
/// next pass.
class PackedPass {
 public:
  void prepare(const NetworkShape& shape, std::vector<const float*> values,
               const PackedShare::Trained& trained, std::vector<PackedShare::Text> texts,
               std::size_t threads);

  /// States of the last layer, [tokens, hidden].
  void forward(float* out);
  /// Gradients of the weights from that of the states. `sums` by `place`: zeros for everything that
  /// `computes`, null for the rest.
  void backward(const float* gradient, const std::vector<float*>& sums,
                const std::vector<std::size_t>& sizes);
  /// Whether `backward` gives the gradient of this weight.
  [[nodiscard]] bool computes(std::size_t place) const noexcept;

 private:
  void add_shares(const std::vector<std::vector<float*>>& sums, const std::vector<std::size_t>& sizes);
  void scatter(const std::vector<float*>& sums);

  PackedNetwork network_;
  PackedShare::Trained trained_;
  std::vector<PackedShare> shares_;
  std::vector<Buffer<float>> others_;  ///< sums of all shares but the first
};

/// Passes that wait for their next use.
class PassPool : public std::enable_shared_from_this<PassPool> {
 public:
  /// Goes back to the pool when its last owner forgets it.
  [[nodiscard]] std::shared_ptr<PackedPass> take();

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<PackedPass>> free_;
};

}  // namespace mustcite::neural
