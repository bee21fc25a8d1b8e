#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/audit/render.hpp"

namespace mustcite::audit {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Paper& paper) {
  Json json;
  json["id"] = paper.id.str();
  json["title"] = paper.title;
  json["authors"] = paper.authors;
  json["venue"] = paper.venue;
  if (paper.date.year != 0) json["year"] = paper.date.year;
  if (!paper.url.empty()) json["url"] = paper.url;
  if (!paper.doi.empty()) json["doi"] = paper.doi;
  if (!paper.arxiv_id.empty()) json["arxiv_id"] = paper.arxiv_id;
  return json;
}

Json to_json(const Finding& finding) {
  Json json;
  json["kind"] = finding_name(finding.kind);
  json["severity"] = severity_name(finding.severity);
  json["subject"] = finding.subject;
  if (!finding.field.empty()) json["field"] = finding.field;
  json["file"] = finding.where.file;
  if (finding.where.line != 0) json["line"] = finding.where.line;
  if (finding.where.page != 0) json["page"] = finding.where.page;
  json["message"] = finding.message;
  if (!finding.reasons.empty()) json["reasons"] = finding.reasons;
  if (!finding.paper.id.empty()) json["paper"] = to_json(finding.paper);
  if (finding.kind == FindingKind::missing) json["tier"] = tier_name(finding.tier);
  for (const auto& [tier, value] : finding.probability) json["probability"][tier_name(tier)] = value;
  if (!finding.role.empty()) json["role"] = finding.role;
  if (!finding.evidence.empty()) json["evidence"] = finding.evidence;
  if (!finding.bibtex.empty()) json["bibtex"] = finding.bibtex;
  if (!finding.ignored_because.empty()) json["ignored_because"] = finding.ignored_because;
  return json;
}

/// GitHub's escapes for workflow commands: in the message %, CR and LF; in properties : and , as well.
std::string workflow_text(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string render_json(const Report& report) {
  Json json;
  json["title"] = report.title;
  json["main_file"] = report.main_file;
  json["files"] = report.files;
  json["sections"] = report.sections;
  json["mentions"] = report.mentions;
  json["bibliography"] = {{"entries", report.entries},     {"mentioned", report.cited_entries},    {"linked", report.linked},
                          {"ambiguous", report.ambiguous}, {"unresolved", report.unresolved}};
  json["ranked"] = report.ranked;
  json["coverage"] = {{"papers", report.coverage.papers}, {"first_year", report.coverage.first_year}, {"last_year", report.coverage.last_year},
                      {"venues", report.coverage.venues}};
  json["findings"] = Json::array();
  for (const Finding& finding : report.findings) json["findings"].push_back(to_json(finding));
  json["ignored"] = Json::array();
  for (const Finding& finding : report.ignored) json["ignored"].push_back(to_json(finding));
  json["ignore_notes"] = report.ignore_notes;
  // Malformed bytes of a draft become U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string render_github(const Report& report) {
  std::string out;
  for (const Finding& finding : report.findings) {
    const bool ranked = finding.kind == FindingKind::missing || finding.kind == FindingKind::consider;
    const char* command = finding.severity == Severity::note ? "notice" : severity_name(finding.severity);
    std::string message = ranked ? paper_line(finding.paper) : finding.message;
    // Workflow commands know lines, no pages.
    if (finding.where.page != 0) message = fmt::format("page {}: {}", finding.where.page, message);
    for (const auto& reason : finding.reasons) message += "\n" + reason;
    out += fmt::format("::{} file={}{},title={}::{}\n", command, workflow_text(finding.where.file, true),
                       finding.where.line != 0 ? fmt::format(",line={}", finding.where.line) : "",
                       workflow_text(fmt::format("mustcite {}", finding_name(finding.kind)), true), workflow_text(message, false));
  }
  return out;
}

}  // namespace mustcite::audit
