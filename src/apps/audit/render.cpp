#include "apps/audit/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/text/normalise.hpp"

namespace mustcite::audit {
namespace {

struct Heading {
  FindingKind kind;
  const char* heading;
  const char* explanation;
};

constexpr Heading kHeadings[] = {
    {FindingKind::missing, "Missing", "Papers that work like this one must cite, and that the draft does not cite."},
    {FindingKind::consider, "Consider", "Below the threshold: worth a look."},
    {FindingKind::undefined, "Mentioned but not in the bibliography", ""},
    {FindingKind::identifier, "Identifiers of another paper", "The DOI or arXiv id leads to a paper with another title."},
    {FindingKind::disagrees, "Entries that disagree with the record", ""},
    {FindingKind::preprint, "Preprints that have been published", ""},
    {FindingKind::duplicate, "Duplicates", ""},
    {FindingKind::key_case, "Keys in another case", ""},
    {FindingKind::unresolved, "Not in my catalog", "The catalog does not cover everything: this says nothing against these works."},
    {FindingKind::ambiguous, "Not certain which paper is meant", ""},
    {FindingKind::unmentioned, "In the bibliography, never mentioned", ""},
    {FindingKind::problem, "Reading the draft", "Parts that could not be read as meant."},
};

}  // namespace

std::vector<FindingGroup> grouped(const Report& report) {
  std::vector<FindingGroup> groups;
  for (const Heading& heading : kHeadings) {
    FindingGroup group{heading.heading, heading.explanation, {}};
    for (const Finding& finding : report.findings) {
      if (finding.kind == heading.kind) group.findings.push_back(&finding);
    }
    if (!group.findings.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

std::string paper_line(const Paper& paper) {
  std::string line;
  const std::size_t shown = paper.authors.size() > 4 ? 3 : paper.authors.size();
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) line += i + 1 == paper.authors.size() ? " and " : ", ";
    const std::string& name = paper.authors[i];
    const std::size_t space = name.rfind(' ');
    line += space == std::string::npos ? name : name.substr(space + 1);
  }
  if (shown < paper.authors.size()) line += fmt::format(" and {} others", paper.authors.size() - shown);
  if (!line.empty()) line += ". ";
  line += paper.title;
  if (!paper.title.empty() && std::string_view("?!.").find(paper.title.back()) == std::string_view::npos) line += '.';
  if (!paper.venue.empty()) line += fmt::format(" {}", paper.venue);
  if (paper.date.year != 0) line += fmt::format("{} {}", paper.venue.empty() ? "" : ",", paper.date.year);
  return line;
}

std::string place_text(const SourcePosition& where) {
  // A PDF is the whole draft: its pages need no file.
  if (where.page != 0) return fmt::format("page {}", where.page);
  return where.line == 0 ? where.file : fmt::format("{}:{}", where.file, where.line);
}

std::string bibliography_line(const Report& report) {
  std::string line = fmt::format("{} entries, {} of them mentioned; {} in the catalog, {} uncertain, {} not in it.", report.entries,
                                 report.cited_entries, report.linked, report.ambiguous, report.unresolved);
  if (!report.ignored.empty()) line += fmt::format(" {} findings are answered by the ignore list.", report.ignored.size());
  if (!report.ranked) line += " No ranker was asked: missing papers are not looked for.";
  return line;
}

std::string coverage_line(const Report& report) {
  std::string venues;
  for (const auto& venue : report.coverage.venues) venues += (venues.empty() ? "" : ", ") + venue;
  return fmt::format("The catalog has {} papers, {} to {}{}{}.", report.coverage.papers, report.coverage.first_year, report.coverage.last_year,
                     venues.empty() ? "" : ", most from ", venues);
}

std::string probability_text(const Finding& finding) {
  static constexpr std::array<std::pair<Tier, std::string_view>, 4> kWords{{{Tier::must, "must-cite"},
                                                                            {Tier::type3, "three mentions or more"},
                                                                            {Tier::experiments, "in experiments"},
                                                                            {Tier::all, "cited at all"}}};
  std::string text = finding.role.empty() ? "" : "likely " + finding.role;
  for (const auto& [tier, words] : kWords) {
    const auto at = finding.probability.find(tier);
    if (at == finding.probability.end()) continue;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : tier == Tier::must ? "; " : ", ", words, 100 * at->second);
  }
  return text;
}

std::string render_terminal(const Report& report) {
  std::string out = fmt::format("{}\n{}: {} files, {} sections, {} mentions\n{}\n{}\n", report.title.empty() ? "(no title)" : report.title, report.main_file,
                                report.files, report.sections, report.mentions, bibliography_line(report), coverage_line(report));
  for (const auto& group : grouped(report)) {
    out += fmt::format("\n{} ({})\n", group.heading, group.findings.size());
    if (!group.explanation.empty()) out += fmt::format("  {}\n", group.explanation);
    std::size_t number = 0;
    for (const Finding* finding : group.findings) {
      const bool ranked = finding->kind == FindingKind::missing || finding->kind == FindingKind::consider;
      if (ranked) {
        out += fmt::format("  {:2}. {}  [{}]\n", ++number, paper_line(finding->paper), finding->subject);
        if (const std::string text = probability_text(*finding); !text.empty()) out += fmt::format("      {}\n", text);
      } else {
        out += fmt::format("  {:<7} {}  {}\n", severity_name(finding->severity), place_text(finding->where), finding->message);
      }
      for (const auto& reason : finding->reasons) out += fmt::format("      {}\n", reason);
      if (!finding->evidence.empty()) out += fmt::format("      {}\n", finding->evidence);
    }
  }
  if (report.findings.empty()) out += "\nNothing to report.\n";
  for (const auto& note : report.ignore_notes) out += fmt::format("note: {}\n", note);
  // What a draft holds must not steer the terminal.
  std::erase_if(out, [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; });
  return out;
}

namespace {

/// Marks of Markdown and HTML lose their meaning.
std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|~$").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

/// A fence longer than any run of back-ticks inside.
std::string fenced(const std::string& text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fmt::format("{}bibtex\n{}{}{}\n", fence, text, text.empty() || text.back() != '\n' ? "\n" : "", fence);
}

}  // namespace

std::string render_markdown(const Report& report) {
  std::string out = fmt::format("# Audit of {}\n\n{}: {} files, {} sections, {} mentions.\n{}\n{}\n", markdown_text(report.title.empty() ? report.main_file : report.title),
                                markdown_text(report.main_file), report.files, report.sections, report.mentions, bibliography_line(report),
                                markdown_text(coverage_line(report)));
  for (const auto& group : grouped(report)) {
    out += fmt::format("\n## {} ({})\n\n", group.heading, group.findings.size());
    if (!group.explanation.empty()) out += group.explanation + "\n\n";
    std::string entries;
    for (const Finding* finding : group.findings) {
      const bool ranked = finding->kind == FindingKind::missing || finding->kind == FindingKind::consider;
      if (ranked) {
        out += fmt::format("- **{}** ({})\n", markdown_text(paper_line(finding->paper)), markdown_text(finding->subject));
        if (const std::string text = probability_text(*finding); !text.empty()) out += fmt::format("  - {}\n", markdown_text(text));
      } else {
        out += fmt::format("- {} ({})\n", markdown_text(finding->message), markdown_text(place_text(finding->where)));
      }
      for (const auto& reason : finding->reasons) out += fmt::format("  - {}\n", markdown_text(reason));
      if (!finding->evidence.empty()) out += fmt::format("  - {}\n", markdown_text(finding->evidence));
      if (!finding->bibtex.empty()) entries += finding->bibtex + (finding->bibtex.back() == '\n' ? "" : "\n");
    }
    if (!entries.empty()) out += "\nReady entries:\n\n" + fenced(entries);
  }
  if (report.findings.empty()) out += "\nNothing to report.\n";
  for (const auto& note : report.ignore_notes) out += fmt::format("\n> {}\n", markdown_text(note));
  return out;
}

}  // namespace mustcite::audit
