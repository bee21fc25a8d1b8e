#include "engine/recommend/index_folder.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/version.hpp"
#include "core/io/file.hpp"
#include "engine/dense/vector_file.hpp"
#include "engine/late/index_file.hpp"
#include "engine/rank/resources.hpp"
#include "engine/recommend/late_folder.hpp"

namespace mustcite::recommend {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormatVersion = 1;
constexpr std::size_t kMostVenues = 40;
constexpr const char* kInfoFile = "index.json";
constexpr const char* kDenseFolder = "dense";
constexpr const char* kLateFolder = "late";

std::string rebuild_command(const std::string& source) {
  return source.empty() || source == "catalog" ? "mustcite index build"
                                               : fmt::format("mustcite index build --release {}", source);
}

std::string info_text(const IndexInfo& info) {
  Json json;
  json["format"] = "mustcite-index";
  json["format_version"] = kFormatVersion;
  json["tool"] = fmt::format("mustcite {}", kVersion);
  json["source"] = info.source;
  json["source_revision"] = info.source_revision;
  json["snapshot"] = info.snapshot_digest;
  json["analyzer"] = info.analyzer;
  json["title_weight"] = info.title_weight;
  json["abstract_weight"] = info.abstract_weight;
  json["papers"] = info.papers;
  json["documents"] = info.documents;
  json["evidence"] = info.evidence;
  json["first_year"] = info.first_year;
  json["last_year"] = info.last_year;
  json["newest_title"] = info.newest_title;
  json["venues"] = Json::array();
  for (const auto& venue : info.venues) json["venues"].push_back({{"venue", venue.venue}, {"documents", venue.documents}});
  return json.dump(2) + "\n";
}

/// Years, newest paper and venues of the documents, for the coverage line of answers.
void summarise(const snapshot::Snapshot& snapshot, IndexInfo& info) {
  std::map<std::string, std::uint64_t, std::less<>> venues;
  for (std::uint32_t row = 0; row < snapshot.size(); ++row) {
    const auto document = snapshot.document(DocId{row});
    if (document.date.known()) {
      if (info.first_year == 0) info.first_year = document.date.year;
      info.last_year = document.date.year;
      info.newest_title = document.title;
    }
    if (document.venue.empty()) continue;
    const auto found = venues.find(document.venue);
    if (found != venues.end()) {
      ++found->second;
    } else {
      venues.emplace(document.venue, 1);
    }
  }
  for (const auto& [venue, documents] : venues) info.venues.push_back({venue, documents});
  std::stable_sort(info.venues.begin(), info.venues.end(),
                   [](const auto& a, const auto& b) { return a.documents > b.documents; });
  if (info.venues.size() > kMostVenues) info.venues.resize(kMostVenues);
}

/// Takes vectors of the old index over to the new one: the same files under a second name.
void keep_vectors(const fs::path& old_index, const fs::path& staged, const char* kept) {
  std::error_code none;
  for (const auto& entry : fs::recursive_directory_iterator(old_index / kept, none)) {
    const fs::path to = staged / fs::relative(entry.path(), old_index);
    if (entry.is_directory()) {
      fs::create_directories(to);
    } else if (entry.is_regular_file() && entry.path().extension() != ".lock") {
      fs::create_directories(to.parent_path());
      fs::create_hard_link(entry.path(), to, none);
      if (none) fs::copy_file(entry.path(), to);  // a file system without hard links
    }
  }
}

/// Names of the folders in a folder that are no hidden ones, sorted.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && !name.starts_with('.')) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

fs::path dense_folder(const fs::path& index_folder, const std::string& recipe) { return index_folder / kDenseFolder / recipe; }

std::vector<std::string> dense_recipes(const fs::path& index_folder) { return names_in(index_folder / kDenseFolder); }

fs::path late_folder(const fs::path& index_folder, const std::string& recipe) { return index_folder / kLateFolder / recipe; }

std::vector<std::string> late_recipes(const fs::path& index_folder) { return names_in(index_folder / kLateFolder); }

IndexInfo build_index(const snapshot::Source& source, const fs::path& folder, const IndexOptions& options,
                      Progress& progress) {
  std::error_code made;
  fs::create_directories(folder.parent_path(), made);
  const io::FileLock lock(folder.parent_path() / fmt::format(".{}.lock", folder.filename().string()));
  io::StagedDirectory staged(folder);

  const auto built = snapshot::build(source, staged.path(), progress);
  if (built.documents == 0) {
    fail(ErrorCode::invalid_input, "there is nothing to index: no paper has an abstract; import papers with abstracts");
  }
  IndexInfo info;
  {
    const auto snapshot = snapshot::Snapshot::open(staged.path());
    rank::ResourceOptions resources;
    resources.analyzer = options.analyzer;
    resources.title_weight = options.title_weight;
    resources.abstract_weight = options.abstract_weight;
    resources.latent_years = options.latent_years;
    resources.latent = options.latent;
    resources.threads = options.threads;
    rank::build_resources(snapshot, staged.path(), resources, progress);
    info.source = options.source;
    info.source_revision = options.source_revision;
    info.snapshot_digest = snapshot.digest();
    info.analyzer = options.analyzer;
    info.title_weight = options.title_weight;
    info.abstract_weight = options.abstract_weight;
    info.papers = built.papers;
    info.documents = snapshot.size();
    info.evidence = snapshot.evidence_size();
    summarise(snapshot, info);
  }
  io::write_file_atomically(staged.path() / kInfoFile, info_text(info));
  keep_vectors(folder, staged.path(), kDenseFolder);
  keep_vectors(folder, staged.path(), kLateFolder);
  staged.publish();
  return info;
}

IndexInfo read_index_info(const fs::path& folder) {
  if (!fs::exists(folder / kInfoFile)) {
    fail(ErrorCode::not_found, "there is no index at {}: build it with `{}`", folder.string(),
         rebuild_command(folder.filename().string()));
  }
  const Json json = Json::parse(io::read_file(folder / kInfoFile, std::size_t{1} << 20), nullptr, false);
  if (!json.is_object() || json.value("format", "") != "mustcite-index" ||
      json.value("format_version", 0) != kFormatVersion) {
    fail(ErrorCode::corrupt, "the index at {} is damaged or of another version: rebuild it with `{}`", folder.string(),
         rebuild_command(folder.filename().string()));
  }
  IndexInfo info;
  info.source = json.value("source", "");
  info.source_revision = json.value("source_revision", "");
  info.snapshot_digest = json.value("snapshot", "");
  info.analyzer = json.value("analyzer", "");
  info.title_weight = json.value("title_weight", 1);
  info.abstract_weight = json.value("abstract_weight", 1);
  info.papers = json.value("papers", std::uint64_t{0});
  info.documents = json.value("documents", std::uint64_t{0});
  info.evidence = json.value("evidence", std::uint64_t{0});
  info.first_year = json.value("first_year", 0);
  info.last_year = json.value("last_year", 0);
  info.newest_title = json.value("newest_title", "");
  for (const auto& venue : json.value("venues", Json::array())) {
    info.venues.push_back({venue.value("venue", ""), venue.value("documents", std::uint64_t{0})});
  }
  return info;
}

void check_index(const fs::path& folder) {
  const auto info = read_index_info(folder);
  const auto resources = rank::Resources::open(folder);
  if (resources.snapshot().digest() != info.snapshot_digest) {
    fail(ErrorCode::corrupt, "the parts of the index at {} belong to different snapshots: rebuild it with `{}`",
         folder.string(), rebuild_command(info.source));
  }
  for (const auto& recipe : dense_recipes(folder)) {
    const auto vectors = dense::VectorFile::open(dense_folder(folder, recipe));
    if (vectors.info().snapshot_digest != info.snapshot_digest) {
      fail(ErrorCode::corrupt, "the vectors of {} in the index at {} are those of other documents: make them anew with `mustcite "
           "index build --dense {}`", recipe, folder.string(), recipe);
    }
  }
  for (const auto& recipe : late_recipes(folder)) {
    const auto index = late::LateIndex::open(late_folder(folder, recipe));
    if (index.info().snapshot_digest != info.snapshot_digest) {
      fail(ErrorCode::corrupt, "the token vectors of {} in the index at {} are those of other documents: make them anew with "
           "`mustcite index build --dense {}`", recipe, folder.string(), recipe);
    }
  }
}

std::string release_revision(const fs::path& release_folder) { return sha256_file(release_folder / "manifest.json"); }

}  // namespace mustcite::recommend
