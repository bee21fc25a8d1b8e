#include "stages/extract/view.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mustcite::extract {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "<br>\n";
        break;
      default:
        out += c;
    }
  }
  return out;
}

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

/// Text with `mark(mention)` in place of every mention; `plain(part)` renders what lies between. Mentions
/// inside one that is shown already are left out.
template <typename Mark, typename Plain>
std::string annotated(const Document& document, Mark mark, Plain plain) {
  std::string out;
  std::size_t at = 0;
  const std::string_view text = document.text;
  for (const auto& mention : document.mentions) {
    if (mention.span.begin < at) continue;
    out += plain(text.substr(at, mention.span.begin - at));
    out += mark(mention, text.substr(mention.span.begin, mention.span.end - mention.span.begin));
    at = mention.span.end;
  }
  return out + plain(text.substr(at));
}

const char* colour_of(double confidence) {
  return confidence >= 0.95 ? "#bfe8bf" : confidence >= 0.8 ? "#f6e9a6" : "#f4b9b0";
}

}  // namespace

std::string text_view(const Document& document) {
  std::string out = document.title + "\n\n";
  out += annotated(
      document,
      [](const Mention& mention, std::string_view text) {
        return fmt::format("⟦{}→{} {:.2f}⟧", text, numbers_of(mention), mention.confidence);
      },
      [](std::string_view part) { return std::string(part); });
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
  std::string out =
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>" + escaped(document.title) +
      "</title>\n<style>body{font:16px/1.5 serif;max-width:48em;margin:2em auto;padding:0 "
      "1em}a{color:inherit}mark{border-radius:.2em}li{margin:.3em 0}.p{color:#a33}</style>\n<h1>" +
      escaped(document.title) + "</h1>\n<p>";
  out += annotated(
      document,
      [](const Mention& mention, std::string_view text) {
        return fmt::format(
            "<a href=\"#r{}\"><mark style=\"background:{}\" title=\"{} {:.2f} {}\">{}</mark></a>",
            mention.references.front() + 1, colour_of(mention.confidence), numbers_of(mention),
            mention.confidence, evidence_of(mention), escaped(text));
      },
      [](std::string_view part) { return escaped(part); });
  out += "</p>\n<h2>References</h2>\n<ol>\n";
  const auto counts = counts_of(document);
  for (std::size_t i = 0; i < document.references.size(); ++i) {
    const auto& entry = document.references[i];
    out += fmt::format("<li id=\"r{}\">{}{} <b>×{}</b></li>\n", i + 1,
                       entry.label.empty() ? "" : "[" + escaped(entry.label) + "] ",
                       escaped(entry.fields.raw), counts[i]);
  }
  out += "</ol>\n";
  for (const auto& problem : document.problems)
    out += fmt::format("<p class=\"p\">{}: {}</p>\n", problem_name(problem.kind), escaped(problem.message));
  return out + "</html>\n";
}

}  // namespace mustcite::extract
