#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/index/format.hpp"

/// The inner loops of the search. Every loop has a plain version, the oracle of the vector ones.
namespace mustcite::index::kernels {

/// What a row of each length class and frequency code adds, as the low and high bytes of 16 bits: one term.
struct DenseTable {
  alignas(64) std::uint8_t bytes[format::kClasses][2][16];
};

/// A dense cell and its term's table.
struct DenseTerm {
  const std::uint8_t* codes = nullptr;
  const DenseTable* table = nullptr;
};

/// The same in bytes, in coarser steps: for common terms, whose values are small. Sums of a few terms fit one byte.
struct NarrowTable {
  alignas(64) std::uint8_t bytes[format::kClasses][16];
};

struct NarrowTerm {
  const std::uint8_t* codes = nullptr;
  const NarrowTable* table = nullptr;
};

/// Most terms that `add_narrow` takes at once.
inline constexpr std::size_t kMaxNarrowTerms = 8;

enum class Level { plain, avx2, avx512 };

/// Levels this processor runs, plain first.
[[nodiscard]] const std::vector<Level>& available();
/// The last of `available`.
[[nodiscard]] Level best();

/// accumulators[slot] += table[code] for every posting of a list.
void add_sparse(const std::uint16_t* slots, const std::uint8_t* codes, std::size_t count, const std::uint16_t* table,
                std::uint16_t* accumulators);

/// Adds dense cells to the accumulators of `groups` groups of slots.
void add_dense(Level level, const DenseTerm* terms, std::size_t count, const std::uint8_t* group_classes,
               std::size_t groups, std::uint16_t* accumulators);

/// Adds the byte sums of at most kMaxNarrowTerms cells, times 2^shift, to the accumulators. The largest values of the
/// terms must add up to 255 at most.
void add_narrow(Level level, const NarrowTerm* terms, std::size_t count, const std::uint8_t* group_classes,
                std::size_t groups, int shift, std::uint16_t* accumulators);

/// Largest accumulator of every group.
void group_maxima(Level level, const std::uint16_t* accumulators, std::size_t groups, std::uint16_t* maxima);

}  // namespace mustcite::index::kernels
