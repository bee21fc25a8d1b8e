#include "stages/release/options.hpp"

#include <charconv>

#include "core/base/error.hpp"

namespace mustcite::release {

void check_options(const Options& options) {
  if (options.pool.first > options.pool.last || options.pool.last == 0) {
    fail(ErrorCode::usage,
         "the pool years of a release are missing or reversed: give --pool-years FIRST-LAST");
  }
  if (options.splits.empty()) {
    fail(ErrorCode::usage, "a release needs query years: give --dev-years, --test-years or --train-years");
  }
  for (auto a = options.splits.begin(); a != options.splits.end(); ++a) {
    for (auto b = std::next(a); b != options.splits.end(); ++b) {
      if (a->second.first <= b->second.last && b->second.first <= a->second.last) {
        fail(ErrorCode::usage, "the splits {} and {} share a year: a query may serve one split only",
             a->first, b->first);
      }
    }
  }
}

Years parse_years(const std::string& text) {
  const auto number = [&](std::string_view part) {
    int value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size() || part.size() != 4) {
      fail(ErrorCode::usage, "'{}' is no year or range of years: write 2022 or 2018-2021", text);
    }
    return value;
  };
  const auto dash = text.find('-');
  Years years;
  years.first = number(std::string_view(text).substr(0, dash));
  years.last = dash == std::string::npos ? years.first : number(std::string_view(text).substr(dash + 1));
  if (years.first > years.last) fail(ErrorCode::usage, "the years {} run backwards", text);
  return years;
}

Options recipe(const std::string& name) {
  if (name != "coreml-v1") fail(ErrorCode::usage, "there is no recipe '{}'; known: coreml-v1", name);
  Options options;
  options.name = name;
  options.version = "v1";
  options.recipe = name;
  options.pool = {2018, 2024};
  options.splits["test"] = {2025, 2025};
  options.query_venues = {"neurips", "icml", "iclr"};
  options.core_venues = options.query_venues;
  options.must_queries_only = true;
  return options;
}

}  // namespace mustcite::release
