#include "core/text/bar_chart.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/html_escape.hpp"

namespace mustcite::text {
namespace {

constexpr double kBarWidth = 34;
constexpr double kGap = 10;
constexpr double kLeft = 32;
constexpr double kTop = 46;
constexpr double kHeight = 180;
constexpr double kBottom = 78;

/// What fits below a bar: a long name is cut, not left to run out of the picture.
std::string fitting(const std::string& label) {
  constexpr std::size_t kMost = 14;
  if (label.size() <= kMost) return label;
  std::size_t end = kMost - 1;
  while (end > 0 && (static_cast<unsigned char>(label[end]) & 0xC0U) == 0x80) --end;
  return label.substr(0, end) + "\xE2\x80\xA6";
}

std::string shown(double value) {
  if (value >= 100000) return fmt::format("{:.0f}k", value / 1000);
  if (value >= 10 || value == static_cast<double>(static_cast<long>(value)))
    return fmt::format("{:.0f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

std::string bar_chart_svg(const std::string& title, const std::vector<Bar>& bars, int marked) {
  constexpr double kTitleLetter = 7.6;
  const double width =
      std::max({320.0, 2 * kLeft + static_cast<double>(bars.size()) * (kBarWidth + kGap) - kGap,
                2 * kLeft + static_cast<double>(title.size()) * kTitleLetter});
  const double height = kTop + kHeight + kBottom;
  double highest = 0;
  for (const auto& bar : bars) highest = std::max(highest, bar.value);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\""
      " font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "fill=\"#fff\"/>\n"
      "<text x=\"{2:.0f}\" y=\"22\" font-size=\"14\" fill=\"#222\">{3}</text>\n",
      width, height, kLeft, escape_html(title));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double x = kLeft + static_cast<double>(i) * (kBarWidth + kGap);
    const double h = highest > 0 ? bars[i].value / highest * kHeight : 0;
    const double y = kTop + kHeight - h;
    if (static_cast<int>(i) == marked) {
      svg += fmt::format(
          "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\" stroke=\"#b33\" "
          "stroke-dasharray=\"4 3\"/>\n",
          x - kGap / 2, kTop - 12, kTop + kHeight);
    }
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{:.1f}\" fill=\"#3b6ea5\"/>\n"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" fill=\"#222\">{}</text>\n"
        "<text transform=\"translate({:.1f},{:.1f}) rotate(-40)\" text-anchor=\"end\" "
        "fill=\"#444\">{}</text>\n",
        x, y, kBarWidth, h, x + kBarWidth / 2, y - 4, shown(bars[i].value), x + kBarWidth / 2 + 4,
        kTop + kHeight + 14, escape_html(fitting(bars[i].label)));
  }
  svg += fmt::format(
      "<line x1=\"{0:.0f}\" x2=\"{1:.1f}\" y1=\"{2:.0f}\" y2=\"{2:.0f}\" stroke=\"#888\"/>\n</svg>\n", kLeft,
      width - kLeft, kTop + kHeight);
  return svg;
}

}  // namespace mustcite::text
