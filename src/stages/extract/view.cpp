#include "stages/extract/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/text/html_escape.hpp"

namespace mustcite::extract {
namespace {

using text::escape_html;

std::string evidence_of(const Mention& mention) {
  std::string names;
  for (const auto& [bit, name] : {std::pair{Evidence::link, "link"},
                                  {Evidence::label, "label"},
                                  {Evidence::author_year, "author-year"},
                                  {Evidence::superscript, "superscript"}}) {
    if (!mention.has(bit)) continue;
    if (!names.empty()) names += '+';
    names += name;
  }
  return names;
}

/// Numbers of the entries, counted from 1.
std::string numbers_of(const Mention& mention) {
  std::string numbers;
  for (const std::uint32_t reference : mention.references)
    numbers += (numbers.empty() ? "" : ",") + std::to_string(reference + 1);
  return numbers;
}

std::vector<std::size_t> counts_of(const Document& document) {
  std::vector<std::size_t> counts(document.references.size(), 0);
  for (const auto& mention : document.mentions) {
    for (const std::uint32_t reference : mention.references) ++counts[reference];
  }
  return counts;
}

constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5c6670; --paper: #ffffff; --line: #dfe3e8;
  --sure: #bfe8bf; --likely: #f6e9a6; --weak: #f4b9b0; --wrong: #b42318; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa4ae; --paper: #15181c; --line: #343a41;
  --sure: #1f5c2e; --likely: #6b5a12; --weak: #7a2f27; --wrong: #ff8f85; } }
body { margin: 0 auto; max-width: 46rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 17px/1.55 Georgia, "Noto Serif", serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin: 1.8rem 0 .4rem; }
h3, h4 { font-size: 1.02rem; margin: 1.3rem 0 .3rem; }
.soft { color: var(--soft); font-size: .88rem; } .problem { color: var(--wrong); }
a { color: inherit; text-decoration: none; } a:focus mark, a:hover mark { outline: 2px solid var(--soft); }
mark { color: inherit; border-radius: .2em; padding: 0 .1em; }
.sure { background: var(--sure); } .likely { background: var(--likely); } .weak { background: var(--weak); }
ol { padding-left: 2.2rem; } li { margin: .35rem 0; } li:target { outline: 2px solid var(--soft); }
)css";

const char* class_of(double confidence) {
  return confidence >= 0.95 ? "sure" : confidence >= 0.8 ? "likely" : "weak";
}

/// What was found, how sure, and what is wrong, before the text.
std::string summary(const Document& document) {
  std::array<std::size_t, 3> sure{};
  for (const auto& mention : document.mentions)
    ++sure[mention.confidence >= 0.95 ? 0 : mention.confidence >= 0.8 ? 1 : 2];
  std::string out = fmt::format(
      "<p class=\"soft\">{} references, {} mentions: <mark class=\"sure\">{} sure</mark> <mark "
      "class=\"likely\">{} likely</mark> <mark class=\"weak\">{} weak</mark>. Read by {} ({}) from {}.</p>\n",
      document.references.size(), document.mentions.size(), sure[0], sure[1], sure[2],
      reader_name(document.provenance.reader), escape_html(document.provenance.tool),
      escape_html(document.provenance.source));
  for (const auto& problem : document.problems)
    out += fmt::format("<p class=\"problem\">{}: {}</p>\n", problem_name(problem.kind),
                       escape_html(problem.message));
  return out;
}

std::string marked(const Mention& mention, std::string_view text) {
  return fmt::format("<a href=\"#r{}\"><mark class=\"{}\" title=\"entry {}, {:.2f}, {}\">{}</mark></a>",
                     mention.references.front() + 1, class_of(mention.confidence), numbers_of(mention),
                     mention.confidence, evidence_of(mention), escape_html(text));
}

/// The text, headings as headings, an empty line as the end of a paragraph.
std::string body(const Document& document) {
  std::map<std::size_t, int> headings;  // end of the heading to its level
  for (const auto& section : document.sections) {
    if (!section.heading.empty())
      headings[section.span.begin] = static_cast<int>(std::clamp<std::size_t>(section.path.size() + 1, 2, 4));
  }
  std::string out;
  std::size_t mention = 0;
  const std::string_view text = document.text;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.find("\n\n", begin), text.size());
    const auto heading = headings.find(begin);
    const std::string tag = heading == headings.end() ? "p" : fmt::format("h{}", heading->second);
    std::string paragraph;
    std::size_t at = begin;
    for (; mention < document.mentions.size() && document.mentions[mention].span.begin < end; ++mention) {
      const Span span = document.mentions[mention].span;
      if (span.begin < at) continue;  // inside one that is shown already
      end = std::max(end, span.end);
      paragraph += escape_html(text.substr(at, span.begin - at)) +
                   marked(document.mentions[mention], text.substr(span.begin, span.end - span.begin));
      at = span.end;
    }
    paragraph += escape_html(text.substr(at, end - at));
    out += fmt::format("<{0}>{1}</{0}>\n", tag, paragraph);
    begin = text.find_first_not_of('\n', end);
    if (begin == std::string_view::npos) break;
  }
  return out;
}

std::string entries(const Document& document) {
  std::string out = "<h2>References</h2>\n<ol>\n";
  const auto counts = counts_of(document);
  for (std::size_t i = 0; i < document.references.size(); ++i) {
    const auto& entry = document.references[i];
    out += fmt::format("<li id=\"r{}\">{}{} <span class=\"soft\">{}</span></li>\n", i + 1,
                       entry.label.empty() ? "" : "[" + escape_html(entry.label) + "] ",
                       escape_html(entry.fields.raw),
                       counts[i] == 0   ? "not mentioned"
                       : counts[i] == 1 ? "1 mention"
                                        : fmt::format("{} mentions", counts[i]));
  }
  return out + "</ol>\n";
}

}  // namespace

std::string text_view(const Document& document) {
  std::string out = document.title + "\n\n";
  const std::string_view text = document.text;
  std::size_t at = 0;
  for (const auto& mention : document.mentions) {
    if (mention.span.begin < at) continue;  // inside one that is shown already
    out += text.substr(at, mention.span.begin - at);
    out +=
        fmt::format("⟦{}→{} {:.2f}⟧", text.substr(mention.span.begin, mention.span.end - mention.span.begin),
                    numbers_of(mention), mention.confidence);
    at = mention.span.end;
  }
  out += text.substr(at);
  out += "\n\n";
  const auto counts = counts_of(document);
  for (std::size_t i = 0; i < document.references.size(); ++i) {
    const auto& entry = document.references[i];
    out += fmt::format("{:>4} ×{:<3} {}{}\n", i + 1, counts[i],
                       entry.label.empty() ? "" : "[" + entry.label + "] ", entry.fields.raw);
  }
  for (const auto& problem : document.problems)
    out += fmt::format("! {}: {}\n", problem_name(problem.kind), problem.message);
  return out;
}

std::string html_view(const Document& document) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      escape_html(document.title.empty() ? document.provenance.source : document.title), kStyle);
  out += summary(document) + body(document) + entries(document);
  return out + "</body>\n</html>\n";
}

}  // namespace mustcite::extract
