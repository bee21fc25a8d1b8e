#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mustcite::net {

/// What a site's robots.txt says to one program (RFC 9309: the group of its name, else of `*`; the longest
/// matching rule decides, and of equal ones the permission; `*` and a final `$` are understood).
class Robots {
 public:
  /// No rules: everything is allowed.
  Robots() = default;
  /// At most the first 500 KiB are read. `agent` is the product name, e.g. "mustcite".
  Robots(std::string_view text, std::string_view agent);

  /// Whether a path (with its query) may be fetched. /robots.txt always may.
  [[nodiscard]] bool allows(std::string_view target) const;
  /// The pause that the site asks for between two requests, if any.
  [[nodiscard]] std::optional<std::chrono::milliseconds> crawl_delay() const noexcept { return delay_; }

 private:
  struct Rule {
    std::string pattern;
    bool allow = false;
  };
  std::vector<Rule> rules_;
  std::optional<std::chrono::milliseconds> delay_;
};

}  // namespace mustcite::net
