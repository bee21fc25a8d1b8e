#include "engine/paragraph/paragraph.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/base/error.hpp"
#include "core/io/lines.hpp"
#include "core/text/normalise.hpp"
#include "engine/paragraph/corwa.hpp"

namespace mustcite::paragraph {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// Text of a field; empty where it is missing or null.
std::string text_field(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || found->is_null()) return {};
  if (!found->is_string()) fail(ErrorCode::invalid_input, "the field '{}' is not a text", name);
  return found->get<std::string>();
}

const Json& list_field(const Json& json, const char* name) {
  static const Json kNone = Json::array();
  const auto found = json.find(name);
  if (found == json.end() || found->is_null()) return kNone;
  if (!found->is_array()) fail(ErrorCode::invalid_input, "the field '{}' is not a list", name);
  return *found;
}

std::vector<std::string> texts_of(const Json& list, const char* name) {
  std::vector<std::string> texts;
  for (const auto& item : list) {
    if (!item.is_string())
      fail(ErrorCode::invalid_input, "the list '{}' holds something that is no text", name);
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::vector<PaperId> ids_of(const Json& list, const char* name) {
  std::vector<PaperId> ids;
  for (auto& id : texts_of(list, name)) {
    const PaperId paper(std::move(id));
    if (!paper.empty() && std::find(ids.begin(), ids.end(), paper) == ids.end()) ids.push_back(paper);
  }
  return ids;
}

int year_field(const Json& json) {
  const auto found = json.find("citing_year");
  if (found == json.end() || found->is_null()) return 0;
  if (!found->is_number_integer()) fail(ErrorCode::invalid_input, "the field 'citing_year' is no year");
  const auto year = found->get<std::int64_t>();
  if (year < 0 || year > 9999) fail(ErrorCode::invalid_input, "the field 'citing_year' is no year: {}", year);
  return static_cast<int>(year);
}

Kind kind_field(const Json& json) {
  const std::string name = text_field(json, "kind");
  for (const Kind kind : {Kind::related_work, Kind::introduction, Kind::other}) {
    if (name == name_of(kind)) return kind;
  }
  if (name.empty()) return Kind::other;
  fail(ErrorCode::invalid_input, "the field 'kind' is '{}': use related_work, introduction or other",
       name.substr(0, 40));
}

void read_tags(const Json& json, Paragraph& paragraph) {
  for (const auto& name : texts_of(list_field(json, "tags"), "tags")) {
    const auto tag = parse_discourse(name);
    if (!tag) fail(ErrorCode::invalid_input, "'{}' is no class of sentences", name.substr(0, 40));
    paragraph.tags.push_back(*tag);
  }
  if (!paragraph.tags.empty() && paragraph.tags.size() != paragraph.sentences.size())
    fail(ErrorCode::invalid_input, "it has {} tags for {} sentences", paragraph.tags.size(),
         paragraph.sentences.size());
}

void read_cited(const Json& json, Paragraph& paragraph) {
  for (const auto& list : list_field(json, "cited_by_sentence")) {
    if (!list.is_array())
      fail(ErrorCode::invalid_input, "the field 'cited_by_sentence' is not a list of lists");
    paragraph.cited_by_sentence.push_back(ids_of(list, "cited_by_sentence"));
  }
  if (!paragraph.cited_by_sentence.empty() &&
      paragraph.cited_by_sentence.size() != paragraph.sentences.size())
    fail(ErrorCode::invalid_input, "it has {} lists of cited papers for {} sentences",
         paragraph.cited_by_sentence.size(), paragraph.sentences.size());
  paragraph.cited = ids_of(list_field(json, "cited_ids"), "cited_ids");
}

Paragraph parse_own(const Json& json) {
  Paragraph paragraph;
  paragraph.id = text_field(json, "paragraph_id");
  paragraph.citing = PaperId(text_field(json, "citing_id"));
  if (paragraph.id.empty() || paragraph.citing.empty())
    fail(ErrorCode::invalid_input, "it has no paragraph_id, or no citing_id");
  if (paragraph.id.find_first_of(" \t\n") != std::string::npos)
    fail(ErrorCode::invalid_input, "its paragraph_id holds white space, which TREC files cannot carry");
  paragraph.citing_year = year_field(json);
  paragraph.section = text_field(json, "section");
  paragraph.kind = kind_field(json);
  for (auto& sentence : texts_of(list_field(json, "sentences"), "sentences"))
    paragraph.sentences.push_back(std::move(sentence));
  if (std::all_of(paragraph.sentences.begin(), paragraph.sentences.end(),
                  [](const std::string& text) { return text::clean(text).empty(); }))
    fail(ErrorCode::invalid_input, "the paragraph has no sentence");
  read_cited(json, paragraph);
  read_tags(json, paragraph);
  paragraph.topic_sentence = text_field(json, "topic_sentence");
  if (text::clean(paragraph.topic_sentence).empty()) choose_topic(paragraph);
  return paragraph;
}

}  // namespace

std::string_view name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::related_work:
      return "related_work";
    case Kind::introduction:
      return "introduction";
    case Kind::other:
      break;
  }
  return "other";
}

