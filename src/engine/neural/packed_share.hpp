#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/neural/aligned_buffer.hpp"
#include "engine/neural/amx_kernels.hpp"
#include "engine/neural/packed_network.hpp"

namespace mustcite::neural {

/// The texts of one thread on their way forward and back. Sequences lie one behind the other without padding.
/// A chunk of a few of them passes all layers while it stays in the core's cache; what the way back needs of
/// the trained layers is kept in memory. On the way back the gradients of a layer's weights are taken from a
/// group of chunks at once: the sums of all weights are larger than the cache.
class PackedShare {
 public:
  struct Text {
    std::vector<std::int32_t> ids;
    std::vector<std::int32_t> types;
  };

  /// What is trained: layers from `lowest` on, and the embeddings. Nothing: lowest is the number of layers.
  struct Trained {
    std::size_t lowest = 0;
    bool embeddings = false;
  };

  void set(const NetworkShape& shape, const Trained& trained, std::vector<Text> texts);

  [[nodiscard]] std::size_t tokens() const noexcept { return tokens_; }
  [[nodiscard]] const std::vector<Text>& texts() const noexcept { return texts_; }

  /// States of the last layer, [tokens, hidden]. The calling thread has its `amx::Tiles`.
  void forward(const PackedNetwork& network, float* out);

  /// Adds to `sums` (by `place`; those of layers below the lowest are not touched) what the gradient [tokens,
  /// hidden] of the states gives. Gradients of query weights are those of the scaled query. Words, positions
  /// and types get nothing here: see `embedding_gradient`.
  void backward(const PackedNetwork& network, const float* gradient, const std::vector<float*>& sums);

  /// After `backward`, where embeddings are trained: the gradient of each token's sum of embeddings.
  [[nodiscard]] const float* embedding_gradient() const noexcept { return embedded_.data(); }

 private:
  struct Chunk {
    std::size_t first_text = 0, end_text = 0;
    std::size_t first_token = 0;  ///< among the tokens
    std::size_t first_row = 0;    ///< among the rows, which are padded to whole blocks at a chunk's end
    std::size_t rows = 0;
    std::size_t tokens = 0;
  };
  struct Group {
    std::size_t first_chunk = 0, end_chunk = 0;
    std::size_t first_row = 0, rows = 0;
  };
  /// What a layer keeps, seen from one row on.
  struct Kept {
    amx::bf16* in = nullptr;
    amx::bf16* qkv = nullptr;
    amx::bf16* context = nullptr;
    amx::bf16* middle = nullptr;
    amx::bf16* up = nullptr;
    amx::KeptNorm attention_norm, output_norm;
    float* totals = nullptr;
  };
  /// What is written on the way back through one layer of a group, all by rows of the group.
  struct Back {
    float* x = nullptr;
    amx::bf16* output = nullptr;  ///< gradient of the second matrix of the feed-forward part
    amx::bf16* up = nullptr;      ///< of the first
    amx::bf16* wide = nullptr;    ///< what entered the second
    amx::bf16* middle = nullptr;  ///< of the attention's output
    amx::bf16* qkv = nullptr;
    amx::bf16* context = nullptr;  ///< of one chunk
    amx::bf16* left = nullptr;     ///< tiles
    amx::bf16* right = nullptr;
  };

  void cut_chunks();
  void cut_groups();
  [[nodiscard]] Kept kept(std::size_t layer, const Chunk& chunk);
  [[nodiscard]] Back lay_out_back();
  void embed(const PackedNetwork& network, const Chunk& chunk, float* x) const;
  void forward_layer(const PackedNetwork::Layer& layer, const Chunk& chunk, const Kept& here,
                     amx::bf16* next);
  void back_through(const PackedNetwork::Layer& layer, std::size_t index, const Chunk& chunk, const Back& at,
                    const std::vector<float*>& sums);
  void attention_back(const Chunk& chunk, const Kept& here, const Back& at);
  void add_weights(std::size_t index, const Group& group, const Back& at, const std::vector<float*>& sums);
  void embeddings_back(const PackedNetwork& network, const Group& group, const Back& at,
                       const std::vector<float*>& sums);

  NetworkShape shape_;
  Trained trained_;
  std::vector<Text> texts_;
  std::vector<Chunk> chunks_;
  std::vector<Group> groups_;
  std::size_t tokens_ = 0, rows_ = 0, longest_ = 0, most_rows_ = 0;
  Buffer<amx::bf16> kept_rounded_, passing_rounded_, embedding_unit_, forward_rounded_, back_rounded_,
      scratch_rounded_;
  Buffer<float> kept_floats_, passing_floats_, embedding_scales_, forward_floats_, back_floats_,
      scratch_floats_, embedded_;
};

}  // namespace mustcite::neural
