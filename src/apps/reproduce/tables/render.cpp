#include "apps/reproduce/tables/render.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/text/padding.hpp"

namespace mustcite::reproduce {
namespace {

using Lines = std::vector<std::vector<std::string>>;

/// Columns as wide as their widest text; the first `left` of them are aligned left, and what follows the
/// `numbers` after them.
std::string columns(const Lines& lines, std::size_t left, std::size_t numbers = 0) {
  std::vector<std::size_t> sizes;
  for (const auto& line : lines) {
    sizes.resize(std::max(sizes.size(), line.size()));
    for (std::size_t c = 0; c < line.size(); ++c) sizes[c] = std::max(sizes[c], text::count_characters(line[c]));
  }
  std::string text;
  for (const auto& line : lines) {
    std::string one;
    for (std::size_t c = 0; c < line.size(); ++c)
      one +=
          fmt::format("{}{}", c == 0 ? "" : "  ", text::padded(line[c], sizes[c], c < left || c >= left + numbers));
    text += one.substr(0, one.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::vector<std::string> header_of(const Grid& grid) {
  std::vector<std::string> header{"method"};
  header.insert(header.end(), grid.header.begin(), grid.header.end());
  if (!grid.text_header.empty()) header.push_back(grid.text_header);
  return header;
}

/// Long names of columns (tiers) become letters, explained above the grid.
std::string key_of_columns(Grid& grid) {
  std::string key;
  for (std::size_t c = 0; c < grid.header.size(); ++c) {
    if (text::count_characters(grid.header[c]) <= 12) continue;
    const std::string letter(1, static_cast<char>('A' + c));
    key += fmt::format("{}: {}\n", letter, grid.header[c]);
    grid.header[c] = letter;
  }
  return key;
}

std::string terminal_grid(Grid grid) {
  std::string text = key_of_columns(grid);
  Lines lines{header_of(grid)};
  for (const auto& line : grid.lines) {
    std::vector<std::string> values{line.label};
    std::vector<std::string> below{""};
    bool any = false;
    for (const auto& value : line.values) {
      values.push_back(
          value.there ? shown(value.cell.mean) + text::padded(arrow_text(value.cell, "↑", "↓"), 2, true) : "—  ");
      any = any || (value.there && value.cell.interval);
      below.push_back(value.there && value.cell.interval ? "±" + half_width(*value.cell.interval) + "  "
                                                         : "");
    }
    if (!grid.text_header.empty()) values.push_back(line.text);
    lines.push_back(std::move(values));
    if (any) lines.push_back(std::move(below));
  }
  for (std::size_t c = 1; c <= grid.header.size(); ++c) lines.front()[c] += "  ";
  return text + columns(lines, 1, grid.header.size());
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '<') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const auto& cell : cells) text += " " + cell + " |";
  return text + "\n";
}

std::string markdown_grid(const Grid& grid) {
  auto header = header_of(grid);
  for (auto& name : header) name = escaped(name);
  std::string text = markdown_line(header) + "|---|";
  for (std::size_t c = 0; c < grid.header.size(); ++c) text += "---:|";
  text += grid.text_header.empty() ? "\n" : "---|\n";
  for (const auto& line : grid.lines) {
    std::vector<std::string> cells{escaped(line.label)};
    for (const auto& value : line.values) {
      if (!value.there) {
        cells.emplace_back("—");
        continue;
      }
      std::string mean = shown(value.cell.mean);
      if (value.best) mean = "**" + mean + "**";
      mean += arrow_text(value.cell, "↑", "↓");
      if (value.cell.interval) mean += " ±" + half_width(*value.cell.interval);
      cells.push_back(mean);
    }
    if (!grid.text_header.empty()) cells.push_back(escaped(line.text));
    text += markdown_line(cells);
  }
  return text;
}

std::string markdown_table(const TextTable& table) {
  std::string text = markdown_line(table.header) + "|";
  for (std::size_t c = 0; c < table.header.size(); ++c) text += "---|";
  text += "\n";
  for (auto line : table.lines) {
    for (auto& cell : line) cell = escaped(cell);
    text += markdown_line(line);
  }
  return text;
}

}  // namespace

std::string shown(double value) {
  return fmt::format("{:.4f}", value);
}

std::string half_width(const evaluate::Interval& interval) {
  return shown((interval.high - interval.low) / 2);
}

std::string arrow_text(const evaluate::Cell& cell, const char* better, const char* worse) {
  const int strength = evaluate::arrows(cell);
  std::string text;
  for (int i = 0; i < std::abs(strength); ++i) text += strength > 0 ? better : worse;
  return text;
}

std::string render_terminal(std::span<const Section> parts) {
  std::string text;
  for (const auto& part : parts) {
    text += (text.empty() ? "" : "\n") + part.title + "\n";
    if (part.grid) text += terminal_grid(*part.grid);
    for (const auto& line : part.lines) text += "  " + line + "\n";
    if (!part.table) continue;
    Lines lines{part.table->header};
    lines.insert(lines.end(), part.table->lines.begin(), part.table->lines.end());
    text += columns(lines, part.table->header.size());
  }
  return text;
}

std::string render_markdown(std::span<const Section> parts) {
  std::string text;
  for (const auto& part : parts) {
    text += text.empty() ? "# " : "\n## ";
    text += escaped(part.title) + "\n\n";
    if (part.grid) text += markdown_grid(*part.grid) + (part.lines.empty() ? "" : "\n");
    for (const auto& line : part.lines) text += "- " + escaped(line) + "\n";
    if (part.table) text += (part.lines.empty() ? "" : "\n") + markdown_table(*part.table);
  }
  return text;
}

std::string render_table(const TableReport& report, const PublishedCheck* check, TableFormat format) {
  if (format == TableFormat::json) return render_table_json(report, check);
  const auto parts = sections(report, check);
  switch (format) {
    case TableFormat::markdown:
      return render_markdown(parts);
    case TableFormat::latex:
      return render_latex(parts);
    case TableFormat::html:
      return render_html(report, parts);
    default:
      return render_terminal(parts);
  }
}

TableFormat parse_table_format(const std::string& name) {
  static constexpr std::pair<std::string_view, TableFormat> kNames[] = {
      {"terminal", TableFormat::terminal}, {"table", TableFormat::terminal},
      {"markdown", TableFormat::markdown}, {"md", TableFormat::markdown},
      {"latex", TableFormat::latex},       {"tex", TableFormat::latex},
      {"html", TableFormat::html},         {"json", TableFormat::json}};
  for (const auto& [known, format] : kNames) {
    if (name == known) return format;
  }
  fail(ErrorCode::usage, "there is no format '{}': choose terminal, markdown, latex, html or json", name);
}

const char* file_ending(TableFormat format) {
  switch (format) {
    case TableFormat::terminal:
      return ".txt";
    case TableFormat::markdown:
      return ".md";
    case TableFormat::latex:
      return ".tex";
    case TableFormat::html:
      return ".html";
    case TableFormat::json:
      return ".json";
  }
  return "";
}

}  // namespace mustcite::reproduce
