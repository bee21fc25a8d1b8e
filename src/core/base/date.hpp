#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mustcite {

/// A date of which the day, or day and month, may be unknown (0). Year 0: nothing is known.
struct Date {
  int year = 0;
  int month = 0;
  int day = 0;

  [[nodiscard]] bool known() const noexcept { return year != 0; }
  /// yyyymmdd with unknown parts as late as they can be: the day by which the paper surely existed.
  /// An unknown year sorts after every known one.
  [[nodiscard]] std::uint32_t latest() const noexcept;
  /// yyyymmdd with unknown parts as early as they can be.
  [[nodiscard]] std::uint32_t earliest() const noexcept;
  bool operator==(const Date&) const = default;
};

/// Parses `2024`, `2024-05` or `2024-05-15`; nothing for anything else or for impossible dates.
[[nodiscard]] std::optional<Date> parse_date(std::string_view text);

/// `2024`, `2024-05` or `2024-05-15`; empty when unknown.
[[nodiscard]] std::string format_date(const Date& date);

/// True when `paper` is surely older than the first moment of `cutoff`. A paper of the cutoff's own year
/// counts only when its dates prove it.
[[nodiscard]] bool strictly_older(const Date& paper, const Date& cutoff) noexcept;

}  // namespace mustcite
