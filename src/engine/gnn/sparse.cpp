#include "engine/gnn/sparse.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
#include <torch/csrc/autograd/custom_function.h>
#pragma GCC diagnostic pop

namespace mustcite::gnn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::Variable;
using torch::autograd::variable_list;

/// Rows one thread takes at a time.
constexpr std::int64_t kGrain = 256;

/// The pattern on its way from forward to backward.
struct Holder : torch::CustomClassHolder {
  explicit Holder(SparsePtr held) : sparse(std::move(held)) {}
  SparsePtr sparse;
};

void keep(AutogradContext* context, const SparsePtr& sparse) {
  context->saved_data["sparse"] = c10::IValue::make_capsule(c10::make_intrusive<Holder>(sparse));
}

SparsePtr kept(AutogradContext* context) {
  return c10::static_intrusive_pointer_cast<Holder>(context->saved_data["sparse"].toCapsule())->sparse;
}

/// out[r] = sum over the entries k of r of weights[edge(k)] * x[other(k)], for each head.
template <typename Number>
void gather(const std::vector<std::uint32_t>& begin, const std::uint32_t* others, const std::uint32_t* edges,
            const at::Tensor& weights, const at::Tensor& x, at::Tensor& out) {
  const auto heads = static_cast<std::size_t>(x.size(1));
  const auto size = static_cast<std::size_t>(x.size(2));
  const Number* w = weights.data_ptr<Number>();
  const Number* from = x.data_ptr<Number>();
  Number* to = out.data_ptr<Number>();
  at::parallel_for(0, static_cast<std::int64_t>(begin.size()) - 1, kGrain,
                   [&](std::int64_t first, std::int64_t last) {
                     for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last); ++r) {
                       Number* row = to + r * heads * size;
                       for (std::size_t k = begin[r]; k < begin[r + 1]; ++k) {
                         const std::size_t edge = edges == nullptr ? k : edges[k];
                         const Number* other = from + std::size_t{others[k]} * heads * size;
                         for (std::size_t h = 0; h < heads; ++h) {
                           const Number weight = w[edge * heads + h];
                           for (std::size_t d = 0; d < size; ++d)
                             row[h * size + d] += weight * other[h * size + d];
                         }
                       }
                     }
                   });
}

/// Gradient of the weights: the product of what the edge's row got and what its column gave.
template <typename Number>
void edge_products(const Sparse& sparse, const at::Tensor& grad, const at::Tensor& x, at::Tensor& out) {
  const auto heads = static_cast<std::size_t>(x.size(1));
  const auto size = static_cast<std::size_t>(x.size(2));
  const Number* g = grad.data_ptr<Number>();
  const Number* from = x.data_ptr<Number>();
  Number* to = out.data_ptr<Number>();
  at::parallel_for(0, sparse.rows(), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last); ++r) {
      for (std::size_t e = sparse.begin()[r]; e < sparse.begin()[r + 1]; ++e) {
        const Number* other = from + std::size_t{sparse.columns()[e]} * heads * size;
        const Number* row = g + r * heads * size;
        for (std::size_t h = 0; h < heads; ++h) {
          Number sum = 0;
          for (std::size_t d = 0; d < size; ++d) sum += row[h * size + d] * other[h * size + d];
          to[e * heads + h] = sum;
        }
      }
    }
  });
}

struct Spmm : Function<Spmm> {
  static Variable forward(AutogradContext* context, const SparsePtr& sparse, const Variable& weights,
                          const Variable& x) {
    keep(context, sparse);
    context->save_for_backward({weights, x});
    auto out = at::zeros({sparse->rows(), x.size(1), x.size(2)}, x.options());
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "spmm", [&] {
      gather<scalar_t>(sparse->begin(), sparse->columns().data(), nullptr, weights, x, out);
    });
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const auto sparse = kept(context);
    const auto saved = context->get_saved_variables();
    const auto& weights = saved[0];
    const auto& x = saved[1];
    const auto grad = grads[0].contiguous();
    at::Tensor of_weights;
    at::Tensor of_x;
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "spmm_backward", [&] {
      // Counted over the tensors among the inputs: weights are 0, x is 1.
      if (context->needs_input_grad(1)) {
        of_x = at::zeros_like(x);
        gather<scalar_t>(sparse->back_begin(), sparse->back_rows().data(), sparse->back_edges().data(),
                         weights, grad, of_x);
      }
      if (context->needs_input_grad(0)) {
        of_weights = at::zeros_like(weights);
        edge_products<scalar_t>(*sparse, grad, x, of_weights);
      }
    });
    return {Variable(), of_weights, of_x};
  }
};

