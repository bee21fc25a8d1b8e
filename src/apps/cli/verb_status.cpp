#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/context.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/store/catalog.hpp"
#include "engine/dense/vector_file.hpp"
#include "engine/late/index_file.hpp"
#include "engine/recommend/index_folder.hpp"
#include "engine/recommend/late_folder.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct Artefact {
  std::string name;
  std::string state;
  std::string renewed_by;
};

std::vector<fs::path> folders_in(const fs::path& parent) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(parent, none)) {
    if (entry.is_directory() && !entry.path().filename().string().starts_with('.')) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Artefact index_artefact(const store::Workspace& workspace, const fs::path& folder, const std::string& revision) {
  Artefact artefact{"index " + folder.filename().string(), "current", ""};
  const bool of_catalog = folder.filename() == "catalog";
  const std::string build = of_catalog ? "mustcite index build"
                                       : fmt::format("mustcite index build --release {}", folder.filename().string());
  try {
    const auto info = recommend::read_index_info(folder);
    const std::string now = of_catalog ? revision : recommend::release_revision(workspace.release(folder.filename().string()));
    if (info.source_revision != now) artefact = {artefact.name, "stale: its source has changed since", build};
  } catch (const Error& error) {
    artefact = {artefact.name, fmt::format("unusable: {}", error.what()), build};
  }
  return artefact;
}

Artefact vector_artefact(const fs::path& index, const std::string& recipe) {
  Artefact artefact{fmt::format("vectors {} of {}", recipe, index.filename().string()), "current", ""};
  const std::string build = fmt::format("mustcite index build --dense {}", recipe);
  try {
    const auto vectors = dense::VectorFile::open(recommend::dense_folder(index, recipe));
    if (vectors.info().snapshot_digest != recommend::read_index_info(index).snapshot_digest)
      artefact = {artefact.name, "stale: the index has other documents now", build};
  } catch (const Error& error) {
    artefact = {artefact.name, fmt::format("unusable: {}", error.what()), build};
  }
  return artefact;
}

Artefact late_artefact(const fs::path& index, const std::string& recipe) {
  Artefact artefact{fmt::format("token vectors {} of {}", recipe, index.filename().string()), "current", ""};
  const std::string build = fmt::format("mustcite index build --dense {}", recipe);
  try {
    const auto vectors = late::LateIndex::open(recommend::late_folder(index, recipe));
    if (vectors.info().snapshot_digest != recommend::read_index_info(index).snapshot_digest)
      artefact = {artefact.name, "stale: the index has other documents now", build};
  } catch (const Error& error) {
    artefact = {artefact.name, fmt::format("unusable: {}", error.what()), build};
  }
  return artefact;
}

std::vector<Artefact> artefacts(const store::Workspace& workspace, const store::CatalogCounts& counts,
                                const std::string& revision) {
  std::vector<Artefact> found;
  for (const auto& folder : folders_in(workspace.folder() / "index")) {
    found.push_back(index_artefact(workspace, folder, revision));
    for (const auto& recipe : recommend::dense_recipes(folder)) found.push_back(vector_artefact(folder, recipe));
    for (const auto& recipe : recommend::late_recipes(folder)) found.push_back(late_artefact(folder, recipe));
  }
  if (counts.papers_with_abstract > 0 && !fs::exists(workspace.index())) {
    found.push_back({"index catalog", "missing", "mustcite index build"});
  }
  for (const auto& folder : folders_in(workspace.folder() / "releases")) {
    found.push_back({"release " + folder.filename().string(), "frozen", ""});
  }
  for (const auto& folder : folders_in(workspace.models())) {
    found.push_back({"model " + folder.filename().string(), "present", ""});
  }
  return found;
}

int run_status(const Context& context) {
  const auto workspace = context.workspace();
  const store::Catalog catalog(workspace.catalog(), store::Catalog::Mode::read_only);
  const auto counts = catalog.counts();
  const auto found = artefacts(workspace, counts, catalog.revision());
  if (context.json) {
    nlohmann::ordered_json json;
    json["workspace"] = fs::absolute(workspace.folder()).string();
    json["catalog"] = {{"papers", counts.papers},       {"papers_with_abstract", counts.papers_with_abstract},
                       {"citations", counts.citations}, {"dangling_citations", counts.dangling_citations},
                       {"contexts", counts.contexts},   {"labels", counts.labels},
                       {"rejects", counts.rejects}};
    json["artefacts"] = nlohmann::ordered_json::array();
    for (const auto& artefact : found) {
      json["artefacts"].push_back(
          {{"name", artefact.name}, {"state", artefact.state}, {"renewed_by", artefact.renewed_by}});
    }
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  fmt::print("workspace {}\n", fs::absolute(workspace.folder()).lexically_normal().string());
  fmt::print("papers {} ({} with abstract), citations {} ({} dangling), citing sentences {}, labels {}, rejects {}\n\n",
             counts.papers, counts.papers_with_abstract, counts.citations, counts.dangling_citations, counts.contexts,
             counts.labels, counts.rejects);
  if (counts.papers == 0) fmt::print("next: mustcite import papers FILE, or mustcite catalog pull FILE-OR-URL\n");
  Table table;
  for (const char* title : {"artefact", "state", "renewed by"}) table.add_column(title);
  for (const auto& artefact : found) table.add_row({artefact.name, artefact.state, artefact.renewed_by});
  if (!found.empty()) fmt::print("{}", table.render());
  return 0;
}

/// One thing that a working installation needs.
struct Check {
  std::string what;
  bool fine = true;
  std::string finding;
};

template <typename Work>
Check check(std::string what, const Work& work) {
  try {
    return {std::move(what), true, work()};
  } catch (const std::exception& error) {
    return {std::move(what), false, error.what()};
  }
}

int run_doctor(const Context& context) {
  std::vector<Check> checks;
  checks.push_back(check("workspace", [&] { return context.workspace().folder().string(); }));
  checks.push_back(check("catalog", [&] {
    const store::Catalog catalog(context.workspace().catalog(), store::Catalog::Mode::read_only);
    return fmt::format("{} papers, {} citations", catalog.counts().papers, catalog.counts().citations);
  }));
  checks.push_back(check("index", [&] {
    const auto info = recommend::read_index_info(context.workspace().index());
    recommend::check_index(context.workspace().index());
    return fmt::format("{} documents, snapshot {}", info.documents, info.snapshot_digest.substr(0, 12));
  }));
  checks.push_back(check("writing", [&] {
    const auto probe = context.workspace().folder() / ".doctor";
    io::write_file_atomically(probe, "ok");
    fs::remove(probe);
    return std::string("the workspace can be written");
  }));
  bool all_fine = true;
  for (const auto& item : checks) {
    fmt::print("{:<10} {}  {}\n", item.what, item.fine ? "fine" : "BAD ", item.finding);
    all_fine = all_fine && item.fine;
  }
  return all_fine ? 0 : 1;
}

}  // namespace

void add_status(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("status", "What the workspace holds, what is stale, and what renews it");
  verb->add_flag("--json", context.json, "JSON instead of text");
  verb->callback([&context, &action] { action = [&context] { return run_status(context); }; });
}

void add_doctor(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("doctor", "Check workspace, catalog and index, and say what is wrong");
  verb->callback([&context, &action] { action = [&context] { return run_doctor(context); }; });
}

}  // namespace mustcite::cli
