#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/reproduce/substitution.hpp"
#include "apps/reproduce/tables/collection.hpp"
#include "apps/reproduce/tables/definition.hpp"
#include "core/base/progress.hpp"
#include "engine/evaluate/evaluate.hpp"

/// How do all methods of a paper's table do on this collection? Each row's run is made by this program
/// itself, once; the same inputs give the same table to the byte.
namespace mustcite::reproduce {

struct TableOptions {
  /// The program that makes the runs; empty: the running one.
  std::filesystem::path program;
  /// Words before each step's own: the workspace, threads, settings.
  std::vector<std::string> globals;
  /// Settings that change runs, `name=value`: part of what a run is known by.
  std::vector<std::string> settings;
  /// What {index}, {models}, {ranker}, {plugin} and {data} stand for.
  Words places;
  std::filesystem::path release;
  std::string split;              ///< empty: `test` where there is one, else `dev`
  std::filesystem::path work;     ///< runs and what they were made from
  std::vector<std::string> only;  ///< these rows alone; empty: all
  std::size_t sample = 0;         ///< so many of the queries, drawn by their ids; 0: all
  std::size_t depth = 1000;       ///< papers a query
  bool renew = false;             ///< a work folder of another release is emptied instead of refused
  double timeout_s = 6 * 3600.0;  ///< for the steps of one run
  std::size_t threads = 0;
  std::size_t resamples = 1000;
  std::size_t permutations = 10000;
};

/// What became of a row.
enum class RowState {
  measured,
  unavailable,  ///< something it needs is not there: `missing` says what makes it
  failed        ///< its command failed: `problem` says how
};

struct Row {
  std::string name;
  std::string label;
  std::string group;
  std::string published;
  std::string weights;
  std::string note;
  RowState state = RowState::unavailable;
  std::vector<Requirement> missing;
  std::string problem;
  /// Runs behind the values; more than one: the mean over seeds.
  std::size_t runs = 0;
  std::size_t seeds = 0;  ///< asked for; 0: none
};

/// The values of one tier. Cells of `values` belong to `rows`, in this order.
struct TierTable {
  std::string name;
  std::string label;  ///< the tier's, or the stand-in's
  bool is_stand_in = false;
  std::string problem;  ///< why there are no values; empty: there are
  std::uint64_t unlabelled = 0;
  std::vector<std::size_t> rows;  ///< indexes of TableReport::rows
  evaluate::Table values;
  evaluate::Table curve;  ///< the metrics of the figures, without tests
  /// Judged queries that a run did not answer, by row name; they count as zero.
  std::map<std::string, std::size_t> unanswered;
  /// Standard deviation over seeds, by row name and metric.
  std::map<std::string, std::vector<double>> deviation;
};

struct TableReport {
  TableDefinition definition;
  Collection collection;
  std::vector<evaluate::Metric> metrics;
  std::size_t summary = 0;  ///< index of the summary's metric
  std::vector<Row> rows;
  std::vector<TierTable> tiers;
  std::vector<std::string> notes;
  std::size_t resamples = 0;
  std::size_t permutations = 0;
  std::size_t depth = 0;
  bool tested = false;  ///< the baseline was measured, so the others are tested against it

  [[nodiscard]] std::size_t count(RowState state) const;
};

/// Which runs were made and which were there already.
struct MadeRuns {
  std::size_t made = 0;
  std::size_t reused = 0;
};

/// Makes what is missing and measures. A row that lacks something or fails is a row that says so.
/// Throws when release, index or work folder cannot be used, usage for unknown rows, `interrupted` when the
/// user stops it: the next call goes on with the next run.
[[nodiscard]] TableReport make_table(const TableDefinition& definition, const TableOptions& options,
                                     MadeRuns& made, Progress& progress);

enum class TableFormat { terminal, markdown, latex, html, json };

/// `terminal`, `markdown` (`md`), `latex` (`tex`), `html`, `json`. Throws usage for others.
[[nodiscard]] TableFormat parse_table_format(const std::string& name);
[[nodiscard]] const char* file_ending(TableFormat format);

}  // namespace mustcite::reproduce
