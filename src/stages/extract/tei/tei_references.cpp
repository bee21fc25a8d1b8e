#include <algorithm>
#include <charconv>

#include "core/text/identifiers.hpp"
#include "core/text/normalise.hpp"
#include "core/text/printed_years.hpp"
#include "stages/extract/reference_names.hpp"
#include "stages/extract/tei/tei.hpp"

namespace mustcite::extract::tei {
namespace {

/// Above this a list is no list of references.
constexpr std::size_t kMostEntries = 20'000;

std::vector<std::string> people(const pugi::xml_node& part) {
  std::vector<std::string> authors;
  for (const pugi::xml_node& author : part.children("author")) {
    std::string name = person(author.child("persName"));
    if (name.empty()) name = text_of(author.child("orgName"));
    if (!name.empty()) authors.push_back(std::move(name));
  }
  return authors;
}

/// The first title of a level ("a", "m", "j", "s"), whole forms before abbreviations.
std::string title_of(const pugi::xml_node& part, std::string_view levels) {
  std::string shortened;
  for (const pugi::xml_node& title : part.children("title")) {
    const std::string_view level = title.attribute("level").value();
    if (!level.empty() && levels.find(level) == std::string_view::npos) continue;
    std::string text = text_of(title);
    if (text.empty()) continue;
    if (std::string_view(title.attribute("type").value()) != "abbrev") return text;
    if (shortened.empty()) shortened = std::move(text);
  }
  return shortened;
}

int year_of(const pugi::xml_node& part) {
  for (const pugi::xml_node& date : part.child("imprint").children("date")) {
    for (const std::string& text : {std::string(date.attribute("when").value()), text_of(date)}) {
      const auto years = text::printed_years(text.substr(0, 200));
      if (!years.empty()) return years.front().year;
      int year = 0;
      const auto [end, error] =
          std::from_chars(text.data(), text.data() + std::min<std::size_t>(4, text.size()), year);
      if (error == std::errc{} && end == text.data() + 4 && year >= 1600 && year <= 2099) return year;
    }
  }
  return 0;
}

void read_identifiers(const pugi::xml_node& part, Reference& fields) {
  for (const pugi::xml_node& id : part.children("idno")) {
    const std::string_view type = id.attribute("type").value();
    const std::string text = text_of(id);
    if (fields.doi.empty() && (type == "DOI" || type.empty())) fields.doi = text::find_doi(text);
    if (fields.arxiv_id.empty() && (type == "arXiv" || type.empty()))
      fields.arxiv_id = text::find_arxiv_id(text);
    // "arXiv" alone says what the bare number means.
    if (fields.arxiv_id.empty() && type == "arXiv") fields.arxiv_id = text::find_arxiv_id("arXiv:" + text);
  }
  for (const pugi::xml_node& pointer : part.children("ptr")) {
    if (fields.url.empty()) fields.url = text::find_url(pointer.attribute("target").value());
  }
}

std::string raw_note(const pugi::xml_node& entry) {
  for (const pugi::xml_node& note : entry.children("note")) {
    if (std::string_view(note.attribute("type").value()) == "raw_reference") return text_of(note);
  }
  return {};
}

/// "A. Smith, B. Doe. Title. Venue, 2017": where GROBID kept no raw string.
std::string composed(const Reference& fields) {
  std::string raw;
  for (const auto& author : fields.authors) raw += (raw.empty() ? "" : ", ") + author;
  const auto add = [&](const std::string& part, std::string_view mark) {
    if (part.empty()) return;
    if (!raw.empty()) raw += mark;
    raw += part;
  };
  add(fields.title, ". ");
  add(fields.venue, ". ");
  if (fields.year != 0) add(std::to_string(fields.year), ", ");
  add(fields.doi.empty() ? fields.url : "doi:" + fields.doi, ". ");
  return raw;
}

ReferenceEntry entry_of(const pugi::xml_node& node) {
  ReferenceEntry entry;
  Reference& fields = entry.fields;
  const pugi::xml_node analytic = node.child("analytic");
  const pugi::xml_node monogr = node.child("monogr");
  fields.title = text::clean_title(title_of(analytic, "a"));
  const std::string host = text::clean(title_of(monogr, "jms"));
  if (fields.title.empty())
    fields.title = text::clean_title(host);
  else
    fields.venue = host;
  if (fields.venue.empty()) fields.venue = text::clean(text_of(monogr.child("meeting")));
  fields.authors = people(analytic);
  if (fields.authors.empty()) fields.authors = people(monogr);
  fields.year = year_of(monogr);
  for (const auto& part : {analytic, monogr, node}) read_identifiers(part, fields);
  fields.raw = raw_note(node);
  const bool printed = !fields.raw.empty();
  if (!printed) fields.raw = composed(fields);
  for (const auto& author : fields.authors) {
    if (std::string key = surname_key(author); !key.empty()) entry.surnames.push_back(std::move(key));
  }
  // The rules may only add to what was printed; of a composed string they would read our own punctuation.
  if (printed) {
    read_fields_by_rules(entry);
    for (const auto& year : text::printed_years(fields.raw)) {
      if (year.year == fields.year && year.letter != 0) entry.year_letter = year.letter;
    }
  }
  entry.destination = node.attribute("xml:id").value();
  entry.box = place_of(node);
  return entry;
}

void collect(const pugi::xml_node& node, int depth, std::vector<ReferenceEntry>& entries) {
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    if (is(child, "listBibl")) {
      for (const pugi::xml_node& entry : child.children("biblStruct")) {
        if (entries.size() >= kMostEntries) return;
        entries.push_back(entry_of(entry));
      }
    } else if (depth < kDeepest) {
      collect(child, depth + 1, entries);
    }
  }
}

}  // namespace

std::vector<ReferenceEntry> read_references(const pugi::xml_node& root) {
  std::vector<ReferenceEntry> entries;
  collect(root.child("text"), 0, entries);
  return entries;
}

}  // namespace mustcite::extract::tei
