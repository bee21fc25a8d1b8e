#pragma once

#include <span>

namespace mustcite::dense {

/// Product of two vectors in a fixed order of additions, so that every processor gives the same number:
/// sixteen sums, then theirs.
[[nodiscard]] float fixed_dot(std::span<const float> a, std::span<const float> b) noexcept;

}  // namespace mustcite::dense
