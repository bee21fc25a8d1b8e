#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "core/base/progress.hpp"

namespace mustcite::testing {

/// Stops a training when it begins one epoch too many, as a kill would.
class Killer final : public Progress {
 public:
  explicit Killer(int epochs) : left_(epochs) {}
  void begin(std::string_view, std::uint64_t) override {
    if (left_-- == 0) throw std::runtime_error("killed");
  }
  void advance(std::uint64_t) override {}
  void finish() override {}

 private:
  int left_;
};

}  // namespace mustcite::testing
