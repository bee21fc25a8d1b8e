#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "apps/reproduce/tables/measure.hpp"
#include "core/base/error.hpp"
#include "core/io/lines.hpp"

namespace mustcite::reproduce {
namespace {

namespace fs = std::filesystem;
using Asked = std::unordered_set<std::string>;

Asked asked_queries(const fs::path& file) {
  Asked ids;
  io::LineReader lines(file);
  std::string_view line;
  while (lines.next(line)) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object()) ids.insert(json.value("_id", json.value("id", "")));
  }
  return ids;
}

/// Whether a file of judgements has one; a header alone has none.
bool has_judgements(const fs::path& file) {
  if (!fs::is_regular_file(file)) return false;
  io::LineReader lines(file);
  std::string_view line;
  while (lines.next(line)) {
    if (!line.empty() && !line.starts_with("query-id")) return true;
  }
  return false;
}

/// Columns of the rows out of those of their runs: the mean of a row's runs, query by query.
evaluate::Table by_row(const evaluate::Table& runs,
                       const std::vector<std::vector<std::size_t>>& runs_of_row) {
  evaluate::Table table;
  table.qrels = runs.qrels;
  table.relevant = runs.relevant;
  table.metrics = runs.metrics;
  table.queries = runs.queries;
  table.runs = runs_of_row.size();
  const std::size_t width = runs.metrics.size();
  table.values.resize(table.queries.size() * table.runs * width);
  table.cells.resize(table.runs * width);
  for (std::size_t q = 0; q < table.queries.size(); ++q) {
    for (std::size_t r = 0; r < table.runs; ++r) {
      for (std::size_t m = 0; m < width; ++m) {
        double sum = 0;
        for (const auto run : runs_of_row[r]) sum += runs.value(q, run, m);
        const double mean = sum / static_cast<double>(runs_of_row[r].size());
        table.values[(q * table.runs + r) * width + m] = mean;
        table.cells[r * width + m].mean += mean;
      }
    }
  }
  for (auto& cell : table.cells) cell.mean /= static_cast<double>(table.queries.size());
  return table;
}

/// Standard deviation of a row's runs around their mean, metric by metric.
std::vector<double> deviation_of(const evaluate::Table& runs, const std::vector<std::size_t>& of_row) {
  std::vector<double> result;
  for (std::size_t m = 0; m < runs.metrics.size(); ++m) {
    double mean = 0;
    for (const auto run : of_row) mean += runs.cell(run, m).mean / static_cast<double>(of_row.size());
    double squares = 0;
    for (const auto run : of_row) squares += std::pow(runs.cell(run, m).mean - mean, 2);
    result.push_back(std::sqrt(squares / static_cast<double>(of_row.size() - 1)));
  }
  return result;
}

class Measurer {
 public:
  Measurer(TableReport& report, std::vector<MeasuredRun> runs, const Words& words,
           const TableOptions& options)
      : report_(report), words_(words), options_(options), asked_(asked_queries(words.at("queries"))) {
    for (auto& run : runs) {
      row_of_run_[run.run.name] = run.row;
      runs_.push_back(std::move(run.run));
    }
    for (const auto& curve : report.definition.curves) {
      for (const auto& metric : evaluate::parse_metrics(curve)) curve_.push_back(metric);
    }
  }

  void measure_all() {
    for (const auto& definition : report_.definition.tiers) {
      TierTable tier;
      tier.name = definition.name;
      const fs::path qrels = judgements(definition, tier);
      if (!qrels.empty()) measure_tier(qrels, definition, tier);
      if (!definition.optional || tier.problem.empty()) report_.tiers.push_back(std::move(tier));
    }
    for (const auto& tier : report_.tiers) note_unanswered(tier);
  }

 private:
  /// The file to judge by; empty, with the tier's problem, when there is none.
  fs::path judgements(const TierDefinition& definition, TierTable& tier) const {
    const fs::path own = substitute(definition.qrels, words_);
    tier.label = definition.label;
    if (has_judgements(own)) return own;
    if (definition.stand_in.empty()) {
      tier.problem =
          fs::exists(own) ? "no query of the split has such a paper" : "the release has no labels for it";
      return {};
    }
    const fs::path other = substitute(definition.stand_in, words_);
    tier.label = definition.stand_in_label;
    tier.is_stand_in = true;
    if (has_judgements(other)) return other;
    tier.problem = "no query of the split has such a paper";
    return {};
  }

  void measure_tier(const fs::path& file, const TierDefinition& definition, TierTable& tier) {
    evaluate::ReadOptions reading;
    reading.threads = options_.threads;
    evaluate::Qrels qrels = evaluate::read_qrels(file, reading);
    qrels.name = definition.name;
    std::erase_if(qrels.queries, [&](const evaluate::JudgedQuery& query) {
      return !asked_.contains(std::string(query.id));
    });
    if (qrels.queries.empty()) {
      tier.problem = "no query that was asked has such a paper";
      return;
    }
    if (const auto found = report_.collection.unlabelled.find(definition.mask);
        !tier.is_stand_in && found != report_.collection.unlabelled.end())
      tier.unlabelled = found->second;
    const std::size_t answering = answering_first(qrels);
    if (answering == 0) {
      tier.problem = runs_.empty() ? "no method was measured" : "no run answers a query of it";
      return;
    }
    const std::span<const evaluate::RunFile> runs(runs_.data(), answering);
    evaluate::Options options;
    options.metrics = report_.metrics;
    options.threads = options_.threads;
    const auto values = evaluate::evaluate(runs, {&qrels, 1}, options);
    fill_rows(values, tier);
    for (const auto& coverage : values.coverage) {
      if (coverage.missing > 0) tier.unanswered[coverage.run] = coverage.missing;
    }
    tier.values = by_row(values.tables.front(), runs_of_row(values, tier));
    compare(tier);
    if (curve_.empty()) return;
    options.metrics = curve_;
    const auto curve = evaluate::evaluate(runs, {&qrels, 1}, options);
    tier.curve = by_row(curve.tables.front(), runs_of_row(curve, tier));
  }

