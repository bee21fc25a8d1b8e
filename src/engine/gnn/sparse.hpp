#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/neural/torch.hpp"

/// Networks over graphs: sparse message passing with gradients, on LibTorch.
namespace mustcite::gnn {

/// Which columns each row takes messages from, in compressed rows, with the transpose that gradients go back
/// through. Weights are no part of it: edge e is `columns()[e]`, and weights are tensors with one entry an
/// edge. Immutable, thread-safe; share it by shared_ptr.
class Sparse {
 public:
  /// `begin` has a number more than there are rows; edges of row i are [begin[i], begin[i + 1]).
  /// Throws invalid_input when they fall or a column is out of range.
  Sparse(std::vector<std::uint32_t> begin, std::vector<std::uint32_t> columns, std::uint32_t column_count);

  [[nodiscard]] std::uint32_t rows() const noexcept { return static_cast<std::uint32_t>(begin_.size() - 1); }
  [[nodiscard]] std::uint32_t column_count() const noexcept { return column_count_; }
  [[nodiscard]] std::size_t edges() const noexcept { return columns_.size(); }
  [[nodiscard]] const std::vector<std::uint32_t>& begin() const noexcept { return begin_; }
  [[nodiscard]] const std::vector<std::uint32_t>& columns() const noexcept { return columns_; }
  /// The same by columns: edges back_begin()[c] .. of column c are back_edges(), from rows back_rows().
  [[nodiscard]] const std::vector<std::uint32_t>& back_begin() const noexcept { return back_begin_; }
  [[nodiscard]] const std::vector<std::uint32_t>& back_rows() const noexcept { return back_rows_; }
  [[nodiscard]] const std::vector<std::uint32_t>& back_edges() const noexcept { return back_edges_; }

 private:
  std::uint32_t column_count_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> columns_;
  std::vector<std::uint32_t> back_begin_;
  std::vector<std::uint32_t> back_rows_;
  std::vector<std::uint32_t> back_edges_;
};

using SparsePtr = std::shared_ptr<const Sparse>;

// Each operation runs on all threads and gives the same bits on any number of them: a row (or, going back, a
// column) is summed by one thread in the order of its edges. Tensors are float or double.

/// Messages: [rows, heads, size] with out[i, h] = sum over edges e of row i of weights[e, h] * x[column(e),
/// h]. weights: [edges, heads]; x: [columns, heads, size]. Gradients flow to both.
[[nodiscard]] at::Tensor spmm(const SparsePtr& sparse, const at::Tensor& weights, const at::Tensor& x);

/// [edges, heads]: of_rows[row(e)] + of_columns[column(e)]. of_rows: [rows, heads]; of_columns: [columns,
/// heads].
[[nodiscard]] at::Tensor edge_sum(const SparsePtr& sparse, const at::Tensor& of_rows,
                                  const at::Tensor& of_columns);

/// Softmax over the edges of each row, one a head. logits: [edges, heads].
[[nodiscard]] at::Tensor edge_softmax(const SparsePtr& sparse, const at::Tensor& logits);

}  // namespace mustcite::gnn
