#pragma once

#include <functional>
#include <optional>

#include "core/base/error.hpp"

namespace mustcite::testing {

/// The code of the Error that `act` throws; nothing when it throws none.
inline std::optional<ErrorCode> code_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

}  // namespace mustcite::testing
