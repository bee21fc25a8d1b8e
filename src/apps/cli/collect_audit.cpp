#include "apps/cli/collect_audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "apps/cli/collect_options.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/store/catalog.hpp"
#include "stages/collect/aggregator.hpp"
#include "stages/collect/collect.hpp"

namespace mustcite::cli {
namespace {

using collect::AggregatorReport;
using collect::Match;
using nlohmann::json;

constexpr std::array kKinds{Match::matched,     Match::duplicate,  Match::proceedings, Match::workshop,
                            Match::other_track, Match::other_year, Match::spurious};

struct Flags {
  std::vector<std::string> what;
  std::string years;
  std::string file;
  std::string name;
  int lag_from = 9999;
  bool json = false;
};

json as_json(const AggregatorReport& report) {
  json object{{"venue", report.venue},
              {"year", report.year},
              {"official", report.official},
              {"listed", report.listed},
              {"missing", report.missing}};
  for (const Match kind : kKinds) object["counts"][match_name(kind)] = report.count(kind);
  for (const collect::Judged& one : report.judged) {
    object["entries"].push_back({{"id", one.entry.id},
                                 {"title", one.entry.title},
                                 {"kind", match_name(one.match)},
                                 {"official_id", one.official_id},
                                 {"evidence", one.evidence}});
  }
  return object;
}

/// The counts of each kind, then every entry that is no match.
void print_one(const AggregatorReport& report) {
  fmt::print("{} {}: {} official = {} matched + {} missing; {} listed =", report.venue, report.year,
             report.official, report.count(Match::matched), report.missing.size(), report.listed);
  for (const Match kind : kKinds)
    fmt::print("{}{} {}", kind == Match::matched ? " " : " + ", report.count(kind), match_name(kind));
  fmt::print("\n");
  Table table;
  for (const char* column : {"kind", "listed", "official", "evidence"}) table.add_column(column);
  for (const collect::Judged& one : report.judged) {
    if (one.match == Match::matched) continue;
    table.add_row({match_name(one.match), cut_to(one.entry.title, 60), one.official_id, one.evidence});
  }
  for (const std::string& id : report.missing) table.add_row({"missing", "", id, "no entry means it"});
  fmt::print("{}", table.render());
}

std::string worst(int year, char sign, std::size_t count) {
  return year == 0 ? "-" : fmt::format("{} ({}{})", year, sign, count);
}

/// A line a year, then a line a venue.
void print_many(const std::vector<AggregatorReport>& reports, int lag_from) {
  Table years;
  years.add_column("venue");
  for (const char* column : {"year", "official", "missing", "listed"})
    years.add_column(column, Table::Align::right);
  for (const Match kind : kKinds) years.add_column(match_name(kind), Table::Align::right);
  for (const AggregatorReport& report : reports) {
    std::vector<std::string> cells{report.venue, std::to_string(report.year), std::to_string(report.official),
                                   std::to_string(report.missing.size()), std::to_string(report.listed)};
    for (const Match kind : kKinds) cells.push_back(std::to_string(report.count(kind)));
    years.add_row(std::move(cells));
  }
  Table venues;
  for (const char* column : {"venue", "years tested"}) venues.add_column(column);
  for (const char* column :
       {"total spurious", "total missing", "worst year (spurious)", "worst year (missing)"})
    venues.add_column(column, Table::Align::right);
  std::size_t spurious = 0;
  std::size_t missing = 0;
  for (const collect::Discrepancy& row : collect::discrepancies(reports, lag_from)) {
    spurious += row.spurious;
    missing += row.missing;
    venues.add_row({row.venue, fmt::format("{}-{}", row.first_year, row.last_year),
                    std::to_string(row.spurious), std::to_string(row.missing),
                    worst(row.worst_spurious_year, '+', row.worst_spurious),
                    worst(row.worst_missing_year, '-', row.worst_missing)});
  }
  venues.add_row({"total", "", std::to_string(spurious), std::to_string(missing), "", ""});
  fmt::print("{}\n{}", years.render(), venues.render());
}

json as_json(const collect::Discrepancy& row) {
  return {{"venue", row.venue},
          {"first_year", row.first_year},
          {"last_year", row.last_year},
          {"spurious", row.spurious},
          {"missing", row.missing},
          {"worst_spurious_year", row.worst_spurious_year},
          {"worst_spurious", row.worst_spurious},
          {"worst_missing_year", row.worst_missing_year},
          {"worst_missing", row.worst_missing}};
}

void print(const std::vector<AggregatorReport>& reports, const Flags& flags) {
  if (flags.json) {
    json answer;
    for (const AggregatorReport& report : reports) answer["editions"].push_back(as_json(report));
    for (const collect::Discrepancy& row : collect::discrepancies(reports, flags.lag_from))
      answer["venues"].push_back(as_json(row));
    fmt::print("{}\n", answer.dump(2, ' ', false, json::error_handler_t::replace));
  } else if (reports.size() == 1) {
    print_one(reports.front());
  } else {
    print_many(reports, flags.lag_from);
  }
}

/// What Semantic Scholar calls a venue.
std::string name_of(const std::string& venue, const Flags& flags) {
  if (!flags.name.empty()) return flags.name;
  for (const collect::VenueName& known : collect::venues()) {
    if (known.name == venue) return known.aggregator_name;
  }
  return venue;
}

int run(Context& context, const Flags& flags) {
  const std::vector<collect::Edition> editions = editions_named(flags.what, flags.years);
  const auto other = [&](const collect::Edition& one) { return one.venue != editions.front().venue; };
  if ((!flags.file.empty() || !flags.name.empty()) && std::any_of(editions.begin(), editions.end(), other))
    fail(ErrorCode::usage, "--list and --name are for one venue; name it, e.g. `icml 2013-2024`");
  const store::Workspace workspace = context.workspace();
  const collect::Ledger ledger(workspace.folder() / "collect.sqlite");
  const store::Catalog catalog(workspace.catalog(), store::Catalog::Mode::read_only);
  std::vector<collect::Listed> list;
  if (!flags.file.empty()) list = collect::read_aggregator_file(flags.file);
  net::FetchOptions fetch = fetch_options(context, {}, workspace);
  fetch.allowed_hosts.insert("api.semanticscholar.org");
  net::Fetcher fetcher(std::move(fetch));
  std::vector<AggregatorReport> reports;
  std::string problem;
  for (const collect::Edition& edition : editions) {
    try {
      // Asked for before the other list is fetched: nothing is compared with nothing.
      collect::require_collected(ledger, edition.venue, edition.year);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found) throw;
      problem = error.what();
      if (editions.size() > 1)
        fmt::print(stderr, "note: {} {} is left out: it was not collected\n", edition.venue, edition.year);
      continue;
    }
    const std::string name = name_of(edition.venue, flags);
    reports.push_back(collect::audit_aggregator(
        ledger, catalog, edition.venue, edition.year,
        flags.file.empty() ? collect::ask_semantic_scholar(fetcher, name, edition.year) : list));
  }
  if (reports.empty()) fail(ErrorCode::not_found, "{}", problem);
  print(reports, flags);
  return 0;
}

}  // namespace

void add_collect_audit(CLI::App& verb, Context& context, Action& action) {
  auto flags = std::make_shared<Flags>();
  auto* audit = verb.add_subcommand("audit-aggregator",
                                    "Compare another's list of venues and years with the official one");
  audit->add_option("what", flags->what, "Venues and years: icml 2019; icml neurips 2013-2024")->required();
  audit->add_option("--years", flags->years, "Years, e.g. 2019-2021");
  audit->add_option("--list", flags->file,
                    "The list: JSON lines, or an answer of Semantic Scholar (default: ask its API)");
  audit->add_option("--name", flags->name, "The venue's name for the API (default: known ones)");
  audit->add_option("--lag-from", flags->lag_from,
                    "Look for the worst year before this one: an index lags behind the newest");
  audit->add_flag("--json", flags->json, "The answer as JSON");
  audit->callback(
      [&context, &action, flags] { action = [&context, flags] { return run(context, *flags); }; });
}

}  // namespace mustcite::cli
