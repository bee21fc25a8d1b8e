#include "apps/reproduce/tables/run_store.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "apps/reproduce/process.hpp"
#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/version.hpp"

namespace mustcite::reproduce {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kTableFile = "table.json";
constexpr const char* kQueriesFile = "queries.jsonl";
// Placeholders whose text depends on where things lie, not on what they are: a run is known by their digests.
constexpr const char* kPlaces[] = {"release", "index", "models",  "ranker", "plugin",
                                   "data",    "work",  "queries", "run"};

Json read_json(const fs::path& file) {
  if (!fs::exists(file)) return {};
  return Json::parse(io::read_file(file, std::size_t{64} << 20), nullptr, false);
}

}  // namespace

RunStore::RunStore(const TableDefinition& definition, const TableOptions& options, Collection& collection)
    : definition_(definition),
      options_(options),
      collection_(collection),
      work_(fs::absolute(options.work).lexically_normal()) {
  Words known;
  for (const auto& [name, text] : options.places) known[name] = text;
  known["release"] = collection.folder.string();
  known["split"] = collection.split;
  take_folder(substitute(definition.queries, known));
}

void RunStore::take_folder(const fs::path& queries) {
  std::error_code error;
  fs::create_directories(work_, error);
  if (error) {
    fail(ErrorCode::unavailable, "cannot make the work folder {}: {}; choose a place you may write to",
         work_.string(), error.message());
  }
  const Json before = read_json(work_ / kTableFile);
  const bool ours = before.is_object() && before.contains("release_sha256");
  const bool locked_only = std::all_of(fs::directory_iterator(work_), fs::directory_iterator{},
                                       [](const auto& entry) { return entry.path().filename() == ".lock"; });
  if (!ours && !locked_only) {
    fail(ErrorCode::invalid_input, "{} holds files that are not of a table: choose another work folder",
         work_.string());
  }
  lock_ = std::make_unique<io::FileLock>(work_ / ".lock");
  if (ours && before.value("release_sha256", "") != collection_.digest && !options_.renew) {
    fail(ErrorCode::invalid_input,
         "{} holds the runs of another release ({}, manifest {}), not of {} (manifest {}): choose another "
         "--work, or "
         "give --renew to make them again",
         work_.string(), before.value("release", ""), before.value("release_sha256", "").substr(0, 12),
         collection_.name, collection_.digest.substr(0, 12));
  }
  fs::create_directories(work_ / "runs");
  fs::create_directories(work_ / "logs");
  digests_ = std::make_unique<DigestCache>(work_ / "digests.json");
  Json now;
  now["table"] = definition_.name;
  now["release"] = collection_.name;
  now["release_sha256"] = collection_.digest;
  now["split"] = collection_.split;
  io::write_file_atomically(work_ / kTableFile, now.dump(2) + "\n");
  write_queries(collection_, queries, options_.sample, work_ / kQueriesFile);
}

Words RunStore::words(const std::string& row, const std::optional<std::uint64_t>& seed) const {
  Words words = options_.places;
  words["release"] = collection_.folder.string();
  words["release_name"] = collection_.name;
  words["split"] = collection_.split;
  words["work"] = work_.string();
  words["queries"] = (work_ / kQueriesFile).string();
  words["depth"] = std::to_string(options_.depth);
  words["method"] = row;
  words["each"] = row;
  if (seed) words["seed"] = std::to_string(*seed);
  return words;
}

