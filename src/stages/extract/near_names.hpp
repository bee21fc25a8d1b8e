#pragma once

#include <string>
#include <vector>

#include "stages/extract/document.hpp"

namespace mustcite::extract {

/// The names of a marker whose year an entry has, when no entry's authors agree as read: a second look for
/// slips of the pen and for lists whose authors were not read well.
struct PrintedNames {
  std::vector<std::string> names;  ///< folded, in the order printed; one or two
  bool et_al = false;
};

/// True when the names differ by one letter from the entry's authors ("Green" for "Greene"; names of five
/// letters or more), or stand at the head of its raw string ("Joakim. Nivre and Jens Nilsson").
[[nodiscard]] bool nearly_agree(const PrintedNames& printed, const ReferenceEntry& entry);

}  // namespace mustcite::extract
