#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/snapshot/section_file.hpp"

/// What lies in an index file: shared by builder and reader only. docs/formats/index.md tells it in words.
namespace mustcite::index::format {

inline constexpr snapshot::FileKind kKind{"MCSPARS\n", 1, "sparse index", "mustcite index build"};

/// Rows are cut into blocks whose accumulators (two bytes a row) fit the first-level cache. Inside a block rows are
/// ordered by length, so that neighbours share one normalisation: the place there is the row's slot.
inline constexpr std::uint32_t kBlockRows = 16384;
/// Slots that share one length class.
inline constexpr std::uint32_t kGroupRows = 64;
inline constexpr std::uint32_t kGroups = kBlockRows / kGroupRows;
inline constexpr std::uint32_t kClasses = 32;

/// Terms in fewer rows than this have one list over all blocks.
inline constexpr std::uint32_t kRareBelow = 256;
/// A block in which a term has at least this many rows keeps a code for every row instead of a list.
inline constexpr std::uint32_t kDenseFrom = 512;

/// Bytes of a dense cell: four bits a row.
inline constexpr std::size_t kDenseBytes = kBlockRows / 2;
inline constexpr std::size_t kDenseGroupBytes = kGroupRows / 2;

enum class CellKind : std::uint32_t { sparse = 0, dense = 1 };

/// The postings of one term in one block, in section `cells`: `count` slots of two bytes, then `count` codes; or
/// kDenseBytes of frequencies.
struct Cell {
  std::uint64_t offset = 0;
  std::uint32_t count = 0;
  CellKind kind = CellKind::sparse;
};
static_assert(sizeof(Cell) == 16);

/// Code of a posting in a list: length class and level of the frequency.
inline constexpr std::uint32_t kLevels = 8;
inline constexpr std::uint32_t level_of(std::uint32_t frequency) noexcept {
  if (frequency <= 6) return frequency - 1;
  return frequency <= 8 ? 6 : 7;
}
/// Largest frequency of a level; 0: no limit.
inline constexpr std::uint32_t kLevelTop[kLevels] = {1, 2, 3, 4, 5, 6, 8, 0};
inline constexpr std::uint8_t code_of(std::uint32_t length_class, std::uint32_t frequency) noexcept {
  return static_cast<std::uint8_t>(length_class * kLevels + level_of(frequency));
}

/// Code of a row in a dense cell: 0 absent, 1 to 14 the frequency, 15 more.
inline constexpr std::uint32_t kNibbleTop = 15;

/// Where the code of slot `slot` (inside its group) lies in the group's 32 bytes: chosen so that widening the table
/// look-ups of one vector gives neighbouring slots.
struct NibblePlace {
  std::uint32_t byte = 0;
  std::uint32_t shift = 0;
};
inline constexpr NibblePlace nibble_place(std::uint32_t slot) noexcept {
  const std::uint32_t half = slot / 32;
  const std::uint32_t lane = slot % 32 / 8;
  return {(lane & 1) * 16 + slot % 8 + 8 * half, lane >= 2 ? 4U : 0U};
}

/// Zero bytes after the last row of section `forward`: a decoder may look that far.
inline constexpr std::size_t kForwardPadding = 16;

}  // namespace mustcite::index::format
