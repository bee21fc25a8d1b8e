#include <fmt/format.h>

#include "apps/audit/render.hpp"
#include "core/text/html_escape.hpp"

namespace mustcite::audit {
namespace {

using text::escape_html;

/// Only web addresses become links: a record may hold anything.
std::string link_to(const Paper& paper) {
  if (paper.url.starts_with("https://") || paper.url.starts_with("http://")) return paper.url;
  if (!paper.doi.empty()) return "https://doi.org/" + paper.doi;
  if (!paper.arxiv_id.empty()) return "https://arxiv.org/abs/" + paper.arxiv_id;
  return {};
}

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5c6670; --line: #dfe3e8; --paper: #ffffff; --panel: #f6f7f9;
  --error: #b42318; --warning: #9a6700; --note: #41638f; --link: #1a5fb4; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa4ae; --line: #343a41; --paper: #15181c; --panel: #1e2227;
  --error: #ff8f85; --warning: #e3b341; --note: #8fb5e6; --link: #7fb2f5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 58rem; padding: 2.5rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 1.55rem; line-height: 1.25; margin: 0 0 .4rem; }
h2 { font-size: 1.12rem; margin: 2.4rem 0 .2rem; padding-top: 1.1rem; border-top: 1px solid var(--line); }
h2 .count { color: var(--soft); font-weight: 400; }
p { margin: .25rem 0; } .soft { color: var(--soft); }
nav { margin: 1.2rem 0 0; display: flex; flex-wrap: wrap; gap: .4rem .6rem; }
nav a { border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .75rem; text-decoration: none; color: var(--ink); font-size: .9rem; }
ol, ul.findings { list-style: none; margin: .8rem 0 0; padding: 0; }
ul.findings > li { padding: .65rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
ul.findings > li:last-child { border-bottom: 0; }
.paper { font-weight: 600; } a { color: var(--link); }
.tag { display: inline-block; font-size: .78rem; border: 1px solid currentColor; border-radius: .25rem; padding: 0 .4rem; margin-right: .4rem; }
.error { color: var(--error); } .warning { color: var(--warning); } .note { color: var(--note); }
.place, .probability { color: var(--soft); font-size: .88rem; font-variant-numeric: tabular-nums; }
ul.reasons { margin: .25rem 0 0; padding-left: 1.1rem; font-size: .93rem; }
blockquote { margin: .4rem 0 0; padding-left: .8rem; border-left: 3px solid var(--line); color: var(--soft); font-size: .93rem; }
details { margin-top: .35rem; font-size: .9rem; } summary { cursor: pointer; color: var(--soft); }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: .35rem; padding: .7rem .9rem; overflow-x: auto; font-size: .84rem; margin: .4rem 0 0; }
@media print { body { max-width: none; padding: 0; } nav, summary { display: none; } }
)css";

std::string item(const Finding& finding) {
  std::string out = "<li>";
  if (finding.kind == FindingKind::missing || finding.kind == FindingKind::consider) {
    const std::string address = link_to(finding.paper);
    const std::string line = escape_html(paper_line(finding.paper));
    out += "<div class=\"paper\">";
    out += address.empty() ? line : fmt::format("<a href=\"{}\" rel=\"noreferrer\">{}</a>", escape_html(address), line);
    out += "</div>";
    if (const std::string text = probability_text(finding); !text.empty()) out += fmt::format("<div class=\"probability\">{}</div>", escape_html(text));
  } else {
    out += fmt::format("<div><span class=\"tag {0}\">{0}</span>{1} <span class=\"place\">{2}</span></div>", severity_name(finding.severity), escape_html(finding.message),
                       escape_html(place_text(finding.where)));
  }
  if (!finding.reasons.empty()) {
    out += "<ul class=\"reasons\">";
    for (const auto& reason : finding.reasons) out += fmt::format("<li>{}</li>", escape_html(reason));
    out += "</ul>";
  }
  if (!finding.evidence.empty()) out += fmt::format("<blockquote>{}</blockquote>", escape_html(finding.evidence));
  if (!finding.bibtex.empty()) out += fmt::format("<details><summary>BibTeX</summary><pre>{}</pre></details>", escape_html(finding.bibtex));
  return out + "</li>\n";
}

}  // namespace

std::string render_html(const Report& report) {
  const std::string title = escape_html(report.title.empty() ? report.main_file : report.title);
  const auto groups = grouped(report);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>Audit of {}</title>\n<style>{}</style>\n</head>\n<body>\n",
      title, kStyle);
  out += fmt::format("<header><p class=\"soft\">Audit of</p><h1>{}</h1>\n<p class=\"soft\">{}: {} files, {} sections, {} mentions.</p>\n<p>{}</p>\n<p class=\"soft\">{}</p>\n", title,
                     escape_html(report.main_file), report.files, report.sections, report.mentions, escape_html(bibliography_line(report)), escape_html(coverage_line(report)));
  if (!groups.empty()) {
    out += "<nav>";
    for (std::size_t i = 0; i < groups.size(); ++i) out += fmt::format("<a href=\"#g{}\">{} {}</a>", i, escape_html(groups[i].heading), groups[i].findings.size());
    out += "</nav>";
  }
  out += "</header>\n<main>\n";
  for (std::size_t i = 0; i < groups.size(); ++i) {
    out += fmt::format("<section id=\"g{}\"><h2>{} <span class=\"count\">{}</span></h2>\n", i, escape_html(groups[i].heading), groups[i].findings.size());
    if (!groups[i].explanation.empty()) out += fmt::format("<p class=\"soft\">{}</p>\n", escape_html(groups[i].explanation));
    out += "<ul class=\"findings\">\n";
    for (const Finding* finding : groups[i].findings) out += item(*finding);
    out += "</ul></section>\n";
  }
  if (groups.empty()) out += "<p>Nothing to report.</p>\n";
  if (!report.ignored.empty()) {
    out += fmt::format("<section><h2>Answered <span class=\"count\">{}</span></h2>\n<ul class=\"findings\">\n", report.ignored.size());
    for (const Finding& finding : report.ignored) {
      out += fmt::format("<li>{} <span class=\"place\">{}</span></li>\n", escape_html(finding.message), escape_html(finding.ignored_because));
    }
    out += "</ul></section>\n";
  }
  for (const auto& note : report.ignore_notes) out += fmt::format("<p class=\"soft\">{}</p>\n", escape_html(note));
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace mustcite::audit
