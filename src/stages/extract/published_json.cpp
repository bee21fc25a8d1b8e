#include "stages/extract/published_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/text/normalise.hpp"

namespace mustcite::extract {
namespace {

using Json = nlohmann::ordered_json;

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : c;
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string evidence_names(const Mention& mention) {
  std::string names;
  for (const auto& [bit, name] : {std::pair{Evidence::link, "link"},
                                  {Evidence::label, "label"},
                                  {Evidence::author_year, "author-year"},
                                  {Evidence::superscript, "superscript"}}) {
    if (mention.has(bit)) names += (names.empty() ? "" : "+") + std::string(name);
  }
  return names;
}

std::string target_of(const ReferenceEntry& entry, std::size_t index) {
  if (!entry.destination.empty()) return entry.destination;
  return entry.label.empty() ? "r" + std::to_string(index + 1) : entry.label;
}

void add_identifiers(const Reference& fields, Json& object) {
  if (!fields.doi.empty()) object["doi"] = fields.doi;
  if (!fields.arxiv_id.empty()) object["arxiv_id"] = fields.arxiv_id;
  if (!fields.url.empty()) object["url"] = fields.url;
}

Json mention_json(const Document& document, const Mention& mention) {
  Json out{{"begin", mention.span.begin},
           {"end", mention.span.end},
           {"confidence", std::round(mention.confidence * 1000) / 1000},
           {"evidence", evidence_names(mention)},
           {"kind", section_kind_name(document.sections[mention.section].kind)}};
  if (mention.box.known()) {
    out["page"] = mention.box.page;
    out["box"] = {mention.box.x0, mention.box.y0, mention.box.x1, mention.box.y1};
  }
  return out;
}

std::string dumped(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string published_json(const Document& document, Kept* kept) {
  std::vector<std::vector<const Mention*>> mentions(document.references.size());
  for (const auto& mention : document.mentions) {
    for (const std::uint32_t reference : mention.references) mentions[reference].push_back(&mention);
  }
  const std::string_view text = document.text;
  Kept counts;
  Json list = Json::array();
  for (std::size_t i = 0; i < document.references.size(); ++i) {
    const ReferenceEntry& entry = document.references[i];
    if (entry.fields.year == 0) {
      ++counts.without_year;
      continue;
    }
    Json contexts = Json::array();
    Json places = Json::array();
    std::set<std::string> seen;
    for (const Mention* mention : mentions[i]) {
      const Span window = context_window(document, *mention);
      std::string context = one_line(text.substr(window.begin, window.end - window.begin));
      places.push_back(mention_json(document, *mention));
      if (!seen.insert(context).second) {
        ++counts.repeated_contexts;
        continue;
      }
      contexts.push_back({{"section", document.sections[mention->section].heading}, {"context", context}});
      ++counts.contexts;
    }
    std::string cite;
    if (!mentions[i].empty()) {
      const Span first = mentions[i].front()->span;
      cite = one_line(text.substr(first.begin, first.end - first.begin));
    }
    Json object{{"target", target_of(entry, i)},
                {"title", entry.fields.title},
                {"year", std::to_string(entry.fields.year)},
                {"cite", cite},
                {"contexts", contexts},
                {"mentions", mentions[i].size()},
                {"places", places},
                {"authors", entry.fields.authors},
                {"venue", entry.fields.venue},
                {"label", entry.label},
                {"raw", entry.fields.raw}};
    add_identifiers(entry.fields, object);
    list.push_back(std::move(object));
    ++counts.references;
  }
  if (kept != nullptr) *kept = counts;
  return dumped(list);
}

std::string provenance_json(const Outcome& outcome, const Kept& kept) {
  Json attempts = Json::array();
  for (const auto& attempt : outcome.attempts)
    attempts.push_back({{"reader", reader_name(attempt.reader)},
                        {"verdict", verdict_name(attempt.verdict)},
                        {"reason", attempt.reason},
                        {"message", attempt.message}});
  Json out{{"paper", outcome.name}, {"usable", outcome.usable}, {"attempts", attempts}};
  if (outcome.document) {
    const Document& document = *outcome.document;
    Json problems = Json::array();
    for (const auto& problem : document.problems)
      problems.push_back(
          {{"kind", problem_name(problem.kind)}, {"mended", problem.mended}, {"message", problem.message}});
    out["reader"] = reader_name(document.provenance.reader);
    out["tool"] = document.provenance.tool;
    out["source"] = document.provenance.source;
    out["sha256"] = document.provenance.sha256;
    out["pages"] = document.provenance.pages;
    out["segmentation"] = document.provenance.segmentation;
    out["used_links"] = document.provenance.used_links;
    out["style"] = style_name(document.style);
    out["title"] = document.title;
    out["authors"] = document.authors;
    out["problems"] = problems;
    out["references"] = {{"found", document.references.size()},
                         {"written", kept.references},
                         {"without_year", kept.without_year}};
    out["mentions"] = document.mentions.size();
    out["contexts"] = {{"written", kept.contexts}, {"repeated", kept.repeated_contexts}};
  }
  return dumped(out);
}

}  // namespace mustcite::extract
