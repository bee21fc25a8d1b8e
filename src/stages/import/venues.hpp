#pragma once

#include <string>

namespace mustcite::importing {

/// The short lower-case name of a venue that mustcite knows ("Advances in Neural Information Processing
/// Systems 31" → "neurips"); any other name in lower case as it is. Workshops keep their own name: "NeurIPS
/// Workshop on …" is no neurips.
[[nodiscard]] std::string canonical_venue(const std::string& name);

}  // namespace mustcite::importing
