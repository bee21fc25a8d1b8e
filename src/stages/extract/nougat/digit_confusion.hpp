#pragma once

#include <string>
#include <vector>

#include "stages/extract/document.hpp"

namespace mustcite::extract::nougat {

/// A bracket in which letters stand for digits: "[l0, 33]".
struct Confused {
  Span span;  ///< brackets included
  std::string printed;
  std::string mended;  ///< empty: more than one reading, or none in the list
};

/// Finds such brackets in `text` and puts those right, byte for byte, that have one reading: every number is
/// in the list of `entries`, none comes twice, and at least one item mixes letters and digits (a letter
/// alone, as in "[0, l]", is a variable, unless every other item has two digits).
[[nodiscard]] std::vector<Confused> mend_digits(std::string& text,
                                                const std::vector<ReferenceEntry>& entries);

}  // namespace mustcite::extract::nougat
