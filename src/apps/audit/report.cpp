#include "apps/audit/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "apps/audit/render.hpp"
#include "core/base/error.hpp"

namespace mustcite::audit {
namespace {

constexpr std::array<std::pair<FindingKind, const char*>, 12> kKinds{{{FindingKind::missing, "missing"},
                                                                      {FindingKind::consider, "consider"},
                                                                      {FindingKind::undefined, "undefined"},
                                                                      {FindingKind::identifier, "identifier"},
                                                                      {FindingKind::disagrees, "disagrees"},
                                                                      {FindingKind::preprint, "preprint"},
                                                                      {FindingKind::duplicate, "duplicate"},
                                                                      {FindingKind::key_case, "key_case"},
                                                                      {FindingKind::unresolved, "unresolved"},
                                                                      {FindingKind::ambiguous, "ambiguous"},
                                                                      {FindingKind::unmentioned, "unmentioned"},
                                                                      {FindingKind::problem, "problem"}}};

}  // namespace

const char* finding_name(FindingKind kind) noexcept {
  for (const auto& [value, name] : kKinds) {
    if (value == kind) return name;
  }
  return "problem";
}

FindingKind parse_finding(std::string_view name) {
  std::string known;
  for (const auto& [value, text] : kKinds) {
    if (name == text) return value;
    known += known.empty() ? "" : ", ";
    known += text;
  }
  fail(ErrorCode::usage, "there is no kind of finding \"{}\"; the kinds are {}", name.substr(0, 60), known);
}

const char* severity_name(Severity severity) noexcept {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      break;
  }
  return "note";
}

std::size_t Report::count(FindingKind kind) const noexcept {
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.kind == kind; }));
}

std::vector<Gate> parse_gates(std::string_view text) {
  std::vector<Gate> gates;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::size_t colon = std::min(part.find(':'), part.size());
    Gate gate;
    gate.kind = parse_finding(part.substr(0, colon));
    if (colon < part.size()) {
      const std::string_view number = part.substr(colon + 1);
      const bool digits = !number.empty() && number.size() <= 6 && std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (!digits || number == "0") {
        fail(ErrorCode::usage, "the gate \"{}\" needs a number of at least 1 behind the colon, as in missing:3", part.substr(0, 60));
      }
      gate.limit = static_cast<std::size_t>(std::stoul(std::string(number)));
    }
    gates.push_back(gate);
  }
  if (gates.empty()) fail(ErrorCode::usage, "a gate names a kind of finding and a number, as in missing:3");
  return gates;
}

std::vector<std::string> failed_gates(const Report& report, const std::vector<Gate>& gates) {
  std::vector<std::string> failed;
  for (const Gate& gate : gates) {
    const std::size_t found = report.count(gate.kind);
    if (found < gate.limit) continue;
    failed.push_back(fmt::format("{} findings of kind {}: the gate allows at most {}", found, finding_name(gate.kind), gate.limit - 1));
  }
  return failed;
}

ReportFormat parse_report_format(std::string_view name) {
  if (name == "terminal" || name == "text") return ReportFormat::terminal;
  if (name == "markdown" || name == "md") return ReportFormat::markdown;
  if (name == "html") return ReportFormat::html;
  if (name == "json") return ReportFormat::json;
  if (name == "github") return ReportFormat::github;
  fail(ErrorCode::usage, "there is no report format \"{}\"; the formats are terminal, markdown, html, json, github", name.substr(0, 60));
}

std::string render(const Report& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::markdown:
      return render_markdown(report);
    case ReportFormat::html:
      return render_html(report);
    case ReportFormat::json:
      return render_json(report);
    case ReportFormat::github:
      return render_github(report);
    case ReportFormat::terminal:
      break;
  }
  return render_terminal(report);
}

}  // namespace mustcite::audit
