#pragma once

#include <cstdint>

#include "core/schema/paper.hpp"

namespace mustcite::store {

/// 64-bit content digests of records. The sum over a catalog (modulo 2^64) does not depend on the order of
/// writing, and one change costs one subtraction and one addition: that sum is the catalog's revision.
[[nodiscard]] std::uint64_t record_digest(const Paper& paper);
[[nodiscard]] std::uint64_t record_digest(const Citation& citation);
[[nodiscard]] std::uint64_t record_digest(const Label& label);

}  // namespace mustcite::store
