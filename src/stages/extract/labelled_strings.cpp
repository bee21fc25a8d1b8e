#include "stages/extract/labelled_strings.hpp"

#include <algorithm>
#include <array>
#include <pugixml.hpp>
#include <utility>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::extract {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;
constexpr unsigned kParse = pugi::parse_default | pugi::parse_ws_pcdata | pugi::parse_doctype;

using Names = std::pair<std::string_view, FieldLabel>;

constexpr std::array kGrobid{Names{"author", FieldLabel::author},
                             Names{"editor", FieldLabel::editor},
                             Names{"date", FieldLabel::date},
                             Names{"year", FieldLabel::date},
                             Names{"publisher", FieldLabel::publisher},
                             Names{"orgName", FieldLabel::publisher},
                             Names{"pubPlace", FieldLabel::location},
                             Names{"pubplace", FieldLabel::location},
                             Names{"note", FieldLabel::note},
                             Names{"notes", FieldLabel::note},
                             Names{"idno", FieldLabel::id},
                             Names{"ptr", FieldLabel::id},
                             Names{"page", FieldLabel::pages}};

constexpr std::array kAnyStyle{Names{"author", FieldLabel::author},
                               Names{"date", FieldLabel::date},
                               Names{"editor", FieldLabel::editor},
                               Names{"translator", FieldLabel::editor},
                               Names{"director", FieldLabel::editor},
                               Names{"producer", FieldLabel::editor},
                               Names{"container-title", FieldLabel::book},
                               Names{"journal", FieldLabel::journal},
                               Names{"collection-title", FieldLabel::series},
                               Names{"volume", FieldLabel::volume},
                               Names{"pages", FieldLabel::pages},
                               Names{"publisher", FieldLabel::publisher},
                               Names{"location", FieldLabel::location},
                               Names{"note", FieldLabel::note},
                               Names{"genre", FieldLabel::note},
                               Names{"edition", FieldLabel::note},
                               Names{"medium", FieldLabel::note},
                               Names{"source", FieldLabel::note},
                               Names{"url", FieldLabel::id},
                               Names{"doi", FieldLabel::id},
                               Names{"isbn", FieldLabel::id}};

template <std::size_t N>
FieldLabel named(const std::array<Names, N>& names, std::string_view name, FieldLabel otherwise) {
  for (const auto& [known, label] : names) {
    if (known == name) return label;
  }
  return otherwise;
}

FieldLabel grobid_label(const pugi::xml_node& node, FieldLabel outer) {
  const std::string_view name = node.name();
  if (name == "title") {
    const std::string_view level = node.attribute("level").value();
    return level == "j"   ? FieldLabel::journal
           : level == "m" ? FieldLabel::book
           : level == "s" ? FieldLabel::series
                          : FieldLabel::title;
  }
  if (name == "biblScope") {
    std::string_view unit = node.attribute("unit").value();
    if (unit.empty()) unit = node.attribute("type").value();
    return unit == "pp" || unit == "page" ? FieldLabel::pages : FieldLabel::volume;
  }
  if (name == "orgName" && std::string_view(node.attribute("type").value()) == "collaboration")
    return FieldLabel::note;
  return named(kGrobid, name, outer);
}

void add_grobid(const pugi::xml_node& node, FieldLabel label, LabelledStringWriter& out) {
  for (const auto& child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      out.add(child.value(), label);
    } else if (child.type() == pugi::node_element) {
      if (std::string_view(child.name()) == "lb") out.add(" ", label);
      const FieldLabel inner = grobid_label(child, label);
      if (inner != label) out.close();
      add_grobid(child, inner, out);
      if (inner != label) out.close();
    }
  }
}

pugi::xml_document parsed(std::string_view xml, const std::string& source) {
  pugi::xml_document document;
  const auto result = document.load_buffer(xml.data(), xml.size(), kParse);
  if (!result)
    fail(ErrorCode::invalid_input, "reading labelled references from {}: {} at byte {}", source,
         result.description(), result.offset);
  return document;
}

void collect(const pugi::xml_node& node, std::string_view name, std::vector<pugi::xml_node>& found) {
  for (const auto& child : node.children()) {
    if (child.name() == name)
      found.push_back(child);
    else
      collect(child, name, found);
  }
}

}  // namespace

void LabelledStringWriter::add(std::string_view text, FieldLabel label) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= ' ') {
      if (!string_.raw.empty() && string_.raw.back() != ' ') string_.raw += ' ';
      continue;
    }
    const auto at = static_cast<std::uint32_t>(string_.raw.size());
    string_.raw += c;
    if (label == FieldLabel::other) {
      open_ = false;
      continue;
    }
    if (!open_ || string_.fields.back().label != label) string_.fields.push_back({label, at, at, 1});
    open_ = true;
    string_.fields.back().end = at + 1;
  }
}

void LabelledStringWriter::close() {
  open_ = false;
}

LabelledString LabelledStringWriter::take(std::string source) {
  while (!string_.raw.empty() && string_.raw.back() == ' ') string_.raw.pop_back();
  string_.source = std::move(source);
  open_ = false;
  return std::exchange(string_, {});
}

std::vector<LabelledString> read_grobid_strings(std::string_view xml, const std::string& source) {
  const auto document = parsed(xml, source);
  std::vector<pugi::xml_node> entries;
  collect(document, "bibl", entries);
  std::vector<LabelledString> strings;
  for (const auto& entry : entries) {
    LabelledStringWriter out;
    add_grobid(entry, FieldLabel::other, out);
    strings.push_back(out.take(source));
  }
  return strings;
}

std::vector<LabelledString> read_anystyle_strings(std::string_view xml, const std::string& source) {
  const auto document = parsed(xml, source);
  std::vector<pugi::xml_node> entries;
  collect(document, "sequence", entries);
  std::vector<LabelledString> strings;
  for (const auto& entry : entries) {
    const bool contained = entry.child("container-title") || entry.child("journal");
    LabelledStringWriter out;
    for (const auto& part : entry.children()) {
      if (part.type() != pugi::node_element || std::string_view(part.name()) == "citation-number") continue;
      const FieldLabel label = std::string_view(part.name()) == "title"
                                   ? (contained ? FieldLabel::title : FieldLabel::book)
                                   : named(kAnyStyle, part.name(), FieldLabel::other);
      out.close();
      out.add(part.text().get(), label);
      out.add(" ", FieldLabel::other);
    }
    strings.push_back(out.take(source));
  }
  return strings;
}

std::vector<LabelledString> read_labelled_strings(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".xml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<LabelledString> strings;
  for (const auto& file : files) {
    const std::string xml = io::read_file(file, kMaxFileBytes);
    const std::string name = file.filename().string();
    auto read = xml.find("<sequence>") != std::string::npos ? read_anystyle_strings(xml, name)
                                                            : read_grobid_strings(xml, name);
    std::move(read.begin(), read.end(), std::back_inserter(strings));
  }
  if (strings.empty())
    fail(ErrorCode::not_found, "reading labelled references: {} holds no .xml file with any",
         folder.string());
  return strings;
}

std::string content_key(const LabelledString& string) {
  const LabelledWork work = labelled_work(string.raw, string.fields);
  std::string key = text::title_key(work.title);
  if (key.size() < 15)
    key =
        text::title_key(std::string_view(string.raw).substr(0, std::min<std::size_t>(60, string.raw.size())));
  return key;
}

}  // namespace mustcite::extract
