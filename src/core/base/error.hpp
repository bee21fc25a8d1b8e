#pragma once

#include <fmt/format.h>

#include "mustcite/error.hpp"

namespace mustcite {

/// Throws `Error(code, formatted message)`.
template <typename... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace mustcite
