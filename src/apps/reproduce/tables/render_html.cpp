#include <fmt/format.h>

#include <algorithm>

#include "apps/reproduce/tables/plot.hpp"
#include "apps/reproduce/tables/render.hpp"
#include "core/text/html_escape.hpp"

namespace mustcite::reproduce {
namespace {

using text::escape_html;

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5c6670; --rule: #dfe3e8; --paper: #ffffff; --panel: #f6f7f9;
  --line-0: #1f5fa8; --line-1: #c2410c; --line-2: #15803d; --line-3: #7c3aed; --line-4: #b91c5c; --line-5: #0e7490;
  --line-6: #8a6d00; --line-7: #4b5563; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa4ae; --rule: #343a41; --paper: #15181c; --panel: #1e2227;
  --line-0: #6fb1ff; --line-1: #ff9a5c; --line-2: #5fd38d; --line-3: #bb9bff; --line-4: #ff8fb6; --line-5: #5fd0e6;
  --line-6: #e3c341; --line-7: #b4bcc6; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 2.2rem 1.1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .6rem; }
h2 { font-size: 1.12rem; margin: 2.4rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--rule); }
ul { margin: .4rem 0; padding-left: 1.15rem; color: var(--soft); font-size: .93rem; }
table { border-collapse: collapse; width: 100%; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .45rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; } th:first-child, td.text, table.words th, table.words td { text-align: left; }
thead th { color: var(--soft); border-bottom: 1px solid var(--soft); }
tr.group th, tr.group td { border-top: 2px solid var(--rule); }
table:not(.words) th:first-child { white-space: nowrap; }
td small { display: block; color: var(--soft); font-size: .76rem; } td.best { font-weight: 700; } td.best small { font-weight: 400; }
.up { color: var(--line-2); } .down { color: var(--line-1); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); gap: 1.2rem; margin-top: .8rem; align-items: start; }
figure { margin: 0; background: var(--panel); border: 1px solid var(--rule); border-radius: .5rem; padding: .6rem; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 10.5px; } svg text.name { fill: var(--ink); font-size: 12px; font-weight: 600; }
svg .grid { stroke: var(--rule); } svg .line { fill: none; stroke-width: 1.8; } svg .line:hover { stroke-width: 4; } svg .interval { stroke-width: 1.6; }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; font-size: .88rem; margin: .9rem 0 0; padding: 0; list-style: none; color: var(--ink); }
.legend li { display: flex; align-items: center; gap: .4rem; } svg.swatch { width: 30px; height: 10px; flex: none; }
@media (max-width: 52rem) {
  table, tbody { display: block; } thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
  tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(6.2rem, 1fr)); border-bottom: 1px solid var(--rule); padding: .5rem 0; }
  table.words tr { display: block; } table.wide tr { grid-template-columns: 1fr; }
  th, td { border: 0; padding: .12rem .3rem .12rem 0; text-align: left; } tr.group th, tr.group td { border-top: 0; } tr th:first-child { grid-column: 1 / -1; }
  td::before { content: attr(data-name) " "; color: var(--soft); font-weight: 400; font-size: .78rem; display: block; } td:empty { display: none; }
  table.words td, table.words th { display: block; }
}
@media print { body { max-width: none; padding: 0; } figure { break-inside: avoid; } }
)css";

std::string value_cell(const Grid::Value& value, const std::string& name) {
  const std::string open = fmt::format("<td data-name=\"{}\"", escape_html(name));
  if (!value.there) return open + ">—</td>";
  std::string title;
  if (value.cell.interval)
    title =
        fmt::format(" title=\"[{}, {}]\"", shown(value.cell.interval->low), shown(value.cell.interval->high));
  std::string text =
      fmt::format("{}{}{}>{}", open, value.best ? " class=\"best\"" : "", title, shown(value.cell.mean));
  const std::string arrows = arrow_text(value.cell, "↑", "↓");
  if (!arrows.empty())
    text +=
        fmt::format("<span class=\"{}\">{}</span>", evaluate::arrows(value.cell) > 0 ? "up" : "down", arrows);
  if (value.cell.interval) text += fmt::format("<small>±{}</small>", half_width(*value.cell.interval));
  return text + "</td>";
}

std::string grid_html(const Grid& grid) {
  const bool with_text = !grid.text_header.empty();
  std::string text =
      fmt::format("<table{}>\n<thead><tr><th scope=\"col\">method</th>", with_text ? " class=\"wide\"" : "");
  for (const auto& name : grid.header) text += fmt::format("<th scope=\"col\">{}</th>", escape_html(name));
  if (with_text)
    text += fmt::format("<th scope=\"col\" style=\"text-align:left\">{}</th>", escape_html(grid.text_header));
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& line : grid.lines) {
    text += fmt::format("<tr{}><th scope=\"row\">{}</th>", line.starts_group ? " class=\"group\"" : "",
                        escape_html(line.label));
    for (std::size_t c = 0; c < line.values.size(); ++c) text += value_cell(line.values[c], grid.header[c]);
    if (with_text)
      text += line.text.empty() ? "<td class=\"text\"></td>"
                                : fmt::format("<td class=\"text\" data-name=\"{}\">{}</td>",
                                              escape_html(grid.text_header), escape_html(line.text));
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n";
}

