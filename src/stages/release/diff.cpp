#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <unordered_set>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "stages/release/layout.hpp"
#include "stages/release/release.hpp"

namespace mustcite::release {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json manifest_of(const fs::path& folder) {
  const auto file = folder / kManifest;
  if (!fs::exists(file))
    fail(ErrorCode::not_found, "{} is no release: it has no {}", folder.string(), kManifest);
  const Json json = Json::parse(io::read_file(file, std::size_t{64} << 20), nullptr, false);
  if (!json.is_object() || json.value("format", "") != "mustcite-release")
    fail(ErrorCode::corrupt, "{} is not the manifest of a release", file.string());
  return json;
}

using Lines = std::unordered_set<std::string>;

Lines lines_of(const fs::path& file, bool is_json) {
  Lines lines;
  if (!fs::exists(file)) return lines;
  io::LineReader reader(file);
  std::string_view line;
  if (!is_json) reader.next(line);  // the names of the columns
  while (reader.next(line)) {
    if (!is_json) {
      lines.emplace(line);
      continue;
    }
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_object()) lines.insert(json.value("_id", ""));
  }
  return lines;
}

FileChange compare(const fs::path& before, const fs::path& after, const std::string& path) {
  const bool is_json = path.ends_with(".jsonl");
  const Lines old_lines = lines_of(before / path, is_json);
  const Lines new_lines = lines_of(after / path, is_json);
  FileChange change{path, 0, 0, 0};
  for (const auto& line : new_lines) (old_lines.contains(line) ? change.kept : change.added) += 1;
  change.removed = old_lines.size() - change.kept;
  return change;
}

void compare_config(const Json& before, const Json& after, const std::string& path, Difference& difference) {
  std::set<std::string> keys;
  for (const auto& [key, value] : before.items()) keys.insert(key);
  for (const auto& [key, value] : after.items()) keys.insert(key);
  for (const auto& key : keys) {
    const Json was = before.is_object() ? before.value(key, Json()) : Json();
    const Json is = after.is_object() ? after.value(key, Json()) : Json();
    if (was == is) continue;
    if (was.is_object() && is.is_object()) {
      compare_config(was, is, path + key + ".", difference);
    } else {
      difference.options.push_back(fmt::format("{}{}: {} -> {}", path, key, was.dump(), is.dump()));
    }
  }
}

}  // namespace

Difference diff(const fs::path& before, const fs::path& after) {
  const Json old_manifest = manifest_of(before);
  const Json new_manifest = manifest_of(after);
  Difference difference;
  difference.before = old_manifest.value("name", "");
  if (old_manifest.contains("version")) difference.before += ", " + old_manifest.value("version", "");
  compare_config(old_manifest.value("config", Json::object()), new_manifest.value("config", Json::object()),
                 "", difference);
  std::set<std::string> paths;
  for (const Json* manifest : {&old_manifest, &new_manifest}) {
    for (const auto& [path, facts] : manifest->at("files").items()) {
      if (path == kCorpus || path == kQueries || path.starts_with("qrels/") || path.starts_with("mask/"))
        paths.insert(path);
    }
  }
  for (const auto& path : paths) {
    const auto same = [&](const Json& manifest) {
      return manifest["files"].value(path, Json::object()).value("sha256", "");
    };
    if (same(old_manifest) == same(new_manifest)) continue;
    difference.files.push_back(compare(before, after, path));
  }
  return difference;
}

}  // namespace mustcite::release
