#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mustcite {

/// Where long work reports how far it is. Calls are cheap: a bar draws at most ten times a second.
/// Not thread-safe: report from one thread.
class Progress {
 public:
  virtual ~Progress() = default;
  /// Starts a stage of `total` units (0: unknown).
  virtual void begin(std::string_view stage, std::uint64_t total) = 0;
  virtual void advance(std::uint64_t units) = 0;
  virtual void finish() = 0;
};

/// Says nothing: for libraries and tests.
class SilentProgress final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t) override {}
  void advance(std::uint64_t) override {}
  void finish() override {}
};

/// A bar with rate and time left on stderr; when stderr is no terminal, one line at the end of a stage.
[[nodiscard]] std::unique_ptr<Progress> terminal_progress();

}  // namespace mustcite
