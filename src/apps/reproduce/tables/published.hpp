#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "apps/reproduce/tables/table.hpp"

namespace mustcite::reproduce {

/// The values of a paper's tables, as facts.
struct PublishedTable {
  std::string source;        ///< which tables of which paper
  std::uint64_t papers = 0;  ///< of the pool they were measured on
  std::uint64_t queries = 0;
  std::vector<std::string> metrics;
  std::map<std::string, double> tolerance;  ///< by metric: how far a value may be off
  /// By row, then tier: one value a metric.
  std::map<std::string, std::map<std::string, std::vector<double>>> rows;
};

/// Throws invalid_input for unknown keys, rows without a value for each metric and metrics without tolerance.
[[nodiscard]] PublishedTable load_published(const std::filesystem::path& file);

/// One value against the published one.
struct ComparedValue {
  std::string row;
  std::string tier;
  std::string metric;
  double measured = 0;
  double published = 0;
  double tolerance = 0;
  [[nodiscard]] bool within() const noexcept;
};

/// Every published row and tier is either compared, metric by metric, or stands in `unchecked`.
struct PublishedCheck {
  std::string source;
  /// Why the values say nothing about the published ones; empty: they are of the same pool and queries.
  std::string not_comparable;
  std::vector<ComparedValue> compared;
  /// Published rows and tiers without a measured value, and why.
  std::vector<std::string> unchecked;

  [[nodiscard]] std::size_t off() const noexcept;
  /// Something was compared and everything compared is within its tolerance.
  [[nodiscard]] bool passed() const noexcept;
};

/// Compares when the table is of the pool and queries that the published values are of, and of labels, not
/// stand-ins. Otherwise says why not, and sets nothing side by side.
[[nodiscard]] PublishedCheck check_published(const TableReport& report, const PublishedTable& published);

}  // namespace mustcite::reproduce
