#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "core/pdf/content.hpp"

namespace mustcite::pdf_worker {

/// The file cannot be read; the message says why.
class Refused : public std::runtime_error {
 public:
  Refused(pdf::Refusal refusal, const std::string& message)
      : std::runtime_error(message), refusal_(refusal) {}
  [[nodiscard]] pdf::Refusal refusal() const noexcept { return refusal_; }

 private:
  pdf::Refusal refusal_;
};

/// Reads words, links, destinations and outline of a PDF held in memory. `file` must outlive the call. Throws
/// Refused.
[[nodiscard]] pdf::Content read_content(std::string_view file, const pdf::Limits& limits);

/// Loads what Poppler would load at the first file, so that the sandbox need not allow it.
void warm_up();

}  // namespace mustcite::pdf_worker
