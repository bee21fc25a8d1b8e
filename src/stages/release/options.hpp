#pragma once

#include "stages/release/release.hpp"

namespace mustcite::release {

/// Throws usage when the pool years are missing, there is no split, or two splits share a year.
void check_options(const Options& options);

}  // namespace mustcite::release
