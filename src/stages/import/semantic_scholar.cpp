#include <vector>

#include "core/base/error.hpp"
#include "stages/import/formats.hpp"
#include "stages/import/json_fields.hpp"

namespace mustcite::importing {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

PaperId corpus_id(const object& record, std::string_view key) {
  const std::string id = id_field(record, key);
  return PaperId(id.empty() ? std::string() : "s2:" + id);
}

/// One context for each mention that was found: a list of sentences, or of objects with a text.
Citation citation_of(const object& record) {
  Citation citation;
  citation.citing = corpus_id(record, "citingcorpusid");
  citation.cited = corpus_id(record, "citedcorpusid");
  const std::optional<array> contexts = array_field(record, "contexts");
  if (!contexts) return citation;
  for (const element item : *contexts) {
    std::string_view text;
    object context;
    if (item.get_object().get(context) == simdjson::SUCCESS) {
      text = string_field(context, "text");
    } else if (item.get_string().get(text) != simdjson::SUCCESS) {
      continue;
    }
    if (!text.empty()) citation.contexts.push_back({{}, std::string(text)});
  }
  // No context found means that nothing is known, which is not zero.
  if (!citation.contexts.empty()) citation.mentions = static_cast<int>(citation.contexts.size());
  return citation;
}

Paper paper_of(const object& record) {
  Paper paper;
  paper.id = corpus_id(record, "corpusid");
  paper.title = std::string(string_field(record, "title"));
  paper.abstract = std::string(string_field(record, "abstract"));
  paper.venue = std::string(string_field(record, "venue"));
  paper.url = std::string(string_field(record, "url"));
  const std::int64_t year = number_field(record, "year").value_or(0);
  paper.date.year = year >= 0 && year < 100'000 ? static_cast<int>(year) : 99'999;
  if (const std::optional<Date> date = parse_date(string_field(record, "publicationdate"));
      date && (paper.date.year == 0 || date->year == paper.date.year)) {
    paper.date = *date;
  }
  if (const std::optional<object> ids = object_field(record, "externalids")) {
    paper.doi = std::string(string_field(*ids, "DOI"));
    paper.arxiv_id = std::string(string_field(*ids, "ArXiv"));
  }
  if (const std::optional<array> authors = array_field(record, "authors")) {
    for (const element item : *authors) {
      object author;
      if (item.get_object().get(author) != simdjson::SUCCESS) continue;
      if (const std::string_view name = string_field(author, "name"); !name.empty())
        paper.authors.emplace_back(name);
    }
  }
  return paper;
}

}  // namespace

void parse_semantic_scholar_line(std::string_view line, std::uint64_t number, Output& output) {
  const object record = parse_json_object(line);
  if (!id_field(record, "citingcorpusid").empty() || !id_field(record, "citedcorpusid").empty()) {
    output.put(Item{citation_of(record), number, {}, false, false});
    return;
  }
  if (id_field(record, "corpusid").empty()) fail(ErrorCode::invalid_input, "field 'corpusid' is missing");
  if (string_field(record, "title").empty() && !string_field(record, "abstract").empty()) {
    output.put(
        Item{AbstractOnly{corpus_id(record, "corpusid"), std::string(string_field(record, "abstract"))},
             number,
             {},
             false,
             false});
    return;
  }
  output.put(Item{paper_of(record), number, {}, false, false});
}

}  // namespace mustcite::importing
