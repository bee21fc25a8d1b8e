#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/audit/report.hpp"

namespace mustcite::audit {

[[nodiscard]] std::string render_terminal(const Report& report);
[[nodiscard]] std::string render_markdown(const Report& report);
[[nodiscard]] std::string render_html(const Report& report);
[[nodiscard]] std::string render_json(const Report& report);
[[nodiscard]] std::string render_github(const Report& report);

/// Findings under one heading, in the order in which reports show them.
struct FindingGroup {
  std::string heading;
  std::string explanation;
  std::vector<const Finding*> findings;
};
[[nodiscard]] std::vector<FindingGroup> grouped(const Report& report);

/// `Vaswani, Shazeer, Parmar and 5 others. Title. Venue, 2017.`
[[nodiscard]] std::string paper_line(const Paper& paper);
/// `main.tex:12`, or the file alone.
[[nodiscard]] std::string place_text(const SourcePosition& where);
/// One line on the bibliography, one on what the catalog covers.
[[nodiscard]] std::string bibliography_line(const Report& report);
[[nodiscard]] std::string coverage_line(const Report& report);
/// `baseline, 0.83 (type3 0.83, must 0.90)`; empty without probabilities.
[[nodiscard]] std::string probability_text(const Finding& finding);

}  // namespace mustcite::audit