RunStore::Key RunStore::key_of(const WantedRun& wanted, const Words& resolved) {
  Words named = resolved;
  for (const char* place : kPlaces) named[place] = fmt::format("{{{}}}", place);
  Json key;
  key["program"] = fmt::format("mustcite {}", kVersion);
  key["release"] = collection_.digest;
  key["split"] = collection_.split;
  key["queries"] = collection_.queries_digest;
  key["steps"] = Json::array();
  for (const auto& step : wanted.method->steps) {
    Json& words_of_step = key["steps"].emplace_back(Json::array());
    for (const auto& word : step) words_of_step.push_back(substitute(word, named));
  }
  key["settings"] = options_.settings;
  key["inputs"] = Json::object();
  if (const auto index = resolved.find("index"); index != resolved.end() && fs::is_directory(index->second))
    key["inputs"]["{index}"] = digests_->of_files_in(index->second);
  for (const auto& need : wanted.method->needs) {
    // The neural library is a part of the program: its version stands for both.
    if (need.path != "{plugin}")
      key["inputs"][substitute(need.path, named)] = digests_->of(substitute(need.path, resolved));
  }
  digests_->save();
  Key result;
  result.text = key.dump();
  result.digest = sha256_hex(result.text);
  return result;
}

bool RunStore::is_current(const fs::path& run, const Key& key) {
  const Json manifest = read_json(fs::path(run).replace_extension(".json"));
  return manifest.is_object() && manifest.value("key", "") == key.digest && fs::is_regular_file(run) &&
         digests_->of_file(run) == manifest.value("sha256", "");
}

std::string RunStore::make(const WantedRun& wanted, const Words& resolved) const {
  double left_s = options_.timeout_s;
  for (std::size_t s = 0; s < wanted.method->steps.size(); ++s) {
    std::error_code ignored;
    Command command;
    command.words.push_back(options_.program.empty() ? fs::read_symlink("/proc/self/exe", ignored).string()
                                                     : options_.program.string());
    command.words.insert(command.words.end(), options_.globals.begin(), options_.globals.end());
    for (const auto& word : wanted.method->steps[s]) command.words.push_back(substitute(word, resolved));
    command.folder = work_;
    command.out = work_ / "logs" / fmt::format("{}-{}.out", wanted.name, s + 1);
    command.err = work_ / "logs" / fmt::format("{}-{}.err", wanted.name, s + 1);
    command.timeout_s = left_s;
    const auto began = std::chrono::steady_clock::now();
    const Exit exit = run_command(command);
    left_s -= std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (exit.how == Exit::How::exited && exit.code == 0) continue;
    const std::string said = last_words(command.err);
    return fmt::format("`mustcite {}` ended with {}{}{}", wanted.method->steps[s].front(), describe(exit),
                       said.empty() ? "" : ": ", said);
  }
  if (!fs::is_regular_file(resolved.at("run"))) return "its command succeeded but wrote no run";
  return "";
}

RunOutcome RunStore::obtain(const WantedRun& wanted) {
  RunOutcome outcome;
  outcome.file = work_ / "runs" / (wanted.name + ".trec");
  Words resolved = words(wanted.row, wanted.seed);
  resolved["run"] = outcome.file.string();
  for (const auto& need : wanted.method->needs) {
    const std::string path = substitute(need.path, resolved);
    if (path.empty() || !fs::exists(path)) outcome.missing.push_back({path, substitute(need.make, resolved)});
  }
  if (!outcome.missing.empty()) return outcome;
  const Key key = key_of(wanted, resolved);
  outcome.reused = is_current(outcome.file, key);
  if (outcome.reused) return outcome;
  const fs::path manifest = fs::path(outcome.file).replace_extension(".json");
  std::error_code ignored;
  fs::remove(manifest, ignored);
  fs::remove(outcome.file, ignored);
  const auto began = std::chrono::steady_clock::now();
  outcome.problem = make(wanted, resolved);
  if (!outcome.problem.empty()) return outcome;
  Json made;
  made["key"] = key.digest;
  made["made_from"] = Json::parse(key.text);
  made["sha256"] = digests_->of_file(outcome.file);
  made["bytes"] = fs::file_size(outcome.file);
  made["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  io::write_file_atomically(manifest, made.dump(2) + "\n");
  digests_->save();
  return outcome;
}

}  // namespace mustcite::reproduce
