#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/rank/quantised.hpp"

namespace mustcite::rank {

/// Signs of the values of each row, one bit each (1: not negative): an eighth of the bytes of the row itself.
/// Eight rows lie together, word by word: first of each row its first 64 values, and so on. The last group is
/// filled up with zeros.
[[nodiscard]] std::vector<std::uint64_t> signs_of(const QuantisedRows& rows);
/// Words that `signs_of` gives for so many rows of so many values.
[[nodiscard]] std::size_t sign_words(std::size_t rows, std::size_t dims) noexcept;

/// The best `depth` of rows [0, prefix) without excluded ones, falling, ties by row: candidates by the
/// product of the vector with the signs alone, four times as many as asked and 2,000 at least, then exact
/// products. `signs` are those of the rows. Where the prefix holds no more than that, the answer is that of
/// QuantisedRows::nearest; else it can lack a row whose product is small against that of its signs.
[[nodiscard]] std::vector<index::Scored> nearest_by_signs(const QuantisedRows& rows,
                                                          std::span<const std::uint64_t> signs,
                                                          const QuantisedVector& vector, std::size_t prefix,
                                                          std::size_t depth,
                                                          std::span<const DocId> exclude = {});

}  // namespace mustcite::rank
