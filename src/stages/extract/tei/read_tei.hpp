#pragma once

#include <string_view>

#include "stages/extract/extract.hpp"

namespace mustcite::extract {

/// Files above this are refused.
inline constexpr std::size_t kMostTeiBytes = std::size_t{64} << 20;

/// A paper from the TEI that GROBID's processFulltextDocument gives. `name` is the file's, for provenance and
/// messages. GROBID's targets are claims, not facts: they are held against the printed label or names, and
/// marks that it left without a target are linked by the text rules. Throws invalid_input when the bytes are
/// no TEI, exhausted when they are more than `kMostTeiBytes`.
[[nodiscard]] Document read_tei(std::string_view xml, std::string_view name, const Options& options);

}  // namespace mustcite::extract
