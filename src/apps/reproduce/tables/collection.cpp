#include "apps/reproduce/tables/collection.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"

namespace mustcite::reproduce {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string joined_keys(const Json& object) {
  std::string text;
  for (const auto& [key, value] : object.items()) text += (text.empty() ? "" : ", ") + key;
  return text;
}

std::map<std::string, std::uint64_t> count_unlabelled(const fs::path& mask) {
  std::map<std::string, std::uint64_t> counts;
  if (!fs::exists(mask)) return counts;
  io::LineReader lines(mask);
  std::string_view line;
  lines.next(line);  // header
  while (lines.next(line)) ++counts[std::string(line.substr(line.rfind('\t') + 1))];
  return counts;
}

void read_manifest(const Json& manifest, const std::string& split, Collection& collection) {
  collection.name = manifest.value("name", "");
  collection.version = manifest.value("version", "");
  const Json& counts = manifest.at("counts");
  const Json& splits = counts.at("splits");
  collection.split = !split.empty() ? split : splits.contains("test") ? "test" : "dev";
  if (!splits.contains(collection.split)) {
    fail(ErrorCode::not_found, "the release {} has no split '{}'; it has: {}", collection.folder.string(),
         collection.split, joined_keys(splits));
  }
  collection.papers = counts.at("corpus").get<std::uint64_t>();
  collection.evidence = counts.at("evidence").get<std::uint64_t>();
  collection.queries = splits.at(collection.split).at("queries").get<std::uint64_t>();
  const Json& config = manifest.at("config");
  collection.pool_years = config.at("pool_years").get<std::string>();
  collection.query_years = config.at("query_years").value(collection.split, "");
  collection.query_venues = config.at("query_venues").get<std::vector<std::string>>();
}

}  // namespace

Collection read_collection(const fs::path& release, const std::string& split) {
  const fs::path file = release / "manifest.json";
  if (!fs::exists(file))
    fail(ErrorCode::not_found, "{} is no release: it has no manifest.json", release.string());
  Collection collection;
  collection.folder = release;
  collection.digest = sha256_file(file);
  try {
    const Json manifest = Json::parse(io::read_file(file, std::size_t{64} << 20));
    if (manifest.value("format", "") != "mustcite-release")
      fail(ErrorCode::corrupt, "{} is not the manifest of a release", file.string());
    read_manifest(manifest, split, collection);
  } catch (const Json::exception& error) {
    fail(ErrorCode::corrupt, "{} is not the manifest of a release ({}): fetch the release again",
         file.string(), error.what());
  }
  collection.unlabelled = count_unlabelled(release / "mask" / (collection.split + ".tsv"));
  return collection;
}

void write_queries(Collection& collection, const fs::path& source, std::size_t sample, const fs::path& file) {
  const bool own = !source.empty();
  const fs::path from = own ? source : collection.folder / "queries.jsonl";
  struct Line {
    std::string order;
    std::string text;
  };
  std::vector<Line> lines;
  io::LineReader reader(from);
  std::string_view line;
  while (reader.next(line)) {
    const Json json = Json::parse(line, nullptr, false);
    const std::string id = json.is_object() ? json.value("_id", json.value("id", "")) : "";
    if (id.empty())
      fail(ErrorCode::corrupt, "{} line {} is no query with an id: make the file again", from.string(),
           reader.line_number());
    if (!own && json.value("split", "") != collection.split) continue;
    lines.push_back({sample > 0 ? sha256_hex(id) : "", std::string(line)});
  }
  if (lines.empty()) {
    fail(ErrorCode::not_found, "{} has no query of the split {}: build the release with other years",
         from.string(), collection.split);
  }
  collection.queries = lines.size();
  if (sample > 0 && sample < lines.size()) {
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.order < b.order; });
    lines.resize(sample);
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.text < b.text; });
  }
  std::string text;
  for (const auto& one : lines) text += one.text + "\n";
  collection.asked = lines.size();
  collection.queries_digest = sha256_hex(text);
  io::write_file_atomically(file, text);
}

}  // namespace mustcite::reproduce