/// Sums of edges by row, or by column.
template <typename Number>
at::Tensor edge_totals(const std::vector<std::uint32_t>& begin, const std::uint32_t* edges,
                       const at::Tensor& of_edges) {
  const auto heads = static_cast<std::size_t>(of_edges.size(1));
  auto out = at::zeros({static_cast<std::int64_t>(begin.size()) - 1, of_edges.size(1)}, of_edges.options());
  const Number* from = of_edges.data_ptr<Number>();
  Number* to = out.template data_ptr<Number>();
  at::parallel_for(0, out.size(0), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last); ++r) {
      for (std::size_t k = begin[r]; k < begin[r + 1]; ++k) {
        const std::size_t edge = edges == nullptr ? k : edges[k];
        for (std::size_t h = 0; h < heads; ++h) to[r * heads + h] += from[edge * heads + h];
      }
    }
  });
  return out;
}

struct EdgeSum : Function<EdgeSum> {
  static Variable forward(AutogradContext* context, const SparsePtr& sparse, const Variable& of_rows,
                          const Variable& of_columns) {
    keep(context, sparse);
    auto out = at::empty({static_cast<std::int64_t>(sparse->edges()), of_rows.size(1)}, of_rows.options());
    AT_DISPATCH_FLOATING_TYPES(of_rows.scalar_type(), "edge_sum", [&] {
      const auto heads = static_cast<std::size_t>(of_rows.size(1));
      const scalar_t* rows = of_rows.data_ptr<scalar_t>();
      const scalar_t* columns = of_columns.data_ptr<scalar_t>();
      scalar_t* to = out.data_ptr<scalar_t>();
      at::parallel_for(0, sparse->rows(), kGrain, [&](std::int64_t first, std::int64_t last) {
        for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last); ++r) {
          for (std::size_t e = sparse->begin()[r]; e < sparse->begin()[r + 1]; ++e) {
            const std::size_t column = sparse->columns()[e];
            for (std::size_t h = 0; h < heads; ++h)
              to[e * heads + h] = rows[r * heads + h] + columns[column * heads + h];
          }
        }
      });
    });
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const auto sparse = kept(context);
    const auto grad = grads[0].contiguous();
    at::Tensor of_rows;
    at::Tensor of_columns;
    AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "edge_sum_backward", [&] {
      of_rows = edge_totals<scalar_t>(sparse->begin(), nullptr, grad);
      of_columns = edge_totals<scalar_t>(sparse->back_begin(), sparse->back_edges().data(), grad);
    });
    return {Variable(), of_rows, of_columns};
  }
};

template <typename Number>
void softmax_row(const Number* logits, Number* out, std::size_t begin, std::size_t end, std::size_t heads,
                 std::size_t h) {
  Number most = logits[begin * heads + h];
  for (std::size_t e = begin; e < end; ++e) most = std::max(most, logits[e * heads + h]);
  Number total = 0;
  for (std::size_t e = begin; e < end; ++e)
    total += out[e * heads + h] = std::exp(logits[e * heads + h] - most);
  for (std::size_t e = begin; e < end; ++e) out[e * heads + h] /= total;
}

