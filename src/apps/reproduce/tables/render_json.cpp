#include <nlohmann/json.hpp>

#include "apps/reproduce/tables/render.hpp"

namespace mustcite::reproduce {
namespace {

using Json = nlohmann::ordered_json;

const char* state_name(RowState state) {
  switch (state) {
    case RowState::measured:
      return "measured";
    case RowState::unavailable:
      return "unavailable";
    case RowState::failed:
      return "failed";
  }
  return "";
}

Json cell_json(const evaluate::Cell& cell) {
  Json json;
  json["mean"] = cell.mean;
  if (cell.interval) json["interval"] = {cell.interval->low, cell.interval->high};
  if (cell.test) {
    json["difference"] = cell.test->difference;
    json["p"] = cell.test->p;
    json["p_holm"] = cell.test->corrected;
  }
  return json;
}

Json values_json(const TableReport& report, const TierTable& tier, const evaluate::Table& table) {
  Json all = Json::object();
  for (std::size_t r = 0; r < tier.rows.size(); ++r) {
    Json& row = all[report.rows[tier.rows[r]].name] = Json::object();
    for (std::size_t m = 0; m < table.metrics.size(); ++m)
      row[table.metrics[m].name()] = cell_json(table.cell(r, m));
  }
  return all;
}

Json collection_json(const Collection& here) {
  Json json;
  json["release"] = here.name;
  json["manifest_sha256"] = here.digest;
  json["papers"] = here.papers;
  json["pool_years"] = here.pool_years;
  json["evidence"] = here.evidence;
  json["split"] = here.split;
  json["queries"] = here.queries;
  json["asked"] = here.asked;
  return json;
}

Json row_json(const Row& row) {
  Json json{{"method", row.name}, {"label", row.label}, {"group", row.group}};
  if (!row.published.empty()) json["published_row"] = row.published;
  json["state"] = state_name(row.state);
  if (!row.weights.empty()) json["starts_from"] = row.weights;
  if (row.runs > 1) json["runs"] = row.runs;
  if (!row.problem.empty()) json["problem"] = row.problem;
  for (const auto& need : row.missing) json["make"].push_back(need.make);
  return json;
}

Json tier_json(const TableReport& report, const TierTable& tier) {
  Json json{{"tier", tier.name}, {"label", tier.label}, {"stand_in", tier.is_stand_in}};
  if (!tier.problem.empty()) {
    json["problem"] = tier.problem;
    return json;
  }
  json["queries"] = tier.values.queries.size();
  json["relevant"] = tier.values.relevant;
  if (tier.unlabelled > 0) json["unlabelled_pairs"] = tier.unlabelled;
  if (!tier.unanswered.empty()) json["unanswered"] = tier.unanswered;
  json["values"] = values_json(report, tier, tier.values);
  if (!tier.deviation.empty()) json["deviation_over_seeds"] = tier.deviation;
  if (!tier.curve.metrics.empty()) json["curves"] = values_json(report, tier, tier.curve);
  return json;
}

Json check_json(const PublishedCheck& check) {
  Json json{{"source", check.source}, {"comparable", check.not_comparable.empty()}};
  if (!check.not_comparable.empty()) {
    json["why_not"] = check.not_comparable;
    return json;
  }
  json["compared"] = check.compared.size();
  json["off"] = check.off();
  json["unchecked"] = check.unchecked;
  json["values"] = Json::array();
  for (const auto& one : check.compared) {
    json["values"].push_back({{"method", one.row},
                              {"tier", one.tier},
                              {"metric", one.metric},
                              {"measured", one.measured},
                              {"published", one.published},
                              {"tolerance", one.tolerance},
                              {"within", one.within()}});
  }
  return json;
}

}  // namespace

std::string render_table_json(const TableReport& report, const PublishedCheck* check) {
  Json json{{"table", report.definition.name}, {"title", report.definition.title}};
  json["collection"] = collection_json(report.collection);
  json["baseline"] = report.definition.baseline;
  json["depth"] = report.depth;
  json["resamples"] = report.resamples;
  json["permutations"] = report.tested ? report.permutations : 0;
  json["methods"] = Json::array();
  for (const auto& row : report.rows) json["methods"].push_back(row_json(row));
  json["tiers"] = Json::array();
  for (const auto& tier : report.tiers) json["tiers"].push_back(tier_json(report, tier));
  if (check != nullptr) json["check"] = check_json(*check);
  json["notes"] = report.notes;
  // What a failed command said may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mustcite::reproduce
