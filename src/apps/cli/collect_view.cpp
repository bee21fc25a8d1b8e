#include "apps/cli/collect_view.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "apps/cli/table.hpp"

namespace mustcite::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kShownProblems = 8;

std::string count_or_dash(std::size_t count) {
  return count == 0 ? "-" : fmt::format("{}", count);
}

json as_json_object(const collect::EditionReport& edition) {
  json problems = json::array();
  for (const collect::Problem& problem : edition.problems) {
    problems.push_back({{"item", problem.item}, {"reason", problem.reason}});
  }
  json object{{"venue", edition.venue},
              {"year", edition.year},
              {"source", edition.source},
              {"status", status_name(edition.status)},
              {"problem", edition.problem},
              {"listed", edition.listed},
              {"main", edition.main},
              {"added", edition.added},
              {"updated", edition.updated},
              {"unchanged", edition.unchanged},
              {"excluded", edition.excluded},
              {"rejected", edition.rejected},
              {"expected_main", edition.expected_main},
              {"expected_all", edition.expected_all},
              {"without_abstract", edition.without_abstract},
              {"short_abstracts", edition.short_abstracts},
              {"shared_abstracts", edition.shared_abstracts},
              {"details_read", edition.details_read},
              {"details_failed", edition.details_failed},
              {"mismatches", edition.mismatches},
              {"planned", edition.planned},
              {"planned_details", edition.planned_details},
              {"problems", std::move(problems)}};
  if (edition.stated) object["stated"] = *edition.stated;
  return object;
}

void print_problems(const collect::EditionReport& edition) {
  // One line a reason: thousands of papers may share one.
  std::map<std::string, std::pair<std::size_t, std::string>> by_reason;
  for (const collect::Problem& problem : edition.problems) {
    auto& [count, first] = by_reason[problem.reason];
    if (count++ == 0) first = problem.item;
  }
  std::size_t shown = 0;
  for (const auto& [reason, seen] : by_reason) {
    if (shown++ == kShownProblems) {
      fmt::print("    … {} more reasons; --json lists all\n", by_reason.size() - kShownProblems);
      break;
    }
    fmt::print("    {} x {} (first: {})\n", seen.first, reason, cut_to(seen.second, 60));
  }
}

void print_edition(const collect::EditionReport& edition) {
  fmt::print("{} {} from {}: {}\n", edition.venue, edition.year, edition.source, status_name(edition.status));
  if (edition.status == collect::Status::planned) {
    for (const std::string& url : edition.planned) fmt::print("  would read {}\n", url);
    if (edition.planned_details > 0)
      fmt::print("  then a page for each paper, about {}\n", edition.planned_details);
    return;
  }
  if (edition.listed > 0) {
    fmt::print("  {} listed = {} added + {} updated + {} unchanged + {} excluded + {} rejected\n",
               edition.listed, edition.added, edition.updated, edition.unchanged, edition.excluded,
               edition.rejected);
    fmt::print("  {} of the main conference, {} of them without abstract\n", edition.main,
               edition.without_abstract);
  }
  if (edition.details_read + edition.details_failed > 0)
    fmt::print("  papers' pages: {} read, {} failed\n", edition.details_read, edition.details_failed);
  if (edition.shared_abstracts > 0)
    fmt::print("  {} texts in place of abstracts dropped: many papers share them\n",
               edition.shared_abstracts);
  if (!edition.problem.empty()) fmt::print("  problem: {}\n", edition.problem);
  for (const std::string& mismatch : edition.mismatches) fmt::print("  count: {}\n", mismatch);
  print_problems(edition);
}

}  // namespace

void print_report(const collect::Report& report, bool as_json) {
  if (as_json) {
    json editions = json::array();
    for (const collect::EditionReport& edition : report.editions) editions.push_back(as_json_object(edition));
    const json fetched{{"requests", report.fetched.requests},
                       {"bytes", report.fetched.bytes},
                       {"retries", report.fetched.retries},
                       {"unchanged", report.fetched.unchanged},
                       {"from_cache", report.fetched.from_cache}};
    fmt::print("{}\n", json{{"editions", std::move(editions)}, {"fetched", fetched}}.dump(
                           2, ' ', false, json::error_handler_t::replace));
    return;
  }
  for (const collect::EditionReport& edition : report.editions) print_edition(edition);
  fmt::print("{} requests ({} tried again, {} unchanged), {} pages from the cache\n", report.fetched.requests,
             report.fetched.retries, report.fetched.unchanged, report.fetched.from_cache);
}

void print_coverage(const collect::Ledger& ledger, bool as_json) {
  std::map<std::pair<std::string, int>, collect::EditionState> states;
  for (collect::EditionState& state : ledger.editions()) states[{state.venue, state.year}] = std::move(state);
  std::map<std::pair<std::string, int>, collect::Coverage> coverage;
  for (const auto& [key, state] : states) coverage[key] = {key.first, key.second};
  for (collect::Coverage& row : ledger.coverage()) coverage[{row.venue, row.year}] = row;
  std::map<std::pair<std::string, int>, std::size_t> expected;
  for (const collect::Edition& edition : collect::editions())
    expected[{edition.venue, edition.year}] = edition.expected_main;
  if (as_json) {
    json rows = json::array();
    for (const auto& [key, row] : coverage) {
      rows.push_back({{"venue", row.venue},
                      {"year", row.year},
                      {"papers", row.papers},
                      {"expected", expected[key]},
                      {"abstracts", row.abstracts},
                      {"pdf_links", row.pdf_links},
                      {"pdfs", row.pdfs},
                      {"excluded", row.excluded},
                      {"status", states[key].status},
                      {"source", states[key].source}});
    }
    fmt::print("{}\n", rows.dump(2));
    return;
  }
  Table table;
  table.add_column("venue");
  for (const char* column :
       {"year", "papers", "expected", "missing", "abstracts", "PDF links", "PDFs", "excluded"})
    table.add_column(column, Table::Align::right);
  table.add_column("status");
  for (const auto& [key, row] : coverage) {
    const std::size_t wanted = expected[key];
    table.add_row({row.venue, std::to_string(row.year), std::to_string(row.papers), count_or_dash(wanted),
                   wanted > row.papers ? std::to_string(wanted - row.papers) : "-",
                   std::to_string(row.abstracts), std::to_string(row.pdf_links), std::to_string(row.pdfs),
                   std::to_string(row.excluded), states[key].status});
  }
  fmt::print("{}", table.render());
}

void print_pdfs(const collect::PdfReport& report) {
  fmt::print("PDFs: {} wanted = {} there + {} downloaded + {} failed\n", report.wanted, report.there,
             report.downloaded, report.failed);
  std::size_t shown = 0;
  for (const collect::Problem& problem : report.problems) {
    if (shown++ == kShownProblems) break;
    fmt::print("    {}: {}\n", problem.item, problem.reason);
  }
}

}  // namespace mustcite::cli
