#pragma once

#include <filesystem>

#include "apps/reproduce/reproduce.hpp"

namespace mustcite::reproduce {

/// Takes one expected value from the JSON text `json` (that `source` names in messages) and judges it.
[[nodiscard]] Measurement measure(const Expected& expected, const std::string& json,
                                  const std::string& source);

/// `0.52 ± 0.001`, `at least 0.51`, `"bm25"`.
[[nodiscard]] std::string expectation(const Expected& expected);

/// A value as it is printed.
[[nodiscard]] std::string to_text(const Value& value);

}  // namespace mustcite::reproduce
