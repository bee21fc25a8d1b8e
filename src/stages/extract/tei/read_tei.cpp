#include "stages/extract/tei/read_tei.hpp"

#include <algorithm>
#include <charconv>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/text/normalise.hpp"
#include "stages/extract/tei/tei.hpp"

namespace mustcite::extract {
namespace tei {
namespace {

void append_text(const pugi::xml_node& node, int depth, std::string& out) {
  for (const pugi::xml_node& child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata)
      out += child.value();
    else if (child.type() == pugi::node_element && depth < kDeepest)
      append_text(child, depth + 1, out);
  }
}

}  // namespace

bool is(const pugi::xml_node& node, std::string_view name) {
  std::string_view own = node.name();
  if (const std::size_t colon = own.find(':'); colon != std::string_view::npos) own.remove_prefix(colon + 1);
  return own == name;
}

std::string text_of(const pugi::xml_node& node) {
  std::string raw;
  append_text(node, 0, raw);
  std::string folded;
  for (const char c : text::repair_utf8(raw)) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space && static_cast<unsigned char>(c) < 0x20) continue;
    if (space && (folded.empty() || folded.back() == ' ')) continue;
    folded += space ? ' ' : c;
  }
  if (!folded.empty() && folded.back() == ' ') folded.pop_back();
  return text::nfc(folded);
}

std::string person(const pugi::xml_node& name) {
  std::string given;
  std::string family;
  for (const pugi::xml_node& part : name.children()) {
    const std::string text = text_of(part);
    if (text.empty()) continue;
    if (is(part, "forename")) given += (given.empty() ? "" : " ") + text + (text.size() == 1 ? "." : "");
    if (is(part, "surname")) family += (family.empty() ? "" : " ") + text;
    if (is(part, "genName")) family += (family.empty() ? "" : " ") + text;
  }
  if (family.empty()) return given;
  return given.empty() ? family : given + " " + family;
}

Box place_of(const pugi::xml_node& node) {
  const std::string_view coords = node.attribute("coords").value();
  float numbers[5] = {0, 0, 0, 0, 0};
  std::size_t at = 0;
  for (float& number : numbers) {
    const auto [end, error] = std::from_chars(coords.data() + at, coords.data() + coords.size(), number);
    if (error != std::errc{}) return {};
    at = static_cast<std::size_t>(end - coords.data());
    if (at < coords.size() && coords[at] == ',') ++at;
  }
  if (!(numbers[0] >= 1 && numbers[0] < 100'000)) return {};
  return {static_cast<std::uint32_t>(numbers[0]), numbers[1], numbers[2], numbers[1] + numbers[3],
          numbers[2] + numbers[4]};
}

}  // namespace tei

namespace {

std::vector<std::string> authors_of(const pugi::xml_node& header) {
  std::vector<std::string> authors;
  const auto work = header.child("fileDesc").child("sourceDesc").child("biblStruct").child("analytic");
  for (const pugi::xml_node& author : work.children("author")) {
    if (std::string name = tei::person(author.child("persName")); !name.empty())
      authors.push_back(std::move(name));
  }
  return authors;
}

std::string tool_of(const pugi::xml_node& header) {
  const auto application = header.child("encodingDesc").child("appInfo").child("application");
  const std::string version = text::clean(application.attribute("version").value());
  return version.empty() ? "grobid" : "grobid " + version.substr(0, 40);
}

std::uint32_t pages_of(const pugi::xml_node& root) {
  const auto surfaces = root.child("facsimile").children("surface");
  return static_cast<std::uint32_t>(std::distance(surfaces.begin(), surfaces.end()));
}

}  // namespace

Document read_tei(std::string_view xml, std::string_view name, const Options& options) {
  if (xml.size() > kMostTeiBytes)
    fail(ErrorCode::exhausted, "reading {}: {} bytes are more than the {} that a TEI file may have", name,
         xml.size(), kMostTeiBytes);
  pugi::xml_document parsed;
  const auto result = parsed.load_buffer(xml.data(), xml.size(), pugi::parse_default | pugi::parse_ws_pcdata,
                                         pugi::encoding_auto);
  if (!result)
    fail(ErrorCode::invalid_input, "reading {}: no well-formed XML at byte {} ({}); let GROBID make it again",
         name, result.offset, result.description());
  const pugi::xml_node root = parsed.document_element();
  if (!tei::is(root, "TEI"))
    fail(ErrorCode::invalid_input,
         "reading {}: the root element is <{}>, not <TEI>; give what processFulltextDocument answers", name,
         text::clean(root.name()));
  const pugi::xml_node header = root.child("teiHeader");
  Document document;
  document.provenance.reader = Reader::grobid;
  document.provenance.source = name;
  document.provenance.sha256 = sha256_hex(xml);
  document.provenance.tool = tool_of(header);
  document.provenance.segmentation = "markup";
  document.provenance.pages = pages_of(root);
  document.title =
      text::clean_title(tei::text_of(header.child("fileDesc").child("titleStmt").child("title")));
  document.authors = authors_of(header);
  document.abstract = text::clean_abstract(tei::text_of(header.child("profileDesc").child("abstract")));
  document.references = tei::read_references(root);
  tei::Body body = tei::read_body(root);
  document.text = std::move(body.text);
  document.sections = std::move(body.sections);
  set_section_kinds(document.sections, body.levels);
  if (document.references.empty())
    document.problems.push_back({ProblemKind::no_references, "GROBID found no reference list"});
  else
    tei::link_marks(document, body.marks, options.min_confidence);
  set_sentences(document);
  return document;
}

}  // namespace mustcite::extract
