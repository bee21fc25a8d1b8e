#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/model/model_folder.hpp"
#include "engine/model/tokenizer.hpp"
#include "engine/neural/amx_kernels.hpp"

namespace mustcite::neural {

struct Weights;

/// The encoder on AMX tiles: bfloat16 weights and products, float32 sums, residuals and norms. Sequences lie
/// one behind the other without padding, and a thread takes a few of them through all layers while their
/// activations stay in its own cache: threads never wait for each other. Immutable, thread-safe.
class PackedBert {
 public:
  /// Whether this processor and this shape can be computed so.
  [[nodiscard]] static bool fits(const model::ModelFolder& folder);

  PackedBert(const model::ModelFolder& folder, const Weights& weights);
  ~PackedBert();
  PackedBert(PackedBert&&) noexcept;

  /// Tokens that one call of `encode` should get: as many as the activations leave room for in a core's
  /// cache.
  [[nodiscard]] std::size_t tokens_at_once() const noexcept;
  [[nodiscard]] std::size_t dimensions() const noexcept;

  /// What one thread works with: memory for activations, which grows as needed, and the tile registers.
  class Workspace {
   public:
    Workspace();
    ~Workspace();
    struct Impl;
    Impl& impl() noexcept { return *impl_; }

   private:
    std::unique_ptr<Impl> impl_;
  };

  /// The vector of each text: `out[i]` points at `dimensions()` numbers.
  void encode(std::span<const model::Encoding* const> texts, std::span<float* const> out,
              Workspace& workspace) const;
  /// The last state of each token: `out[i]` points at as many rows of hidden numbers as text i has tokens.
  void encode_tokens(std::span<const model::Encoding* const> texts, std::span<float* const> out,
                     Workspace& workspace) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::neural
