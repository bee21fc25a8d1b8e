#include "apps/reproduce/tables/sections.hpp"

#include <algorithm>
#include <locale>

#include "core/base/error.hpp"

namespace mustcite::reproduce {
namespace {

/// 98404 → 98,404.
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

void mark_best(Grid& grid) {
  for (std::size_t column = 0; column < grid.header.size(); ++column) {
    double best = 0;
    std::size_t there = 0;
    for (const auto& line : grid.lines) {
      if (!line.values[column].there) continue;
      best = std::max(best, line.values[column].cell.mean);
      ++there;
    }
    for (auto& line : grid.lines) {
      auto& value = line.values[column];
      value.best = there > 1 && value.there && value.cell.mean == best;
    }
  }
}

Section subject(const TableReport& report) {
  const Collection& here = report.collection;
  Section section;
  section.title = report.definition.title;
  section.lines.push_back(
      fmt::format("Collection: release {}{} (manifest {}), pool of {} papers of {}, {} citations as evidence",
                  here.name, here.version.empty() ? "" : " " + here.version, here.digest.substr(0, 12),
                  grouped(here.papers), here.pool_years, grouped(here.evidence)));
  std::string queries = here.asked == here.queries
                            ? fmt::format("Queries: {} of the split {}", grouped(here.asked), here.split)
                            : fmt::format("Queries: a sample of {} of the {} of the split {}",
                                          grouped(here.asked), grouped(here.queries), here.split);
  if (!here.query_years.empty()) queries += fmt::format(", papers of {}", here.query_years);
  queries +=
      here.query_venues.empty() ? ", all venues" : fmt::format(", {}", fmt::join(here.query_venues, ", "));
  section.lines.push_back(queries);
  for (const auto& tier : report.tiers) {
    if (tier.is_stand_in)
      section.lines.push_back(
          fmt::format("\"{}\" is a stand-in: the release has no such labels", tier.label));
  }
  section.lines.push_back(fmt::format("Methods: {} measured, {} not available, {} failed; {} papers a query",
                                      report.count(RowState::measured), report.count(RowState::unavailable),
                                      report.count(RowState::failed), report.depth));
  for (const auto& note : report.definition.notes) section.lines.push_back(note);
  return section;
}

Section tier_section(const TableReport& report, const TierTable& tier) {
  Section section;
  section.title = tier.label;
  if (!tier.problem.empty()) {
    section.lines.push_back("No values: " + tier.problem);
    return section;
  }
  section.title +=
      fmt::format(": {} queries, {} relevant papers", tier.values.queries.size(), tier.values.relevant);
  Grid grid;
  for (const auto& metric : report.metrics) grid.header.push_back(short_name(metric.name()));
  std::string group;
  for (std::size_t r = 0; r < tier.rows.size(); ++r) {
    const Row& row = report.rows[tier.rows[r]];
    Grid::Line line{row.label, "", !grid.lines.empty() && row.group != group, {}};
    group = row.group;
    for (std::size_t m = 0; m < report.metrics.size(); ++m)
      line.values.push_back({true, tier.values.cell(r, m), false});
    grid.lines.push_back(std::move(line));
  }
  mark_best(grid);
  section.grid = std::move(grid);
  for (const auto& [name, deviation] : tier.deviation) {
    std::string text = fmt::format("{}: standard deviation over seeds", name);
    for (std::size_t m = 0; m < deviation.size(); ++m)
      text +=
          fmt::format("{} {} {:.4f}", m == 0 ? ":" : ",", short_name(report.metrics[m].name()), deviation[m]);
    section.lines.push_back(text);
  }
  return section;
}

const char* state_text(const Row& row) {
  switch (row.state) {
    case RowState::measured:
      return "";
    case RowState::unavailable:
      return "not available";
    case RowState::failed:
      return "failed";
  }
  return "";
}

Section summary(const TableReport& report) {
  Section section;
  section.title = fmt::format("Summary: {}", report.metrics[report.summary].name());
  Grid grid;
  grid.text_header = "starts from";
  for (const auto& tier : report.tiers) grid.header.push_back(tier.label);
  std::string group;
  for (std::size_t r = 0; r < report.rows.size(); ++r) {
    const Row& row = report.rows[r];
    Grid::Line line{row.label,
                    row.state == RowState::measured ? row.weights : state_text(row),
                    r > 0 && row.group != group,
                    {}};
    if (row.runs > 1) line.text += fmt::format("{}mean of {} seeds", line.text.empty() ? "" : ", ", row.runs);
    group = row.group;
    for (const auto& tier : report.tiers) {
      const auto place = std::find(tier.rows.begin(), tier.rows.end(), r);
      Grid::Value value;
      value.there = place != tier.rows.end();
      if (value.there)
        value.cell = tier.values.cell(static_cast<std::size_t>(place - tier.rows.begin()), report.summary);
      line.values.push_back(value);
    }
    grid.lines.push_back(std::move(line));
  }
  mark_best(grid);
  section.grid = std::move(grid);
  return section;
}

Section not_measured(const TableReport& report) {
  Section section;
  section.title = "Not measured";
  TextTable table;
  table.header = {"method", "why", "what makes it"};
  for (const auto& row : report.rows) {
    if (row.state == RowState::measured) continue;
    std::string make;
    for (const auto& need : row.missing) {
      if (make.find(need.make) == std::string::npos) make += (make.empty() ? "" : "; then ") + need.make;
    }
    table.lines.push_back({row.label, row.problem.empty() ? state_text(row) : row.problem, make});
  }
  if (!table.lines.empty()) section.table = std::move(table);
  return section;
}

Section check_section(const PublishedCheck& check) {
  Section section;
  section.title = "Against the published values";
  if (!check.not_comparable.empty()) {
    section.lines.push_back(
        fmt::format("Not comparable with {}: {}. The published values are not shown beside these.",
                    check.source, check.not_comparable));
    return section;
  }
  section.lines.push_back(fmt::format("{}: {} values compared, {} within their tolerance, {} off",
                                      check.source, check.compared.size(),
                                      check.compared.size() - check.off(), check.off()));
  for (const auto& one : check.unchecked) section.lines.push_back("Not checked: " + one);
  TextTable table;
  table.header = {"method", "tier", "metric", "measured", "published", "tolerance"};
  for (const auto& one : check.compared) {
    if (one.within()) continue;
    table.lines.push_back({one.row, one.tier, one.metric, fmt::format("{:.4f}", one.measured),
                           fmt::format("{:.4f}", one.published), fmt::format("{:g}", one.tolerance)});
  }
  if (!table.lines.empty()) section.table = std::move(table);
  return section;
}

Section how_to_read(const TableReport& report) {
  Section section;
  section.title = "How to read it";
  if (report.tested) {
    section.lines.push_back(
        fmt::format("↑ better, ↓ worse than {} at p < 0.05, ↑↑ and ↓↓ at p < 0.01: paired sign-flip test, {} "
                    "permutations, Holm over "
                    "the methods and metrics of a tier",
                    report.definition.baseline, report.permutations));
  } else if (report.count(RowState::measured) > 1) {
    section.lines.push_back(
        fmt::format("No tests: the baseline {} was not measured", report.definition.baseline));
  }
  if (report.resamples > 0) {
    section.lines.push_back(fmt::format(
        "±: half the width of the 95 % bootstrap interval over queries, {} resamples", report.resamples));
  }
  section.lines.emplace_back(
      "Values of other collections, pools or query sets are not comparable with these");
  for (const auto& row : report.rows) {
    if (!row.note.empty()) section.lines.push_back(fmt::format("{}: {}", row.label, row.note));
  }
  section.lines.insert(section.lines.end(), report.notes.begin(), report.notes.end());
  return section;
}

}  // namespace

std::vector<Section> sections(const TableReport& report, const PublishedCheck* check) {
  std::vector<Section> all{subject(report)};
  for (const auto& tier : report.tiers) all.push_back(tier_section(report, tier));
  all.push_back(summary(report));
  if (Section rest = not_measured(report); rest.table) all.push_back(std::move(rest));
  if (check != nullptr) all.push_back(check_section(*check));
  all.push_back(how_to_read(report));
  return all;
}

std::string short_name(const std::string& metric) {
  if (metric.starts_with("nDCG@")) return "nD@" + metric.substr(5);
  if (metric.starts_with("Recall@")) return "R@" + metric.substr(7);
  if (metric == "R-precision") return "R-prec";
  return metric;
}

}  // namespace mustcite::reproduce