std::string table_html(const TextTable& table) {
  std::string text = "<table class=\"words\">\n<thead><tr>";
  for (const auto& name : table.header) text += fmt::format("<th scope=\"col\">{}</th>", escape_html(name));
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& line : table.lines) {
    text += "<tr>";
    for (std::size_t c = 0; c < line.size(); ++c) {
      text += c == 0 ? fmt::format("<th scope=\"row\">{}</th>", escape_html(line[c]))
                     : fmt::format("<td data-name=\"{}\">{}</td>", escape_html(table.header[c]),
                                   escape_html(line[c]));
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n";
}

std::string list_html(const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = "<ul>\n";
  for (const auto& line : lines) text += "<li>" + escape_html(line) + "</li>\n";
  return text + "</ul>\n";
}

/// The metrics of one family, by rising K: their columns of the curve table.
struct Family {
  std::string name;
  std::vector<std::size_t> columns;
  std::vector<double> cutoffs;
};

std::vector<Family> families(const std::vector<evaluate::Metric>& metrics) {
  std::vector<Family> result;
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    const std::string name = metrics[m].name().substr(0, metrics[m].name().find('@'));
    auto family =
        std::find_if(result.begin(), result.end(), [&](const Family& one) { return one.name == name; });
    if (family == result.end()) family = result.insert(result.end(), Family{name, {}, {}});
    family->columns.push_back(m);
    family->cutoffs.push_back(metrics[m].cutoff);
  }
  return result;
}

/// Measured rows take the styles one after another.
std::size_t style_of(const TableReport& report, std::size_t row) {
  return static_cast<std::size_t>(
      std::count_if(report.rows.begin(), report.rows.begin() + static_cast<std::ptrdiff_t>(row),
                    [](const Row& one) { return one.state == RowState::measured; }));
}

std::string curves_html(const TableReport& report) {
  std::string text;
  for (const auto& tier : report.tiers) {
    if (!tier.problem.empty()) continue;
    for (const auto& family : families(tier.curve.metrics)) {
      std::vector<PlotLine> lines;
      for (std::size_t r = 0; r < tier.rows.size(); ++r) {
        PlotLine line{report.rows[tier.rows[r]].label, style_of(report, tier.rows[r]), {}};
        for (const auto column : family.columns) line.y.push_back(tier.curve.cell(r, column).mean);
        lines.push_back(std::move(line));
      }
      const std::string tier_name =
          tier.label.substr(0, std::min(tier.label.find(':'), tier.label.find(" (")));
      text += "<figure>" + curve_svg(fmt::format("{}@K, {}", family.name, tier_name), family.cutoffs, lines) +
              "</figure>\n";
    }
  }
  return text;
}

std::string by_tier_html(const TableReport& report) {
  std::vector<std::string> series;
  for (const auto& tier : report.tiers) {
    if (tier.problem.empty()) series.push_back(tier.label);
  }
  std::vector<PlotRow> rows;
  for (std::size_t r = 0; r < report.rows.size(); ++r) {
    if (report.rows[r].state != RowState::measured) continue;
    PlotRow row{report.rows[r].label, {}};
    for (const auto& tier : report.tiers) {
      if (!tier.problem.empty()) continue;
      const auto place = std::find(tier.rows.begin(), tier.rows.end(), r);
      if (place == tier.rows.end()) {
        row.dots.emplace_back();
        continue;
      }
      const auto& cell =
          tier.values.cell(static_cast<std::size_t>(place - tier.rows.begin()), report.summary);
      const auto interval = cell.interval.value_or(evaluate::Interval{cell.mean, cell.mean});
      row.dots.emplace_back(PlotDot{cell.mean, interval.low, interval.high});
    }
    rows.push_back(std::move(row));
  }
  if (series.empty() || rows.empty()) return "";
  std::string text = "<figure>" + dots_svg(report.metrics[report.summary].name() + " by tier", series, rows) +
                     "<ul class=\"legend\">";
  for (std::size_t s = 0; s < series.size(); ++s)
    text += fmt::format("<li>{}{}</li>", swatch_svg(kFirstTierStyle + s), escape_html(series[s]));
  return text + "</ul></figure>\n";
}

std::string figures_html(const TableReport& report) {
  const std::string by_tier = by_tier_html(report);
  if (by_tier.empty()) return "";
  std::string text = "<h2>Figures</h2>\n<ul class=\"legend\">";
  for (std::size_t r = 0; r < report.rows.size(); ++r) {
    if (report.rows[r].state == RowState::measured)
      text +=
          fmt::format("<li>{}{}</li>", swatch_svg(style_of(report, r)), escape_html(report.rows[r].label));
  }
  return text + "</ul>\n<div class=\"figures\">\n" + by_tier + curves_html(report) + "</div>\n";
}

}  // namespace

std::string render_html(const TableReport& report, std::span<const Section> parts) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, "
      "initial-scale=1\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n",
      escape_html(report.definition.title), kStyle);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Section& part = parts[p];
    page += fmt::format("<{0}>{1}</{0}>\n", p == 0 ? "h1" : "h2", escape_html(part.title));
    if (part.grid) page += grid_html(*part.grid);
    page += list_html(part.lines);
    if (part.table) page += table_html(*part.table);
    if (p == 0) page += figures_html(report);
  }
  return page + "</body>\n</html>\n";
}

}  // namespace mustcite::reproduce
