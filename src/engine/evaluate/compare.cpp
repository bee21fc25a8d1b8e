#include <algorithm>

#include "core/base/config.hpp"
#include "core/base/error.hpp"
#include "engine/evaluate/evaluate.hpp"

namespace mustcite::evaluate {
namespace {

std::size_t find_baseline(const Report& report, const std::string& name) {
  if (name.empty()) return 0;
  const auto found = std::find(report.runs.begin(), report.runs.end(), name);
  if (found != report.runs.end()) return static_cast<std::size_t>(found - report.runs.begin());
  std::string known;
  for (const auto& run : report.runs) known += (known.empty() ? "" : ", ") + run;
  const auto nearest = nearest_name(name, report.runs);
  fail(ErrorCode::usage, "the baseline {} is none of the runs{}: choose one of {}", in_quotes(name),
       nearest ? fmt::format(" (did you mean {}?)", *nearest) : "", known);
}

/// A table keeps its random numbers whatever stands beside it.
std::uint64_t table_seed(const Table& table, std::uint64_t seed) {
  std::uint64_t hash = 0xCBF29CE484222325ull ^ seed;
  for (const auto* part : {&table.qrels, &table.slicing, &table.slice}) {
    for (const char c : *part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
    hash = (hash ^ 0x1F) * 0x100000001B3ull;
  }
  return hash;
}

void add_intervals(Table& table, const CompareOptions& options, std::uint64_t seed) {
  const auto intervals = bootstrap({table.values, table.queries.size(), table.cells.size()},
                                   options.resamples, options.level, seed, options.threads);
  for (std::size_t c = 0; c < table.cells.size(); ++c) table.cells[c].interval = intervals[c];
}

void add_tests(Table& table, std::size_t baseline, const CompareOptions& options, std::uint64_t seed) {
  const std::size_t width = table.metrics.size();
  std::vector<std::size_t> others;
  for (std::size_t r = 0; r < table.runs; ++r) {
    if (r != baseline) others.push_back(r);
  }
  std::vector<double> differences;
  differences.reserve(table.queries.size() * others.size() * width);
  for (std::size_t q = 0; q < table.queries.size(); ++q) {
    for (const auto r : others) {
      for (std::size_t m = 0; m < width; ++m)
        differences.push_back(table.value(q, r, m) - table.value(q, baseline, m));
    }
  }
  const auto p_values = sign_flip_test({differences, table.queries.size(), others.size() * width},
                                       options.permutations, seed, options.threads);
  const auto corrected = holm(p_values);
  for (std::size_t i = 0; i < others.size(); ++i) {
    for (std::size_t m = 0; m < width; ++m) {
      Cell& cell = table.cells[others[i] * width + m];
      cell.test =
          Test{cell.mean - table.cell(baseline, m).mean, p_values[i * width + m], corrected[i * width + m]};
    }
  }
}

}  // namespace

int arrows(const Cell& cell) noexcept {
  if (!cell.test || cell.test->corrected >= 0.05) return 0;
  const int strength = cell.test->corrected < 0.01 ? 2 : 1;
  return cell.test->difference > 0 ? strength : -strength;
}

void compare(Report& report, const CompareOptions& options) {
  if (!(options.level > 0 && options.level < 1)) {
    fail(ErrorCode::usage, "the confidence level {} is not between 0 and 1: write 0.95, say", options.level);
  }
  report.baseline = find_baseline(report, options.baseline);
  report.comparison = options;
  for (auto& table : report.tables) {
    const std::uint64_t seed = table_seed(table, options.seed);
    if (options.resamples > 0) add_intervals(table, options, seed);
    if (options.permutations > 0 && table.runs > 1) add_tests(table, report.baseline, options, seed + 1);
  }
}

}  // namespace mustcite::evaluate
