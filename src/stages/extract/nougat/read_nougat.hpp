#pragma once

#include <string_view>

#include "stages/extract/extract.hpp"

namespace mustcite::extract {

/// Files above this are refused.
inline constexpr std::size_t kMostNougatBytes = std::size_t{32} << 20;

/// A paper from Nougat's markup (.mmd). What the output alone shows of Nougat's failure modes stands among
/// the problems: letters for digits (mended where only one reading fits), tags against numbers, invented
/// marks, a lost list, lost pages, repetition. With the native reader's document of the same PDF at hand,
/// renumbered entries and missing sections are found as well; `native` may be null. Throws exhausted when the
/// file is too large.
[[nodiscard]] Document read_nougat(std::string_view markup, std::string_view name, const Document* native,
                                   const Options& options);

}  // namespace mustcite::extract
