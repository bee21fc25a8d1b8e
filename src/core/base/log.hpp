#pragma once

#include <fmt/format.h>

#include <string>

namespace mustcite::log {

enum class Level { debug, info, warning, error };

/// Messages below `level` are dropped. Default: info.
void set_level(Level level);
/// Writes one line to stderr.
void write(Level level, const std::string& message);

template <typename... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::debug, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void warning(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::warning, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace mustcite::log
