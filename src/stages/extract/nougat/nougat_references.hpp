#pragma once

#include <span>
#include <string>
#include <vector>

#include "stages/extract/nougat/markup.hpp"

namespace mustcite::extract::nougat {

/// The list of a file, and what of it was lost or put right.
struct List {
  std::vector<ReferenceEntry> entries;
  ReferenceStyle style = ReferenceStyle::unknown;
  /// Numbers that the list skips ("30" between 29 and 31).
  std::vector<int> missing_labels;
  /// Labels with letters for digits that were put right ("l0" to "10").
  std::size_t mended_labels = 0;
  /// Labels that were left out of the print and follow from their neighbours.
  std::size_t inferred_labels = 0;
  /// Share of the entries that begin with an alpha tag.
  double tag_share = 0;
};

/// Where the list stands among the blocks: [begin, end). `begin == end`: there is none.
struct Extent {
  std::size_t heading = 0;  ///< index of its heading; the same as `begin` when it has none
  std::size_t begin = 0;
  std::size_t end = 0;
};
/// The list under the last heading that names one, else the longest run of labelled items.
[[nodiscard]] Extent find_list(std::span<const Block> blocks);

/// The entries of these blocks. Entries that Nougat glued together are parted; labels that it lost are
/// inferred where only one number fits.
[[nodiscard]] List read_list(std::span<const Block> blocks);

/// "[DKS17]", "[KPR+17]": a tag of letters and a two-digit year, without its brackets.
[[nodiscard]] bool is_tag(std::string_view label);

/// A number printed with letters for digits ("l0", "3O"); 0 when it cannot be one. `mended`: letters were
/// there.
[[nodiscard]] int number_of(std::string_view printed, bool& mended);

}  // namespace mustcite::extract::nougat
