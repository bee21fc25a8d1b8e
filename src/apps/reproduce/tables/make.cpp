#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/reproduce/tables/measure.hpp"
#include "apps/reproduce/tables/run_store.hpp"
#include "apps/reproduce/tables/table.hpp"
#include "apps/reproduce/toml_reader.hpp"
#include "core/base/config.hpp"
#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace mustcite::reproduce {
namespace {

namespace fs = std::filesystem;

/// A row of the definition with `each` resolved.
struct Wanted {
  const MethodDefinition* method = nullptr;
  std::string name;
};

/// The rows, those with `each` unfolded into one for every folder that no other row names.
std::vector<Wanted> unfold(const TableDefinition& definition, const RunStore& store) {
  std::set<std::string> taken;
  for (const auto& method : definition.methods) taken.insert(method.name);
  std::vector<Wanted> wanted;
  for (const auto& method : definition.methods) {
    if (method.each.empty()) {
      wanted.push_back({&method, method.name});
      continue;
    }
    const fs::path folder = substitute(method.each, store.words("", std::nullopt));
    std::set<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      const std::string name = entry.path().filename().string();
      if (entry.is_directory() && !name.starts_with('.') && name.find(".build") == std::string::npos)
        names.insert(name);
    }
    for (const auto& name : names) {
      if (taken.insert(name).second) wanted.push_back({&method, name});
    }
  }
  return wanted;
}

std::vector<Wanted> chosen(std::vector<Wanted> all, const std::vector<std::string>& only) {
  if (only.empty()) return all;
  std::vector<std::string> names;
  for (const auto& one : all) names.push_back(one.name);
  for (const auto& name : only) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const auto nearest = nearest_name(name, names);
    fail(ErrorCode::usage, "the table has no method '{}'{}; it has: {}", name,
         nearest ? fmt::format(", did you mean '{}'?", *nearest) : "", fmt::join(names, ", "));
  }
  std::erase_if(
      all, [&](const Wanted& one) { return std::find(only.begin(), only.end(), one.name) == only.end(); });
  return all;
}

std::string toml_value(const fs::path& file, const std::string& key) {
  const auto table = TomlReader(file, "file").parse();
  return table.at_path(key).value_or(std::string{});
}

std::string json_value(const fs::path& file, std::string key) {
  const auto json = nlohmann::json::parse(io::read_file(file), nullptr, false);
  std::replace(key.begin(), key.end(), '.', '/');
  const nlohmann::json::json_pointer pointer("/" + key);
  if (!json.is_object() || !json.contains(pointer) || !json[pointer].is_string()) return "";
  return json[pointer].get<std::string>();
}

/// The weights that a text names; empty when the file that says it is not there.
std::string weights_of(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return text;
  const fs::path file = text.substr(0, colon);
  const std::string key = text.substr(colon + 1);
  if (!fs::is_regular_file(file)) return "";
  std::string value = file.extension() == ".toml" ? toml_value(file, key) : json_value(file, key);
  // A model is often given by its folder: its name is what a reader can use.
  if (value.starts_with('/')) value = fs::path(value).filename().string();
  return value;
}

std::vector<WantedRun> runs_of(const Wanted& wanted) {
  if (wanted.method->seeds.empty()) return {{wanted.name, wanted.method, wanted.name, std::nullopt}};
  std::vector<WantedRun> runs;
  for (const auto seed : wanted.method->seeds)
    runs.push_back({fmt::format("{}-seed{}", wanted.name, seed), wanted.method, wanted.name, seed});
  return runs;
}

Row row_of(const Wanted& wanted, const RunStore& store) {
  Row row;
  row.name = wanted.name;
  row.label = substitute(wanted.method->label, store.words(wanted.name, std::nullopt));
  row.group = wanted.method->group;
  row.published = wanted.method->published;
  row.note = wanted.method->note;
  row.seeds = wanted.method->seeds.size();
  for (const auto& one : wanted.method->weights) {
    if (row.weights.empty())
      row.weights = weights_of(substitute(one, store.words(wanted.name, std::nullopt)));
  }
  return row;
}

/// Makes the runs of a row and reads them.
void make_row(const Wanted& wanted, RunStore& store, Row& row, MadeRuns& made,
              std::vector<MeasuredRun>& measured, const TableOptions& options) {
  for (const auto& run : runs_of(wanted)) {
    const RunOutcome outcome = store.obtain(run);
    if (!outcome.missing.empty()) {
      row.missing.insert(row.missing.end(), outcome.missing.begin(), outcome.missing.end());
      continue;
    }
    if (!outcome.problem.empty()) {
      row.problem = outcome.problem;
      continue;
    }
    outcome.reused ? ++made.reused : ++made.made;
    try {
      evaluate::ReadOptions reading;
      reading.threads = options.threads;
      measured.push_back({row.name, evaluate::read_run(outcome.file, reading)});
      measured.back().run.name = run.name;
      ++row.runs;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) throw;
      row.problem = error.what();
    }
  }
  row.state = row.runs > 0          ? RowState::measured
              : row.problem.empty() ? RowState::unavailable
                                    : RowState::failed;
}

/// What a reader must know of a row that is measured from a part of its runs.
void note_partial(const Row& row, TableReport& report) {
  if (row.state != RowState::measured || row.runs == std::max<std::size_t>(row.seeds, 1)) return;
  report.notes.push_back(
      fmt::format("{}: {} of {} seeds; {}", row.label, row.runs, row.seeds,
                  !row.problem.empty() ? row.problem : "the others wait for " + row.missing.front().make));
}

}  // namespace

std::size_t TableReport::count(RowState state) const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const Row& row) { return row.state == state; }));
}

TableReport make_table(const TableDefinition& definition, const TableOptions& options, MadeRuns& made,
                       Progress& progress) {
  TableReport report;
  report.definition = definition;
  report.collection = read_collection(options.release, options.split);
  report.metrics = evaluate::parse_metrics(definition.metrics);
  report.summary = static_cast<std::size_t>(
      std::find(report.metrics.begin(), report.metrics.end(), evaluate::parse_metric(definition.summary)) -
      report.metrics.begin());
  report.resamples = options.resamples;
  report.permutations = options.permutations;
  report.depth = options.depth;
  RunStore store(definition, options, report.collection);
  const auto wanted = chosen(unfold(definition, store), options.only);
  std::vector<MeasuredRun> measured;
  progress.begin(definition.name, wanted.size());
  for (const auto& one : wanted) {
    stop_if_interrupted();
    report.rows.push_back(row_of(one, store));
    make_row(one, store, report.rows.back(), made, measured, options);
    note_partial(report.rows.back(), report);
    progress.advance(1);
  }
  progress.finish();
  measure(report, std::move(measured), store.words("", std::nullopt), options);
  return report;
}

}  // namespace mustcite::reproduce
