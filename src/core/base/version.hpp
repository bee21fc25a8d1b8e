#pragma once

namespace mustcite {

/// Version of the program, written into every artefact.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace mustcite
