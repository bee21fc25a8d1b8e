#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace mustcite::rank {

/// A sparse matrix in compressed rows.
struct SparseRows {
  std::vector<std::uint64_t> begin{0};  ///< rows + 1 offsets
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::uint32_t width = 0;  ///< number of columns

  [[nodiscard]] std::size_t rows() const noexcept { return begin.size() - 1; }
};

struct SvdOptions {
  std::uint32_t rank = 256;
  std::uint32_t oversample = 24;  ///< extra directions carried along, for accuracy
  std::uint32_t rounds = 3;       ///< multiplications by A^T A before the last one
  std::uint64_t seed = 1;
  std::size_t threads = 0;  ///< 0: all cores. The result does not depend on it.
};

struct Svd {
  std::uint32_t rank = 0;              ///< may be less than asked: never more than columns or rows
  std::vector<float> right;            ///< right singular vectors, width x rank, row-major
  std::vector<float> singular_values;  ///< falling
};

/// Leading right singular vectors by subspace iteration on A^T A from random signs (Halko, Martinsson, Tropp
/// 2011), with a Rayleigh-Ritz step at the end. Never forms anything of size rows x rank. Equal input and
/// seed give equal bytes on any number of threads.
[[nodiscard]] Svd truncated_svd(const SparseRows& matrix, const SvdOptions& options,
                                const std::function<void()>& after_round = {});

}  // namespace mustcite::rank