Paragraph parse_paragraph(std::string_view line) {
  const Json json = Json::parse(text::repair_utf8(line), nullptr, false);
  if (!json.is_object()) fail(ErrorCode::invalid_input, "the line is no JSON object");
  return json.contains("discourse_tags") ? parse_corwa(line) : parse_own(json);
}

std::vector<Paragraph> read_paragraphs(const std::filesystem::path& file, ReadReport& report) {
  io::LineReader lines(file);
  std::vector<Paragraph> paragraphs;
  std::unordered_set<std::string> seen;
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    ++report.lines;
    try {
      if (lines.too_long()) fail(ErrorCode::invalid_input, "the line is too long");
      Paragraph paragraph = parse_paragraph(line);
      if (!seen.insert(paragraph.id).second)
        fail(ErrorCode::invalid_input, "the paragraph {} stands twice", paragraph.id);
      paragraphs.push_back(std::move(paragraph));
      ++report.paragraphs;
    } catch (const Error& error) {
      ++report.rejected;
      report.ledger.push_back({lines.line_number(), error.what()});
    }
  }
  if (paragraphs.empty()) {
    fail(ErrorCode::invalid_input, "{} holds no paragraph{}", file.string(),
         report.ledger.empty() ? std::string(": it is empty")
                               : fmt::format("; of its {} lines the first ({}): {}", report.lines,
                                             report.ledger.front().line, report.ledger.front().reason));
  }
  return paragraphs;
}

std::string to_json_line(const Paragraph& paragraph) {
  const auto ids = [](const std::vector<PaperId>& papers) {
    OrderedJson list = OrderedJson::array();
    for (const auto& paper : papers) list.push_back(paper.str());
    return list;
  };
  OrderedJson json{{"paragraph_id", paragraph.id},
                   {"citing_id", paragraph.citing.str()},
                   {"citing_year", paragraph.citing_year},
                   {"section", paragraph.section},
                   {"kind", name_of(paragraph.kind)},
                   {"sentences", paragraph.sentences},
                   {"topic_sentence", paragraph.topic_sentence},
                   {"cited_ids", ids(paragraph.cited)},
                   {"cited_by_sentence", OrderedJson::array()}};
  for (const auto& list : paragraph.cited_by_sentence) json["cited_by_sentence"].push_back(ids(list));
  if (!paragraph.tags.empty()) {
    json["tags"] = OrderedJson::array();
    for (const Discourse tag : paragraph.tags) json["tags"].push_back(name_of(tag));
  }
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

void choose_topic(Paragraph& paragraph) {
  const std::size_t chosen = paragraph.tags.empty() ? 0 : topic_of(paragraph.tags).sentence;
  paragraph.topic_sentence = paragraph.sentences.at(chosen);
}

}  // namespace mustcite::paragraph
