#include "core/base/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace mustcite {
namespace {

using Clock = std::chrono::steady_clock;

class TerminalProgress final : public Progress {
 public:
  void begin(std::string_view stage, std::uint64_t total) override {
    stage_ = stage;
    total_ = total;
    done_ = 0;
    started_ = drawn_ = Clock::now();
  }

  void advance(std::uint64_t units) override {
    done_ += units;
    if (!is_terminal_) return;
    const auto now = Clock::now();
    if (now - drawn_ < std::chrono::milliseconds(100)) return;
    drawn_ = now;
    draw(now);
  }

  void finish() override {
    const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    if (is_terminal_) std::fputs("\r\x1b[K", stderr);
    fmt::print(stderr, "{}: {} in {:.1f} s\n", stage_, done_, seconds);
  }

 private:
  void draw(Clock::time_point now) const {
    const double seconds = std::chrono::duration<double>(now - started_).count();
    const double rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
    std::string line = fmt::format("\r\x1b[K{}: ", stage_);
    if (total_ > 0) {
      constexpr int kWidth = 24;
      const double share = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
      const int filled = static_cast<int>(share * kWidth);
      line += fmt::format("[{:=<{}}{:<{}}] {:3.0f} %", "", filled, "", kWidth - filled, share * 100);
      if (rate > 0) line += fmt::format(", {:.0f} s left", static_cast<double>(total_ - std::min(done_, total_)) / rate);
    } else {
      line += fmt::format("{}", done_);
    }
    line += fmt::format(", {:.0f}/s", rate);
    std::fputs(line.c_str(), stderr);
  }

  bool is_terminal_ = isatty(STDERR_FILENO) != 0;
  std::string stage_;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
  Clock::time_point started_{};
  Clock::time_point drawn_{};
};

}  // namespace

std::unique_ptr<Progress> terminal_progress() { return std::make_unique<TerminalProgress>(); }

}  // namespace mustcite
