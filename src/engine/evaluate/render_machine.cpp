#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/evaluate/evaluate.hpp"
#include "engine/evaluate/render.hpp"

namespace mustcite::evaluate {
namespace {

using Json = nlohmann::ordered_json;

/// Quoted where RFC 4180 asks for it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

std::string csv_place(const Table& table) {
  return fmt::format("{},{},{}", csv_field(table.qrels), csv_field(table.slicing), csv_field(table.slice));
}

std::string trec_label(const Metric& metric) {
  const std::string name = metric.trec_name();
  return name.empty() ? metric.name() : name;
}

Json cell_json(const Cell& cell) {
  Json json;
  json["mean"] = cell.mean;
  if (cell.interval) {
    json["low"] = cell.interval->low;
    json["high"] = cell.interval->high;
  }
  if (cell.test) {
    json["difference"] = cell.test->difference;
    json["p"] = cell.test->p;
    json["p_corrected"] = cell.test->corrected;
  }
  return json;
}

Json table_json(const Report& report, const Table& table) {
  Json json;
  json["qrels"] = table.qrels;
  if (!table.slicing.empty()) {
    json["slicing"] = table.slicing;
    json["slice"] = table.slice;
  }
  json["queries"] = table.queries.size();
  json["relevant"] = table.relevant;
  Json& runs = json["runs"] = Json::array();
  for (std::size_t r = 0; r < table.runs; ++r) {
    Json run;
    run["run"] = report.runs[r];
    Json& values = run["values"] = Json::object();
    for (std::size_t m = 0; m < table.metrics.size(); ++m)
      values[table.metrics[m].name()] = cell_json(table.cell(r, m));
    runs.push_back(std::move(run));
  }
  return json;
}

Json metrics_json(const Report& report) {
  Json json = Json::array();
  if (report.tables.empty()) return json;
  for (const auto& metric : report.tables.front().metrics) {
    Json entry;
    entry["name"] = metric.name();
    if (const auto trec = metric.trec_name(); !trec.empty()) entry["trec_eval"] = trec;
    entry["meaning"] = metric.meaning(report.map_denominator, report.relevance_level);
    json.push_back(std::move(entry));
  }
  return json;
}

/// Ids come from files: bytes that are no UTF-8 must not stop the output.
std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Calls `line` for each query, run and metric of the tables over all queries.
template <typename Line>
void each_value(const Report& report, const Line& line) {
  for (const auto& table : report.tables) {
    if (!table.slicing.empty()) continue;
    for (std::size_t q = 0; q < table.queries.size(); ++q) {
      for (std::size_t r = 0; r < table.runs; ++r) {
        for (std::size_t m = 0; m < table.metrics.size(); ++m) {
          line(table, table.queries[q], report.runs[r], table.metrics[m], table.value(q, r, m));
        }
      }
    }
  }
}

}  // namespace

std::string render_csv(const Report& report) {
  std::string text = "qrels,slicing,slice,queries,run,metric,mean,low,high,difference,p,p_corrected\n";
  for (const auto& table : report.tables) {
    for (std::size_t r = 0; r < table.runs; ++r) {
      for (std::size_t m = 0; m < table.metrics.size(); ++m) {
        const Cell& cell = table.cell(r, m);
        text += fmt::format("{},{},{},{},{}", csv_place(table), table.queries.size(),
                            csv_field(report.runs[r]), table.metrics[m].name(), cell.mean);
        text += cell.interval ? fmt::format(",{},{}", cell.interval->low, cell.interval->high) : ",,";
        text += cell.test
                    ? fmt::format(",{},{},{}\n", cell.test->difference, cell.test->p, cell.test->corrected)
                    : ",,,\n";
      }
    }
  }
  return text;
}

std::string render_json(const Report& report) {
  Json json;
  json["metrics"] = metrics_json(report);
  json["relevance_level"] = report.relevance_level;
  json["map_denominator"] = report.map_denominator == MapDenominator::relevant ? "relevant" : "capped";
  if (report.comparison) {
    Json& comparison = json["comparison"];
    comparison["baseline"] = report.runs[report.baseline];
    comparison["resamples"] = report.comparison->resamples;
    comparison["level"] = report.comparison->level;
    comparison["permutations"] = report.comparison->permutations;
    comparison["seed"] = report.comparison->seed;
  }
  Json& coverage = json["coverage"] = Json::array();
  for (const auto& entry : report.coverage) {
    coverage.push_back({{"qrels", entry.qrels},
                        {"run", entry.run},
                        {"answered", entry.answered},
                        {"missing", entry.missing},
                        {"unjudged", entry.unjudged}});
  }
  Json& tables = json["tables"] = Json::array();
  for (const auto& table : report.tables) tables.push_back(table_json(report, table));
  json["notes"] = report.notes;
  return dump(json, 2) + "\n";
}

std::string render_trec(const Report& report, int digits) {
  std::string text;
  const bool several = report.runs.size() > 1 || report.tables.size() > 1;
  for (const auto& table : report.tables) {
    for (std::size_t r = 0; r < table.runs; ++r) {
      text += fmt::format("{:<22}\tall\t{}\n", "runid", report.runs[r]);
      if (several) {
        text += fmt::format("{:<22}\tall\t{}\n", "qrels",
                            table.slicing.empty()
                                ? table.qrels
                                : fmt::format("{} {}={}", table.qrels, table.slicing, table.slice));
      }
      text += fmt::format("{:<22}\tall\t{}\n", "num_q", table.queries.size());
      for (std::size_t m = 0; m < table.metrics.size(); ++m) {
        text += fmt::format("{:<22}\tall\t{:.{}f}\n", trec_label(table.metrics[m]), table.cell(r, m).mean,
                            digits);
      }
    }
  }
  return text;
}

std::string render_queries(const Report& report, const RenderOptions& options) {
  std::string text;
  if (options.format == Format::json) {
    each_value(report,
               [&](const auto& table, const auto& query, const auto& run, const auto& metric, double value) {
                 const Json line{{"qrels", table.qrels},
                                 {"query", query},
                                 {"run", run},
                                 {"metric", metric.name()},
                                 {"value", value}};
                 text += dump(line, -1) + "\n";
               });
    return text;
  }
  if (options.format == Format::trec) {
    each_value(report, [&](const auto&, const auto& query, const auto&, const auto& metric, double value) {
      text += fmt::format("{:<22}\t{}\t{:.{}f}\n", trec_label(metric), query, value, options.digits);
    });
    return text;
  }
  text = "qrels,query,run,metric,value\n";
  each_value(report,
             [&](const auto& table, const auto& query, const auto& run, const auto& metric, double value) {
               text += fmt::format("{},{},{},{},{}\n", csv_field(table.qrels), csv_field(query),
                                   csv_field(run), metric.name(), value);
             });
  return text;
}

}  // namespace mustcite::evaluate
