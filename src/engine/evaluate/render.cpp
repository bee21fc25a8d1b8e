#include <algorithm>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/text/padding.hpp"
#include "engine/evaluate/evaluate.hpp"
#include "engine/evaluate/render.hpp"

namespace mustcite::evaluate {
namespace {

/// Tables of one qrels file and one slicing, printed as one.
struct Group {
  std::vector<const Table*> tables;
};

std::vector<Group> groups(const Report& report) {
  std::vector<Group> result;
  for (const auto& table : report.tables) {
    const bool joins = !result.empty() && !table.slicing.empty() &&
                       result.back().tables.front()->slicing == table.slicing &&
                       result.back().tables.front()->qrels == table.qrels;
    if (!joins) result.emplace_back();
    result.back().tables.push_back(&table);
  }
  return result;
}

/// How a format writes a grid of cells.
struct Grid {
  std::string title;
  std::vector<std::string> header;
  std::size_t text_columns = 1;  // left-aligned ones
  struct Row {
    std::vector<std::string> cells;
    std::vector<bool> best;
    bool starts_slice = false;
  };
  std::vector<Row> rows;
};

std::string number(double value, int digits) {
  return fmt::format("{:.{}f}", value, digits);
}

std::string interval_text(const Cell& cell, int digits) {
  return fmt::format("[{}, {}]", number(cell.interval->low, digits), number(cell.interval->high, digits));
}

/// ↑ better, ↓ worse than the baseline, twice where it is surer.
std::string mark(const Cell& cell, const char* better, const char* worse) {
  const int strength = arrows(cell);
  std::string text;
  for (int i = 0; i < std::abs(strength); ++i) text += strength > 0 ? better : worse;
  return text;
}

std::string cell_text(const Cell& cell, const RenderOptions& options) {
  std::string text = number(cell.mean, options.digits);
  if (options.format == Format::latex) {
    const std::string sign = mark(cell, "\\uparrow", "\\downarrow");
    if (!sign.empty()) text += fmt::format("$^{{{}}}$", sign);
    if (options.intervals && cell.interval)
      text += fmt::format(" {{\\scriptsize {}}}", interval_text(cell, options.digits));
    return text;
  }
  text += mark(cell, "↑", "↓");
  if (options.intervals && cell.interval && options.format == Format::markdown) {
    text += fmt::format(" {}", interval_text(cell, options.digits));
  }
  return text;
}

void add_rows(const Report& report, const Table& table, bool sliced, const RenderOptions& options,
              Grid& grid) {
  std::vector<double> best(table.metrics.size());
  for (std::size_t m = 0; m < best.size(); ++m) {
    for (std::size_t r = 0; r < table.runs; ++r) best[m] = std::max(best[m], table.cell(r, m).mean);
  }
  for (std::size_t r = 0; r < table.runs; ++r) {
    Grid::Row row;
    row.starts_slice = r == 0;
    if (sliced) row.cells = {r == 0 ? table.slice : "", r == 0 ? std::to_string(table.queries.size()) : ""};
    row.cells.push_back(report.runs[r]);
    row.best.assign(row.cells.size(), false);
    for (std::size_t m = 0; m < table.metrics.size(); ++m) {
      row.cells.push_back(cell_text(table.cell(r, m), options));
      row.best.push_back(table.runs > 1 && table.cell(r, m).mean == best[m]);
    }
    grid.rows.push_back(std::move(row));
    if (options.format != Format::terminal || !options.intervals || !table.cell(r, 0).interval) continue;
    Grid::Row below;
    below.cells.assign(grid.rows.back().cells.size() - table.metrics.size(), "");
    for (std::size_t m = 0; m < table.metrics.size(); ++m) {
      below.cells.push_back(fmt::format(
          "±{}",
          number((table.cell(r, m).interval->high - table.cell(r, m).interval->low) / 2, options.digits)));
    }
    below.best.assign(below.cells.size(), false);
    grid.rows.push_back(std::move(below));
  }
}

Grid make_grid(const Report& report, const Group& group, const RenderOptions& options) {
  const Table& first = *group.tables.front();
  const bool sliced = !first.slicing.empty();
  Grid grid;
  if (sliced) {
    grid.title = fmt::format("{} by {}", first.qrels, first.slicing);
    grid.header = {first.slicing, "queries"};
  } else {
    grid.title =
        fmt::format("{}: {} queries, {} relevant papers", first.qrels, first.queries.size(), first.relevant);
  }
  grid.header.emplace_back("run");
  grid.text_columns = grid.header.size();
  for (const auto& metric : first.metrics) grid.header.push_back(metric.name());
  for (const Table* table : group.tables) add_rows(report, *table, sliced, options, grid);
  return grid;
}

std::string terminal_grid(const Grid& grid) {
  std::vector<std::size_t> sizes;
  for (const auto& name : grid.header) sizes.push_back(text::count_characters(name));
  for (const auto& row : grid.rows) {
    for (std::size_t c = 0; c < sizes.size(); ++c) sizes[c] = std::max(sizes[c], text::count_characters(row.cells[c]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      text += fmt::format("{}{}", c == 0 ? "" : "  ", text::padded(cells[c], sizes[c], c < grid.text_columns));
    }
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = grid.title + "\n" + line(grid.header);
  for (const auto& row : grid.rows) text += line(row.cells);
  return text;
}

std::string escaped(const std::string& text, Format format) {
  std::string result;
  for (const char c : text) {
    const bool special =
        format == Format::latex ? std::string_view("_%&#$").find(c) != std::string_view::npos : c == '|';
    if (special) result += '\\';
    result += c;
  }
  return result;
}

std::string markdown_grid(const Grid& grid) {
  std::string text = fmt::format("**{}**\n\n|", escaped(grid.title, Format::markdown));
  for (const auto& name : grid.header) text += fmt::format(" {} |", escaped(name, Format::markdown));
  text += "\n|";
  for (std::size_t c = 0; c < grid.header.size(); ++c) text += c < grid.text_columns ? "---|" : "---:|";
  text += "\n";
  for (const auto& row : grid.rows) {
    text += "|";
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const std::string cell = escaped(row.cells[c], Format::markdown);
      text += row.best[c] ? fmt::format(" **{}** |", cell) : fmt::format(" {} |", cell);
    }
    text += "\n";
  }
  return text;
}

std::string latex_grid(const Grid& grid) {
  std::string text = fmt::format("% {}\n\\begin{{tabular}}{{{}{}}}\n\\toprule\n", grid.title,
                                 std::string(grid.text_columns, 'l'),
                                 std::string(grid.header.size() - grid.text_columns, 'r'));
  for (std::size_t c = 0; c < grid.header.size(); ++c) {
    text += fmt::format("{}{}", c == 0 ? "" : " & ", escaped(grid.header[c], Format::latex));
  }
  text += " \\\\\n\\midrule\n";
  for (std::size_t r = 0; r < grid.rows.size(); ++r) {
    const auto& row = grid.rows[r];
    if (r > 0 && row.starts_slice && grid.text_columns > 1) text += "\\midrule\n";
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const std::string cell = c < grid.text_columns ? escaped(row.cells[c], Format::latex) : row.cells[c];
      text +=
          fmt::format("{}{}", c == 0 ? "" : " & ", row.best[c] ? fmt::format("\\textbf{{{}}}", cell) : cell);
    }
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

/// What stands below the tables: how to read marks and intervals, and the notes.
std::string legend(const Report& report, const RenderOptions& options) {
  const std::string lead = options.format == Format::latex      ? "% "
                           : options.format == Format::markdown ? "- "
                                                                : "";
  std::string text;
  if (report.comparison && report.comparison->permutations > 0 && report.runs.size() > 1) {
    text += fmt::format(
        "{}↑ better, ↓ worse than {} at p < 0.05, ↑↑ and ↓↓ at p < 0.01: paired sign-flip test, {} "
        "permutations, Holm over the runs and metrics of a table\n",
        lead, report.runs[report.baseline], report.comparison->permutations);
  }
  if (report.comparison && report.comparison->resamples > 0 && options.intervals) {
    text +=
        fmt::format("{}{} {:g} % bootstrap interval over queries, {} resamples, seed {}\n", lead,
                    options.format == Format::terminal ? "± half the width of the" : "[low, high]: the",
                    report.comparison->level * 100, report.comparison->resamples, report.comparison->seed);
  }
  for (const auto& note : report.notes) text += fmt::format("{}{}\n", lead, note);
  return text;
}

}  // namespace

Format parse_format(std::string_view name) {
  static constexpr std::pair<std::string_view, Format> kNames[] = {
      {"terminal", Format::terminal}, {"table", Format::terminal}, {"markdown", Format::markdown},
      {"md", Format::markdown},       {"latex", Format::latex},    {"tex", Format::latex},
      {"csv", Format::csv},           {"json", Format::json},      {"trec", Format::trec}};
  for (const auto& [known, format] : kNames) {
    if (name == known) return format;
  }
  fail(ErrorCode::usage, "there is no format {}: choose terminal, markdown, latex, csv, json or trec",
       in_quotes(name));
}

std::string render(const Report& report, const RenderOptions& options) {
  switch (options.format) {
    case Format::csv:
      return render_csv(report);
    case Format::json:
      return render_json(report);
    case Format::trec:
      return render_trec(report, options.digits);
    default:
      break;
  }
  std::string text;
  for (const auto& group : groups(report)) {
    const Grid grid = make_grid(report, group, options);
    text += options.format == Format::markdown ? markdown_grid(grid)
            : options.format == Format::latex  ? latex_grid(grid)
                                               : terminal_grid(grid);
    text += "\n";
  }
  return text + legend(report, options);
}

}  // namespace mustcite::evaluate
