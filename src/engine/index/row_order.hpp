#pragma once

#include <cstdint>
#include <vector>

namespace mustcite::index {

/// Where rows stand inside their blocks, and in which length class each group of slots is.
struct RowOrder {
  std::vector<std::uint16_t> order;         ///< row inside the block of every slot; 0xffff: none
  std::vector<std::uint32_t> class_minima;  ///< shortest length of each class, ascending
  std::vector<std::uint8_t> group_classes;  ///< of every group of slots
};

/// Orders the rows of each block by length, then row. Classes are narrow where many rows are: their number per
/// length grows with the root of the rows there, on a logarithmic scale.
[[nodiscard]] RowOrder order_rows(const std::vector<std::uint32_t>& lengths);

}  // namespace mustcite::index
