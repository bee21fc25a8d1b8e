#include <algorithm>
#include <array>
#include <memory>
#include <system_error>

#include "core/base/error.hpp"
#include "core/io/lines.hpp"
#include "stages/import/formats.hpp"
#include "stages/import/json_fields.hpp"

namespace mustcite::importing {
namespace {

constexpr std::array<std::pair<Kind, const char*>, 9> kKinds{{{Kind::detect, "detect"},
                                                              {Kind::papers, "papers"},
                                                              {Kind::citations, "citations"},
                                                              {Kind::beir, "beir"},
                                                              {Kind::release, "release"},
                                                              {Kind::bibtex, "bibtex"},
                                                              {Kind::acl_xml, "acl-xml"},
                                                              {Kind::openalex, "openalex"},
                                                              {Kind::semantic_scholar, "semantic-scholar"}}};
constexpr std::size_t kLookedAt = std::size_t{256} << 10;
constexpr int kLinesTried = 20;

Kind kind_of_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (std::filesystem::is_directory(folder / "evidence", ignored)) return Kind::release;
  for (const char* name : {"corpus.jsonl", "corpus.jsonl.gz", "corpus.jsonl.zst"}) {
    if (std::filesystem::exists(folder / name, ignored)) {
      return std::filesystem::exists(folder / "manifest.json", ignored) ? Kind::release : Kind::beir;
    }
  }
  fail(ErrorCode::invalid_input,
       "importing {}: the folder has no corpus.jsonl, so it is neither a BEIR folder nor a release",
       folder.string());
}

std::string first_bytes(const std::filesystem::path& file) {
  const std::unique_ptr<io::ByteReader> reader = io::open_reader(file);
  std::string text(kLookedAt, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const std::size_t more = reader->read(text.data() + size, text.size() - size);
    if (more == 0) break;
    size += more;
  }
  text.resize(size);
  return text;
}

/// The kind that the keys of one line speak for; `detect` when none.
Kind kind_of_line(std::string_view line) {
  const simdjson::dom::object object = parse_json_object(line);
  const auto has = [&](std::string_view key) { return object[key].error() == simdjson::SUCCESS; };
  if (has("citing_id") || has("cited_id")) return Kind::citations;
  if (has("corpusid") || has("citingcorpusid")) return Kind::semantic_scholar;
  if (has("referenced_works") || has("abstract_inverted_index") ||
      string_field(object, "id").find("openalex.org/") != std::string_view::npos) {
    return Kind::openalex;
  }
  return (has("id") || has("_id")) && has("title") ? Kind::papers : Kind::detect;
}

Kind kind_of_lines(const std::filesystem::path& file) {
  io::LineReader reader(file);
  std::string_view line;
  for (int tried = 0; tried < kLinesTried && reader.next(line); ++tried) {
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    try {
      if (const Kind kind = kind_of_line(line); kind != Kind::detect) return kind;
    } catch (const Error& error) {
      // A broken line is the importer's to report; the next one may tell the kind.
      if (error.code() != ErrorCode::invalid_input) throw;
    }
  }
  return Kind::detect;
}

bool looks_like_bibtex(std::string_view text) {
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
    std::size_t i = at + 1;
    while (i < text.size() && ((text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'z')) ++i;
    while (i > at + 1 && i < text.size() && text[i] == ' ') ++i;
    if (i > at + 1 && i < text.size() && (text[i] == '{' || text[i] == '(')) return true;
  }
  return false;
}

Kind kind_of_file(const std::filesystem::path& file) {
  const std::string start = first_bytes(file);
  std::string_view text = start;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return Kind::detect;
  text.remove_prefix(first);
  if (text[0] == '{') return kind_of_lines(file);
  if (text[0] == '<')
    return text.find("<collection") != std::string_view::npos ? Kind::acl_xml : Kind::detect;
  if (looks_like_bibtex(text)) return Kind::bibtex;
  return kind_of_lines(file);
}

}  // namespace

const char* kind_name(Kind kind) noexcept {
  for (const auto& [value, name] : kKinds) {
    if (value == kind) return name;
  }
  return "";
}

Kind parse_kind(const std::string& name) {
  for (const auto& [value, known] : kKinds) {
    if (name == known) return value;
  }
  fail(ErrorCode::usage,
       "unknown kind '{}': use papers, citations, beir, release, bibtex, acl-xml, openalex, semantic-scholar "
       "or detect",
       name);
}

Kind detect(const std::filesystem::path& input) {
  if (input == "-") fail(ErrorCode::usage, "importing standard input: say what it holds with --kind");
  std::error_code ignored;
  if (!std::filesystem::exists(input, ignored))
    fail(ErrorCode::not_found, "importing {}: no such file or folder", input.string());
  if (std::filesystem::is_directory(input, ignored)) return kind_of_folder(input);
  const Kind kind = kind_of_file(input);
  if (kind == Kind::detect) {
    fail(ErrorCode::invalid_input,
         "importing {}: neither papers, citations, OpenAlex or Semantic Scholar lines (one JSON object a "
         "line), nor BibTeX, nor "
         "ACL Anthology XML; if it is one of them, say so with --kind",
         input.string());
  }
  return kind;
}

}  // namespace mustcite::importing
