#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/hatten/layers.hpp"

namespace mustcite::hatten {

struct Shape {
  std::int64_t width = 128;
  std::int64_t heads = 8;
  std::int64_t inner = 256;   ///< of the feed-forward parts
  std::int64_t words = 0;     ///< ids of words are below
  std::int64_t given = 0;     ///< width of a given table of words; 0: words are learnt from scratch
  std::int64_t longest = 96;  ///< words of a paragraph
};

/// A paper as the network reads it: ids of words. A part may be empty.
struct PaperWords {
  std::vector<std::int32_t> title;
  std::vector<std::int32_t> abstract;
};

/// The hierarchical encoder. Words with their positions go through a layer of attention and become one vector
/// a paragraph by attention pooling; the paragraphs (title, abstract) with their kinds and positions go the
/// same way through layers of their own and become the vector of the paper.
class Network {
 public:
  /// Weights drawn by the seed. `table`: [shape.words, shape.given], kept as it is and projected to the
  /// width; undefined where words are learnt.
  Network(const Shape& shape, std::uint64_t seed, const at::Tensor& table);

  /// [papers, width], in the order of the papers, not normalised. Papers of like length are computed
  /// together. Gradients flow unless a guard of the caller's forbids them; `dropout` 0: none.
  [[nodiscard]] at::Tensor vectors(std::span<const PaperWords* const> papers, double dropout) const;

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] neural::Parameters& parameters() noexcept { return parameters_; }
  [[nodiscard]] const neural::Parameters& parameters() const noexcept { return parameters_; }

 private:
  using Paragraph = std::vector<std::int32_t> PaperWords::*;
  [[nodiscard]] at::Tensor paragraphs(std::span<const PaperWords* const> papers, Paragraph part,
                                      double dropout) const;
  [[nodiscard]] at::Tensor group(std::span<const PaperWords* const> papers, double dropout) const;

  Shape shape_;
  neural::Parameters parameters_;
  at::Tensor table_;
  neural::Linear project_;  ///< of a given table
  at::Tensor positions_;
  at::Tensor kinds_;  ///< [2, width]: title, abstract
  AttentionLayer word_layer_;
  AttentionPooling word_pooling_;
  AttentionLayer paragraph_layer_;
  AttentionPooling paragraph_pooling_;
};

}  // namespace mustcite::hatten
