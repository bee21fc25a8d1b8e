#include "core/base/log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace mustcite::log {
namespace {

spdlog::logger& logger() {
  static const auto instance = [] {
    auto created = spdlog::stderr_color_mt("mustcite");
    created->set_pattern("%^%l%$: %v");
    return created;
  }();
  return *instance;
}

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      break;
  }
  return spdlog::level::err;
}

}  // namespace

void set_level(Level level) { logger().set_level(to_spdlog(level)); }

void write(Level level, const std::string& message) { logger().log(to_spdlog(level), message); }

}  // namespace mustcite::log
