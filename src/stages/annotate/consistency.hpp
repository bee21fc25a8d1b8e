#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/store/catalog.hpp"

namespace mustcite::annotate {

/// A label that a rule finds odd; worth a look, not proven wrong.
struct Oddity {
  std::string rule;
  PaperId citing;
  PaperId cited;
  std::string detail;
};
struct CheckReport {
  std::uint64_t pairs = 0;  ///< labelled citations that were looked at
  std::map<std::string, std::uint64_t> by_rule;
  std::vector<Oddity> oddities;
};
/// Rules that need no model: a Type I citation that stands only in introduction or related work; a Type I
/// work that is rated 1 or 2 by Type II; a Type II of 4 or more on a single mention among four or more works;
/// a Type II of 1 or 2 on a work mentioned five times or more.
[[nodiscard]] CheckReport check_labels(const store::Catalog& catalog, const std::string& set);

}  // namespace mustcite::annotate
