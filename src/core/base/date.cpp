#include "core/base/date.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace mustcite {
namespace {

constexpr std::uint32_t kUnknownLatest = 99999999;

std::optional<int> digits(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int days_in(int year, int month) {
  constexpr std::array<int, 12> kDays{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

}  // namespace

std::uint32_t Date::latest() const noexcept {
  if (!known()) return kUnknownLatest;
  const int m = month == 0 ? 99 : month;
  const int d = month == 0 || day == 0 ? 99 : day;
  return static_cast<std::uint32_t>(year * 10000 + m * 100 + d);
}

std::uint32_t Date::earliest() const noexcept {
  return static_cast<std::uint32_t>(year * 10000 + month * 100 + (month == 0 ? 0 : day));
}

std::optional<Date> parse_date(std::string_view text) {
  if (text.size() != 4 && text.size() != 7 && text.size() != 10) return std::nullopt;
  Date date;
  const auto year = digits(text.substr(0, 4));
  if (!year || *year < 1000) return std::nullopt;
  date.year = *year;
  if (text.size() >= 7) {
    const auto month = digits(text.substr(5, 2));
    if (text[4] != '-' || !month || *month < 1 || *month > 12) return std::nullopt;
    date.month = *month;
  }
  if (text.size() == 10) {
    const auto day = digits(text.substr(8, 2));
    if (text[7] != '-' || !day || *day < 1 || *day > days_in(date.year, date.month)) return std::nullopt;
    date.day = *day;
  }
  return date;
}

std::string format_date(const Date& date) {
  if (!date.known()) return {};
  if (date.month == 0) return fmt::format("{:04}", date.year);
  if (date.day == 0) return fmt::format("{:04}-{:02}", date.year, date.month);
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

bool strictly_older(const Date& paper, const Date& cutoff) noexcept {
  return paper.latest() < cutoff.earliest();
}

}  // namespace mustcite
