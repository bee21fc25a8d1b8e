#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "engine/model/tokenizer.hpp"
#include "engine/neural/bert.hpp"

/// How do gradients flow through the encoder?
namespace mustcite::neural {

struct TokenStatesOptions {
  /// Products in bfloat16. With this, without dropout and on a processor with AMX, the pass is done by hand
  /// on packed sequences; else by LibTorch's operators on padded batches.
  bool mixed = true;
  bool dropout = false;
  std::size_t threads =
      0;  ///< 0: all cores. Gradients depend on it in their last digits, and on nothing else
};

/// The states of texts' tokens for training: one operator with a backward pass, whatever computes it. Layers
/// below the lowest one that requires a gradient are run forward only.
class TokenStates {
 public:
  /// `bert` must outlive it and everything it gave, and its weights must not change between a call and the
  /// backward pass of what it gave.
  TokenStates(const Bert& bert, const TokenStatesOptions& options);
  ~TokenStates();
  TokenStates(TokenStates&&) noexcept;

  /// Whether the pass is done by hand.
  [[nodiscard]] bool packed() const noexcept;

  /// States of the last layer, [tokens of all texts, hidden] in float32, one text behind the other without
  /// padding. Give all texts of a step at once: the weights are packed for each call.
  [[nodiscard]] at::Tensor operator()(std::span<const model::Encoding* const> texts) const;
  /// Their pooled vectors, [texts, dimensions]: `Bert::vectors_of` the states.
  [[nodiscard]] at::Tensor vectors(std::span<const model::Encoding* const> texts) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mustcite::neural
