#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/index/sparse_index.hpp"

namespace mustcite::dense {

/// A vector in eight bits: value = scale * integer, integers within [-127, 127].
struct QuantisedVector {
  std::vector<std::int8_t> values;
  float scale = 0;
};

[[nodiscard]] QuantisedVector quantised(std::span<const float> vector);

/// Rows of vectors in eight bits; does not own them. `dims` is a multiple of 64 (shorter vectors end in
/// zeros).
struct QuantisedRows {
  std::size_t dims = 0;
  std::span<const std::int8_t> values;  ///< rows x dims
  std::span<const float> scales;        ///< per row
  std::span<const std::int32_t> sums;   ///< sum of the integers of each row: see `integer_dots`

  [[nodiscard]] std::size_t rows() const noexcept { return scales.size(); }
  [[nodiscard]] std::span<const std::int8_t> row(std::size_t i) const {
    return values.subspan(i * dims, dims);
  }
  /// Product with a vector of `dims` integers.
  [[nodiscard]] float dot(std::size_t i, const QuantisedVector& vector) const;
  /// Adds `weight` times the row to `sum`.
  void add_to(std::size_t i, float weight, std::span<float> sum) const;

  /// For each vector the best `depth` of rows [0, prefix), excluded ones left out: exact products of the
  /// quantised values, falling, ties by row. The rows are read once for all vectors together.
  [[nodiscard]] std::vector<std::vector<index::Scored>> nearest(std::span<const QuantisedVector> vectors,
                                                                std::size_t prefix, std::size_t depth,
                                                                std::span<const DocId> exclude = {}) const;
};

/// Owns rows of vectors in eight bits.
class QuantisedTable {
 public:
  explicit QuantisedTable(std::size_t dims) : dims_((dims + 63) / 64 * 64) {}
  void add(std::span<const float> vector);
  [[nodiscard]] QuantisedRows rows() const { return {dims_, values_, scales_, sums_}; }

 private:
  std::size_t dims_;
  std::vector<std::int8_t> values_;
  std::vector<float> scales_;
  std::vector<std::int32_t> sums_;
};

/// Integer products of one vector with consecutive rows: `out[i] = sum of rows[i][k] * vector[k]`. Uses VNNI
/// where the processor has it (bytes times signed bytes, hence the rows' sums); `integer_dots_plain` is its
/// oracle.
void integer_dots(std::span<const std::int8_t> rows, std::span<const std::int32_t> sums,
                  std::span<const std::int8_t> vector, std::span<std::int32_t> out);
void integer_dots_plain(std::span<const std::int8_t> rows, std::span<const std::int8_t> vector,
                        std::span<std::int32_t> out);

}  // namespace mustcite::dense
