#include <algorithm>

#include "apps/reproduce/tables/render.hpp"
#include "core/base/error.hpp"

namespace mustcite::reproduce {
namespace {

/// Text of ours or of a user made safe for LaTeX; the few signs outside ASCII that we print become commands.
std::string escaped(const std::string& text) {
  // clang-format off
  static constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
      {"--", "-{}-"}, {"↑", "$\\uparrow$"}, {"↓", "$\\downarrow$"}, {"±", "$\\pm$"}, {"≥", "$\\ge$"},
      {"…", "\\ldots{}"}, {"—", "---"}, {"–", "--"}, {"\\", "\\textbackslash{}"}, {"{", "\\{"},
      {"}", "\\}"}, {"_", "\\_"}, {"%", "\\%"}, {"&", "\\&"}, {"#", "\\#"}, {"$", "\\$"},
      {"<", "\\textless{}"}, {">", "\\textgreater{}"}, {"~", "\\textasciitilde{}"},
      {"^", "\\textasciicircum{}"}, {"`", "\\textasciigrave{}"}, {"\"", "\\textquotedbl{}"}};
  // clang-format on
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto sign = std::find_if(std::begin(kSigns), std::end(kSigns), [&](const auto& one) {
      return std::string_view(text).substr(at).starts_with(one.first);
    });
    if (sign != std::end(kSigns)) {
      result += sign->second;
      at += sign->first.size();
    } else {
      result += text[at++];
    }
  }
  return result;
}

/// A line as a sentence.
std::string sentence(const std::string& line) {
  return escaped(line) + (line.ends_with('.') ? "" : ".");
}

std::string cell_text(const Grid::Value& value) {
  if (!value.there) return "---";
  std::string text = shown(value.cell.mean);
  if (value.best) text = fmt::format("\\textbf{{{}}}", text);
  const std::string arrows = arrow_text(value.cell, "\\uparrow", "\\downarrow");
  if (!arrows.empty()) text += fmt::format("$^{{{}}}$", arrows);
  return text;
}

/// Half widths stand on a line of their own below the values.
std::string interval_line(const Grid::Line& line, bool with_text) {
  std::string text;
  bool any = false;
  for (const auto& value : line.values) {
    const bool there = value.there && value.cell.interval;
    any = any || there;
    text += there ? fmt::format(" & {{\\tiny $\\pm${}}}", half_width(*value.cell.interval)) : " & ";
  }
  return any ? text + (with_text ? " & " : "") + " \\\\\n" : "";
}

std::string grid_text(const Grid& grid) {
  const bool with_text = !grid.text_header.empty();
  std::string text = fmt::format("\\begin{{tabular}}{{l{}{}}}\n\\toprule\nMethod",
                                 std::string(grid.header.size(), 'r'), with_text ? "l" : "");
  // Headers of tiers are long: they may break.
  for (const auto& name : grid.header) {
    text += name.size() > 14
                ? fmt::format(" & \\multicolumn{{1}}{{p{{2.9cm}}}}{{\\raggedleft {}}}", escaped(name))
                : " & " + escaped(name);
  }
  if (with_text) text += " & " + escaped(grid.text_header);
  text += " \\\\\n\\midrule\n";
  for (const auto& line : grid.lines) {
    if (line.starts_group) text += "\\midrule\n";
    text += escaped(line.label);
    for (const auto& value : line.values) text += " & " + cell_text(value);
    if (with_text) text += " & {\\scriptsize " + escaped(line.text) + "}";
    text += " \\\\\n" + interval_line(line, with_text);
  }
  return text + "\\bottomrule\n\\end{tabular}";
}

std::string table_text(const TextTable& table) {
  std::string text = "{\\scriptsize\n\\begin{tabular}{";
  const double share = 0.92 / static_cast<double>(table.header.size());
  for (std::size_t c = 0; c < table.header.size(); ++c)
    text += fmt::format(">{{\\raggedright\\arraybackslash}}p{{{:.2f}\\linewidth}}", share);
  text += "}\n\\toprule\n";
  for (std::size_t c = 0; c < table.header.size(); ++c)
    text += (c == 0 ? "" : " & ") + escaped(table.header[c]);
  text += " \\\\\n\\midrule\n";
  for (const auto& line : table.lines) {
    for (std::size_t c = 0; c < line.size(); ++c) text += (c == 0 ? "" : " & ") + escaped(line[c]);
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}}\n";
}

}  // namespace

std::string render_latex(std::span<const Section> parts) {
  std::string text =
      "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n"
      "\\usepackage[margin=2cm]{geometry}\n\\usepackage{array}\n\\usepackage{booktabs}\n\\usepackage{"
      "graphicx}\n"
      "\\begin{document}\n";
  for (const auto& part : parts) {
    if (part.grid) {
      text += fmt::format(
          "\n\\begin{{table}}[htbp]\n\\centering\n\\caption{{{}.}}\n\\resizebox{{\\linewidth}}{{!}}{{%\n{}}}"
          "\n",
          escaped(part.title), grid_text(*part.grid));
      for (const auto& line : part.lines) text += fmt::format("\n{{\\scriptsize {}}}\n", sentence(line));
      text += "\\end{table}\n";
      continue;
    }
    text += fmt::format("\n\\subsection*{{{}}}\n", escaped(part.title));
    if (!part.lines.empty()) {
      text += "\\begin{itemize}\n";
      for (const auto& line : part.lines) text += "\\item " + sentence(line) + "\n";
      text += "\\end{itemize}\n";
    }
    if (part.table) text += "\\noindent\n" + table_text(*part.table);
  }
  return text + "\n\\end{document}\n";
}

}  // namespace mustcite::reproduce
