#pragma once

#include <string>
#include <vector>

#include "apps/reproduce/substitution.hpp"
#include "apps/reproduce/tables/table.hpp"

namespace mustcite::reproduce {

/// A run and the row it belongs to; several belong to a row with seeds.
struct MeasuredRun {
  std::string row;
  evaluate::RunFile run;
};

/// Fills the tiers of the report: values of every row, the mean over its seeds query by query, intervals, and
/// tests against the baseline, corrected over the rows and metrics of a tier.
void measure(TableReport& report, std::vector<MeasuredRun> runs, const Words& words,
             const TableOptions& options);

}  // namespace mustcite::reproduce