  /// Runs that answer at least one query stand first, in the order of the table.
  std::size_t answering_first(const evaluate::Qrels& qrels) {
    std::map<std::string, std::size_t> place;
    for (std::size_t r = 0; r < report_.rows.size(); ++r) place[report_.rows[r].name] = r;
    std::sort(runs_.begin(), runs_.end(), [&](const auto& a, const auto& b) {
      const auto row_a = place.at(row_of_run_.at(a.name));
      const auto row_b = place.at(row_of_run_.at(b.name));
      return row_a != row_b ? row_a < row_b : a.name < b.name;
    });
    const auto end = std::stable_partition(runs_.begin(), runs_.end(), [&](const evaluate::RunFile& run) {
      return std::any_of(qrels.queries.begin(), qrels.queries.end(),
                         [&](const auto& query) { return run.find(query.id) != nullptr; });
    });
    return static_cast<std::size_t>(end - runs_.begin());
  }

  void fill_rows(const evaluate::Report& values, TierTable& tier) const {
    for (std::size_t r = 0; r < report_.rows.size(); ++r) {
      const bool there = std::any_of(values.runs.begin(), values.runs.end(), [&](const std::string& run) {
        return row_of_run_.at(run) == report_.rows[r].name;
      });
      if (there) tier.rows.push_back(r);
    }
  }

  std::vector<std::vector<std::size_t>> runs_of_row(const evaluate::Report& values, TierTable& tier) const {
    std::vector<std::vector<std::size_t>> result;
    for (const auto row : tier.rows) {
      auto& of_row = result.emplace_back();
      for (std::size_t r = 0; r < values.runs.size(); ++r) {
        if (row_of_run_.at(values.runs[r]) == report_.rows[row].name) of_row.push_back(r);
      }
      if (of_row.size() > 1 && values.tables.front().metrics == report_.metrics)
        tier.deviation[report_.rows[row].name] = deviation_of(values.tables.front(), of_row);
    }
    return result;
  }

  void compare(TierTable& tier) {
    evaluate::Report one;
    for (const auto row : tier.rows) one.runs.push_back(report_.rows[row].name);
    one.tables.push_back(std::move(tier.values));
    const bool has_baseline =
        std::find(one.runs.begin(), one.runs.end(), report_.definition.baseline) != one.runs.end();
    evaluate::CompareOptions options;
    options.resamples = options_.resamples;
    options.permutations = has_baseline ? options_.permutations : 0;
    options.baseline = has_baseline ? report_.definition.baseline : "";
    options.threads = options_.threads;
    if (options.resamples > 0 || options.permutations > 0) evaluate::compare(one, options);
    report_.tested = report_.tested || options.permutations > 0;
    tier.values = std::move(one.tables.front());
  }

  void note_unanswered(const TierTable& tier) {
    for (const auto& [run, missing] : tier.unanswered) {
      report_.notes.push_back(
          fmt::format("{} leaves {} of {} queries of \"{}\" without an answer; they count as zero", run,
                      missing, tier.values.queries.size(), tier.label));
    }
    if (tier.problem.empty()) {
      for (const auto& run : runs_) {
        const auto row = std::find_if(report_.rows.begin(), report_.rows.end(),
                                      [&](const Row& one) { return one.name == row_of_run_.at(run.name); });
        const auto index = static_cast<std::size_t>(row - report_.rows.begin());
        if (std::find(tier.rows.begin(), tier.rows.end(), index) == tier.rows.end())
          report_.notes.push_back(fmt::format("{} answers no query of \"{}\"", run.name, tier.label));
      }
    }
    if (tier.values.queries.size() == 1)
      report_.notes.push_back(
          fmt::format("\"{}\" has one query: its values say nothing of others", tier.label));
    if (tier.unlabelled > 0) {
      report_.notes.push_back(fmt::format(
          "\"{}\": {} pairs of the split have no label; unknown, not negative", tier.label, tier.unlabelled));
    }
  }

  TableReport& report_;
  const Words& words_;
  const TableOptions& options_;
  Asked asked_;
  std::vector<evaluate::RunFile> runs_;
  std::map<std::string, std::string> row_of_run_;
  std::vector<evaluate::Metric> curve_;
};

}  // namespace

void measure(TableReport& report, std::vector<MeasuredRun> runs, const Words& words,
             const TableOptions& options) {
  Measurer(report, std::move(runs), words, options).measure_all();
}

}  // namespace mustcite::reproduce
