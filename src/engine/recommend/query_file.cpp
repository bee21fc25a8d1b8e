#include "engine/recommend/query_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <unordered_set>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "core/text/normalise.hpp"
#include "engine/paragraph/marks.hpp"

namespace mustcite::recommend {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using rank::Query;

constexpr std::size_t kMaxDraftBytes = std::size_t{8} << 20;

std::string text_field(const Json& json, const char* name, const char* alias = nullptr) {
  for (const char* key : {name, alias}) {
    if (key == nullptr || !json.contains(key) || json[key].is_null()) continue;
    if (!json[key].is_string()) fail(ErrorCode::invalid_input, "the field '{}' is not a text", key);
    return json[key].get<std::string>();
  }
  return {};
}

std::vector<PaperId> id_field(const Json& json, const char* name) {
  std::vector<PaperId> ids;
  if (!json.contains(name) || json[name].is_null()) return ids;
  if (!json[name].is_array()) fail(ErrorCode::invalid_input, "the field '{}' is not a list of paper ids", name);
  for (const auto& id : json[name]) {
    if (!id.is_string()) fail(ErrorCode::invalid_input, "the field '{}' holds something that is no paper id", name);
    ids.emplace_back(id.get<std::string>());
  }
  return ids;
}

std::vector<std::string> names_field(const Json& json, const char* name) {
  std::vector<std::string> names;
  if (!json.contains(name) || json[name].is_null()) return names;
  if (!json[name].is_array()) fail(ErrorCode::invalid_input, "the field '{}' is not a list of names", name);
  for (const auto& item : json[name]) {
    if (!item.is_string()) fail(ErrorCode::invalid_input, "the field '{}' holds something that is no name", name);
    names.push_back(text::clean(item.get<std::string>()));
  }
  return names;
}

std::optional<Date> before_field(const Json& json) {
  for (const char* key : {"before", "year"}) {
    if (!json.contains(key) || json[key].is_null()) continue;
    const std::string text = json[key].is_number_integer() ? std::to_string(json[key].get<long>())
                             : json[key].is_string()       ? json[key].get<std::string>()
                                                           : std::string{};
    const auto date = parse_date(text);
    if (!date) fail(ErrorCode::invalid_input, "the field '{}' is no date: write 2024, 2024-05 or 2024-05-15", key);
    return date;
  }
  return std::nullopt;
}

Query query_from(const Json& json) {
  Query query;
  query.id = QueryId(text_field(json, "id", "_id"));
  query.title = text::clean_title(text_field(json, "title"));
  query.abstract = text::clean_abstract(text_field(json, "abstract", "text"));
  query.topic = paragraph::masked(text::clean(text_field(json, "topic")));
  query.venue = text_field(json, "venue");
  query.before = before_field(json);
  query.exclude = id_field(json, "exclude");
  query.known = id_field(json, "known");
  query.authors = names_field(json, "authors");
  if (query.title.empty() && query.abstract.empty() && query.topic.empty()) {
    fail(ErrorCode::invalid_input, "there is neither a title nor an abstract: give at least one");
  }
  return query;
}

Query query_from_text(std::string_view bytes) {
  Query query;
  std::size_t begin = 0;
  while (begin < bytes.size() && query.title.empty()) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    query.title = text::clean_title(bytes.substr(begin, end - begin));
    begin = end + 1;
  }
  if (begin < bytes.size()) query.abstract = text::clean_abstract(bytes.substr(begin));
  if (query.title.empty() && query.abstract.empty()) {
    fail(ErrorCode::invalid_input, "the draft is empty: the first line is its title, the rest its abstract");
  }
  return query;
}

std::string read_all(const fs::path& path) {
  const auto reader = io::open_reader(path);
  std::string bytes;
  std::string chunk(std::size_t{1} << 16, '\0');
  while (const std::size_t got = reader->read(chunk.data(), chunk.size())) {
    bytes.append(chunk, 0, got);
    if (bytes.size() > kMaxDraftBytes) {
      fail(ErrorCode::invalid_input, "{} is larger than {} MiB: give title and abstract only, or use `mustcite audit`",
           path.string(), kMaxDraftBytes >> 20);
    }
  }
  return bytes;
}

}  // namespace

Query read_draft(const fs::path& path) {
  const std::string bytes = read_all(path);
  const auto first = bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  try {
    if (first == std::string::npos || bytes[first] != '{') return query_from_text(bytes);
    const Json json = Json::parse(text::repair_utf8(bytes), nullptr, false);
    if (!json.is_object()) fail(ErrorCode::invalid_input, "the JSON is broken");
    return query_from(json);
  } catch (const Error& error) {
    fail(error.code(), "cannot use the draft {}: {}", path.string(), error.what());
  }
}

std::vector<Query> read_queries(const fs::path& path) {
  io::LineReader lines(path);
  std::vector<Query> queries;
  std::unordered_set<std::string> seen;
  std::string_view line;
  while (lines.next(line)) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    try {
      if (lines.too_long()) fail(ErrorCode::invalid_input, "the line is too long");
      const Json json = Json::parse(text::repair_utf8(line), nullptr, false);
      if (!json.is_object()) fail(ErrorCode::invalid_input, "the line is no JSON object");
      Query query = query_from(json);
      if (query.id.empty()) fail(ErrorCode::invalid_input, "the query has no id");
      if (query.id.str().find_first_of(" \t") != std::string::npos) {
        fail(ErrorCode::invalid_input, "the id '{}' holds white space, which TREC files cannot carry", query.id.str());
      }
      if (!seen.insert(query.id.str()).second) fail(ErrorCode::invalid_input, "the id '{}' stands twice", query.id.str());
      queries.push_back(std::move(query));
    } catch (const Error& error) {
      fail(ErrorCode::invalid_input, "{} line {}: {}", path.string(), lines.line_number(), error.what());
    }
  }
  if (queries.empty()) fail(ErrorCode::invalid_input, "{} holds no query", path.string());
  return queries;
}

std::vector<Query> read_release_queries(const fs::path& folder, const std::string& split) {
  const fs::path file = folder / "queries.jsonl";
  io::LineReader lines(file);
  std::vector<Query> queries;
  std::set<std::string> splits;
  std::string_view line;
  while (lines.next(line)) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) {
      fail(ErrorCode::corrupt, "{} line {} is no JSON: check the release with `mustcite release verify`", file.string(),
           lines.line_number());
    }
    const std::string found = json.value("split", "");
    splits.insert(found);
    if (found != split) continue;
    queries.push_back(query_from(json));
    queries.back().authors.clear();  // a benchmark gives title and abstract
    // The query paper itself may stand in the pool of a later year.
    queries.back().exclude.emplace_back(queries.back().id.str());
  }
  if (queries.empty()) {
    fail(ErrorCode::not_found, "the release {} has no queries in split '{}'; it has: {}", folder.string(), split,
         fmt::join(splits, ", "));
  }
  return queries;
}

}  // namespace mustcite::recommend
