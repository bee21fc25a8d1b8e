#pragma once

#include <cstdint>
#include <span>

namespace mustcite::dense {

/// IEEE half precision, rounded to the nearest (ties to even); beyond its range infinite.
[[nodiscard]] std::uint16_t to_half(float value) noexcept;
[[nodiscard]] float from_half(std::uint16_t half) noexcept;

/// Widens a row; uses the processor's conversion where it has one, which gives the same numbers.
void widen(std::span<const std::uint16_t> halves, std::span<float> out) noexcept;

}  // namespace mustcite::dense