struct EdgeSoftmax : Function<EdgeSoftmax> {
  static Variable forward(AutogradContext* context, const SparsePtr& sparse, const Variable& logits) {
    keep(context, sparse);
    auto out = at::empty_like(logits);
    AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), "edge_softmax", [&] {
      const auto heads = static_cast<std::size_t>(logits.size(1));
      const scalar_t* from = logits.data_ptr<scalar_t>();
      scalar_t* to = out.data_ptr<scalar_t>();
      at::parallel_for(0, sparse->rows(), kGrain, [&](std::int64_t first, std::int64_t last) {
        for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last); ++r) {
          if (sparse->begin()[r] == sparse->begin()[r + 1]) continue;
          for (std::size_t h = 0; h < heads; ++h)
            softmax_row(from, to, sparse->begin()[r], sparse->begin()[r + 1], heads, h);
        }
      });
    });
    context->save_for_backward({out});
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list grads) {
    const auto sparse = kept(context);
    const auto out = context->get_saved_variables()[0];
    // With s the softmax: s * (grad - sum of s * grad over the row).
    const auto product = out * grads[0];
    at::Tensor totals;
    AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "edge_softmax_backward", [&] {
      totals = edge_totals<scalar_t>(sparse->begin(), nullptr, product.contiguous());
    });
    const auto none = at::zeros({sparse->column_count(), out.size(1)}, out.options());
    return {Variable(), product - out * EdgeSum::apply(sparse, totals, none)};
  }
};

void check(bool fits, const char* what, const at::Tensor& tensor, const Sparse& sparse) {
  if (fits) return;
  fail(ErrorCode::internal,
       "{} of {} dimensions and {} entries does not fit {} rows, {} columns and {} edges", what, tensor.dim(),
       tensor.numel(), sparse.rows(), sparse.column_count(), sparse.edges());
}

}  // namespace

Sparse::Sparse(std::vector<std::uint32_t> begin, std::vector<std::uint32_t> columns,
               std::uint32_t column_count)
    : column_count_(column_count), begin_(std::move(begin)), columns_(std::move(columns)) {
  if (begin_.empty() || begin_.front() != 0 || begin_.back() != columns_.size() ||
      !std::is_sorted(begin_.begin(), begin_.end())) {
    fail(ErrorCode::invalid_input, "a sparse matrix has {} edges, but its rows are not in order",
         columns_.size());
  }
  back_begin_.assign(column_count_ + 1, 0);
  for (const std::uint32_t column : columns_) {
    if (column >= column_count_)
      fail(ErrorCode::invalid_input, "a sparse matrix of {} columns names column {}", column_count_, column);
    ++back_begin_[column + 1];
  }
  for (std::size_t c = 0; c < column_count_; ++c) back_begin_[c + 1] += back_begin_[c];
  back_rows_.resize(columns_.size());
  back_edges_.resize(columns_.size());
  std::vector<std::uint32_t> next(back_begin_.begin(), back_begin_.end() - 1);
  for (std::uint32_t row = 0; row < rows(); ++row) {
    for (std::uint32_t e = begin_[row]; e < begin_[row + 1]; ++e) {
      const std::uint32_t at = next[columns_[e]]++;
      back_rows_[at] = row;
      back_edges_[at] = e;
    }
  }
}

at::Tensor spmm(const SparsePtr& sparse, const at::Tensor& weights, const at::Tensor& x) {
  check(weights.dim() == 2 && weights.size(0) == static_cast<std::int64_t>(sparse->edges()), "weights",
        weights, *sparse);
  check(x.dim() == 3 && x.size(0) == sparse->column_count() && x.size(1) == weights.size(1), "x", x, *sparse);
  return Spmm::apply(sparse, weights.contiguous(), x.contiguous());
}

at::Tensor edge_sum(const SparsePtr& sparse, const at::Tensor& of_rows, const at::Tensor& of_columns) {
  check(of_rows.dim() == 2 && of_rows.size(0) == sparse->rows(), "row values", of_rows, *sparse);
  check(of_columns.dim() == 2 && of_columns.size(0) == sparse->column_count(), "column values", of_columns,
        *sparse);
  return EdgeSum::apply(sparse, of_rows.contiguous(), of_columns.contiguous());
}

at::Tensor edge_softmax(const SparsePtr& sparse, const at::Tensor& logits) {
  check(logits.dim() == 2 && logits.size(0) == static_cast<std::int64_t>(sparse->edges()), "logits", logits,
        *sparse);
  return EdgeSoftmax::apply(sparse, logits.contiguous());
}

}  // namespace mustcite::gnn
