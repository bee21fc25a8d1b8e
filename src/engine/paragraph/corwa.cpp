#include "engine/paragraph/corwa.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::paragraph {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kBegin = "[BOS]";

/// Offsets of CORWA count characters, ours bytes.
std::vector<std::size_t> character_begins(std::string_view text) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) begins.push_back(i);
  }
  return begins;
}

struct Sentences {
  std::vector<std::string> texts;
  std::vector<std::size_t> begins;  ///< bytes of the paragraph
};

Sentences split(std::string_view paragraph) {
  Sentences sentences;
  for (std::size_t at = paragraph.find(kBegin); at != std::string_view::npos;) {
    const std::size_t begin = at + kBegin.size();
    at = paragraph.find(kBegin, begin);
    sentences.begins.push_back(begin);
    sentences.texts.push_back(text::clean(paragraph.substr(begin, std::min(at, paragraph.size()) - begin)));
  }
  return sentences;
}

void add(std::vector<PaperId>& ids, const std::string& id) {
  const PaperId paper(id);
  if (std::find(ids.begin(), ids.end(), paper) == ids.end()) ids.push_back(paper);
}

void add_span(const Json& span, const Sentences& sentences, const std::vector<std::size_t>& characters,
              Paragraph& paragraph) {
  if (!span.is_object() || !span.contains("char_start") || !span["char_start"].is_number_unsigned()) return;
  const auto character = span["char_start"].get<std::size_t>();
  if (character >= characters.size() || sentences.begins.empty()) return;
  const auto behind =
      std::upper_bound(sentences.begins.begin(), sentences.begins.end(), characters[character]);
  const auto sentence =
      static_cast<std::size_t>(std::max<std::ptrdiff_t>(behind - sentences.begins.begin() - 1, 0));
  const auto works = span.find("span_citation_mapping");
  if (works == span.end() || !works->is_object()) return;
  for (const char* role : {"Dominant", "Reference"}) {
    const auto named = works->find(role);
    if (named == works->end() || !named->is_object()) continue;
    for (const auto& [mark, id] : named->items()) {
      if (!id.is_string() || id.get<std::string>().empty()) continue;  // a work that S2ORC does not know
      add(paragraph.cited_by_sentence[sentence], id.get<std::string>());
      add(paragraph.cited, id.get<std::string>());
    }
  }
}

}  // namespace

Paragraph parse_corwa(std::string_view line) {
  const Json json = Json::parse(text::repair_utf8(line), nullptr, false);
  if (!json.is_object() || !json.contains("id") || !json["id"].is_string() || !json.contains("paragraph") ||
      !json["paragraph"].is_string() || !json.contains("discourse_tags") ||
      !json["discourse_tags"].is_array())
    fail(ErrorCode::invalid_input, "it is no line of CORWA: id, paragraph or discourse_tags is missing");
  const auto body = json["paragraph"].get<std::string>();
  Sentences sentences = split(body);
  Paragraph paragraph;
  paragraph.id = json["id"].get<std::string>();
  paragraph.citing = PaperId(paragraph.id.substr(0, paragraph.id.rfind('_')));
  paragraph.kind = Kind::related_work;
  for (const auto& name : json["discourse_tags"]) {
    const auto tag = name.is_string() ? parse_discourse(name.get<std::string>()) : std::nullopt;
    if (!tag) fail(ErrorCode::invalid_input, "its tag {} is no class of CORWA", name.dump().substr(0, 40));
    paragraph.tags.push_back(*tag);
  }
  if (sentences.texts.empty()) fail(ErrorCode::invalid_input, "the paragraph has no sentence");
  if (sentences.texts.size() != paragraph.tags.size())
    fail(ErrorCode::invalid_input, "it has {} tags for {} sentences", paragraph.tags.size(),
         sentences.texts.size());
  paragraph.cited_by_sentence.resize(sentences.texts.size());
  if (const auto spans = json.find("span_citation_mapping"); spans != json.end() && spans->is_array()) {
    const auto characters = character_begins(body);
    for (const auto& span : *spans) add_span(span, sentences, characters, paragraph);
  }
  paragraph.sentences = std::move(sentences.texts);
  choose_topic(paragraph);
  return paragraph;
}

}  // namespace mustcite::paragraph
