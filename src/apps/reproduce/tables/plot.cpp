#include "apps/reproduce/tables/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text/html_escape.hpp"

namespace mustcite::reproduce {
namespace {

using text::escape_html;

constexpr std::size_t kColours = 8;
constexpr const char* kDashes[] = {"", "6 3", "2 2", "8 3 2 3"};

std::string stroke(std::size_t style) {
  const char* dashes = kDashes[style / kColours % std::size(kDashes)];
  return fmt::format("style=\"stroke:var(--line-{})\"{}", style % kColours,
                     *dashes == '\0' ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes));
}

/// The end of an axis that holds `value`, and the step of its marks: at most six.
std::pair<double, double> axis(double value) {
  const double steps[] = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2};
  for (const double step : steps) {
    const double end = step * std::ceil(std::max(value, 1e-9) / step - 1e-9);
    if (end / step <= 6.01) return {end, step};
  }
  return {1, 0.2};
}

std::string mark(double value) {
  return fmt::format("{:g}", std::round(value * 1e6) / 1e6);
}

std::string head(double width, double height, const std::string& title) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-label=\"{2}\">\n<text class=\"name\" x=\"4\" "
      "y=\"14\">{2}</text>\n",
      width, height, escape_html(title));
}

// One panel of lines.
constexpr double kWidth = 360;
constexpr double kHeight = 250;
constexpr double kLeft = 38;
constexpr double kRight = 342;
constexpr double kTop = 28;
constexpr double kBottom = 216;

/// Names of tiers are long; what does not fit is in the page's text.
std::string fitting(const std::string& label, std::size_t most) {
  if (label.size() <= most) return label;
  std::size_t end = most - 1;
  while (end > 0 && (static_cast<unsigned char>(label[end]) & 0xC0U) == 0x80) --end;
  return label.substr(0, end) + "…";
}

}  // namespace

std::string curve_svg(const std::string& title, const std::vector<double>& x,
                      const std::vector<PlotLine>& lines) {
  double highest = 0;
  for (const auto& line : lines) highest = std::max(highest, *std::max_element(line.y.begin(), line.y.end()));
  const auto [end, step] = axis(highest);
  const double first = std::log10(x.front());
  const double span = std::max(std::log10(x.back()) - first, 1e-9);
  const auto place_x = [&](double value) {
    return kLeft + (std::log10(value) - first) / span * (kRight - kLeft);
  };
  const auto place_y = [&, end = end](double value) { return kBottom - value / end * (kBottom - kTop); };
  std::string svg = head(kWidth, kHeight, title);
  for (double value = 0; value <= end * 1.0001; value += step) {
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
        kLeft, kRight, place_y(value), kLeft - 5, place_y(value) + 3.5, mark(value));
  }
  for (const double k : x) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\" text-anchor=\"middle\">{:.0f}</text>\n", place_x(k),
                       kBottom + 15, k);
  }
  svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">K</text>\n",
                     (kLeft + kRight) / 2, kBottom + 30);
  for (const auto& line : lines) {
    std::string points;
    std::string values = line.label + ":";
    for (std::size_t i = 0; i < x.size(); ++i) {
      points += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", place_x(x[i]), place_y(line.y[i]));
      values += fmt::format(" {:.0f}: {:.3f}", x[i], line.y[i]);
    }
    svg += fmt::format("<polyline class=\"line\" points=\"{}\" {}><title>{}</title></polyline>\n", points,
                       stroke(line.style), escape_html(values));
  }
  return svg + "</svg>\n";
}

std::string dots_svg(const std::string& title, const std::vector<std::string>& series,
                     const std::vector<PlotRow>& rows) {
  constexpr double kRowHeight = 13;
  constexpr double kGap = 8;
  constexpr double kNames = 104;
  double highest = 0;
  for (const auto& row : rows) {
    for (const auto& dot : row.dots) highest = dot ? std::max(highest, dot->high) : highest;
  }
  const auto [end, step] = axis(highest);
  const double row_height = kRowHeight * static_cast<double>(series.size()) + kGap;
  const double bottom = kTop + row_height * static_cast<double>(rows.size());
  const auto place = [&, end = end](double value) { return kNames + value / end * (kRight - kNames); };
  std::string svg = head(kWidth, bottom + 24, title);
  for (double value = 0; value <= end * 1.0001; value += step) {
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
        place(value), kTop - 4, bottom, bottom + 14, mark(value));
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double top = kTop + row_height * static_cast<double>(r);
    svg += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kNames - 7,
                       top + row_height / 2, escape_html(fitting(rows[r].label, 18)));
    for (std::size_t s = 0; s < rows[r].dots.size(); ++s) {
      const auto& dot = rows[r].dots[s];
      if (!dot) continue;
      const double y = top + kRowHeight * (static_cast<double>(s) + 0.5);
      svg += fmt::format(
          "<g><title>{0}, {1}: {2:.4f} [{3:.4f}, {4:.4f}]</title><line class=\"interval\" x1=\"{5:.1f}\" "
          "x2=\"{6:.1f}\" y1=\"{7:.1f}\" y2=\"{7:.1f}\" {8}/><circle cx=\"{9:.1f}\" cy=\"{7:.1f}\" r=\"3.6\" "
          "style=\"fill:var(--line-{10})\"/></g>\n",
          escape_html(rows[r].label), escape_html(series[s]), dot->value, dot->low, dot->high,
          place(dot->low), place(dot->high), y, stroke(kFirstTierStyle + s), place(dot->value),
          (kFirstTierStyle + s) % kColours);
    }
  }
  return svg + "</svg>\n";
}

std::string swatch_svg(std::size_t style) {
  return fmt::format(
      "<svg class=\"swatch\" viewBox=\"0 0 30 10\" aria-hidden=\"true\"><line class=\"line\" x1=\"1\" "
      "x2=\"29\" "
      "y1=\"5\" y2=\"5\" {}/></svg>",
      stroke(style));
}

}  // namespace mustcite::reproduce
