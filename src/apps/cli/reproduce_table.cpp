#include "apps/cli/reproduce_table.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <set>

#include "apps/cli/shipped.hpp"
#include "apps/reproduce/tables/published.hpp"
#include "apps/reproduce/tables/render.hpp"
#include "apps/reproduce/tables/table.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "engine/dense/encoder.hpp"
#include "engine/recommend/index_folder.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

/// The release asked for; without a wish the only one of the workspace.
fs::path asked_release(const Context& context, const TableFlags& flags) {
  if (!flags.release.empty()) return fs::absolute(release_folder(context, flags.release)).lexically_normal();
  std::set<std::string> names;
  std::error_code none;
  const fs::path releases = context.workspace().folder() / "releases";
  for (const auto& entry : fs::directory_iterator(releases, none)) {
    if (fs::exists(entry.path() / "manifest.json")) names.insert(entry.path().filename().string());
  }
  if (names.size() == 1) return fs::absolute(releases / *names.begin()).lexically_normal();
  fail(names.empty() ? ErrorCode::not_found : ErrorCode::usage,
       "a table is made on a release, and the workspace has {}: {}", names.empty() ? "none" : "several",
       names.empty() ? "make one with `mustcite release build`" : "choose one with --release NAME");
}

/// Where the neural library is loaded from, as far as a row needs to know: empty when it cannot be loaded.
std::string plugin_place() {
  try {
    static_cast<void>(dense::neural_plugin());
    return "/proc/self/exe";
  } catch (const Error&) {
    return "";
  }
}

/// The index of the release, which must be of these very bytes.
fs::path asked_index(const Context& context, const TableFlags& flags, const fs::path& release) {
  const fs::path index =
      fs::absolute(index_folder(context, flags.index, release.string())).lexically_normal();
  if (!fs::exists(index / "index.json")) {
    fail(ErrorCode::not_found,
         "there is no index of the release at {}: run `mustcite index build --release {}`", index.string(),
         release.filename().string());
  }
  if (recommend::read_index_info(index).source_revision != recommend::release_revision(release)) {
    fail(ErrorCode::corrupt,
         "the index {} was built from another version of this release: run `mustcite index build --release "
         "{}`",
         index.string(), release.filename().string());
  }
  return index;
}

/// Settings of this call, and those that the steps are given again: files and environment reach them anyway.
std::vector<std::string> settings_in_force(const Context& context) {
  std::vector<std::string> settings;
  for (const auto& setting : Config::known()) {
    const auto& value = context.config().value(setting.name);
    if (value.origin == Config::Origin::built_in || setting.name == "threads" ||
        setting.name.starts_with("log."))
      continue;
    settings.push_back(setting.name + "=" + value.text);
  }
  return settings;
}

reproduce::TableOptions options_of(const Context& context, const std::string& table,
                                   const TableFlags& flags) {
  reproduce::TableOptions options;
  const fs::path workspace = fs::absolute(context.workspace().folder()).lexically_normal();
  options.release = asked_release(context, flags);
  options.split = flags.split;
  options.globals = {"--workspace", workspace.string(), "--quiet", "--threads",
                     std::to_string(context.threads)};
  for (const auto& setting : context.settings)
    options.globals.insert(options.globals.end(), {"--set", setting});
  options.settings = settings_in_force(context);
  options.places["index"] = asked_index(context, flags, options.release).string();
  options.places["models"] = (workspace / "models").string();
  options.places["data"] = flags.data.empty() ? "" : fs::absolute(flags.data).lexically_normal().string();
  const auto ranker = ranker_model(context, flags.model);
  options.places["ranker"] = ranker ? fs::absolute(*ranker).lexically_normal().string() : "";
  options.places["plugin"] = plugin_place();
  options.work = flags.work.empty() ? workspace / "reproduce" /
                                          fmt::format("{}-{}", table, options.release.filename().string())
                                    : fs::path(flags.work);
  options.only = flags.methods;
  options.sample = flags.sample;
  options.depth = flags.depth;
  options.renew = flags.renew;
  options.resamples = flags.resamples;
  options.permutations = flags.permutations;
  if (flags.timeout_s > 0) options.timeout_s = flags.timeout_s;
  options.threads = context.threads;
  return options;
}

/// What a table reads and where it goes, before its rows are made for hours.
void check_places(const reproduce::TableDefinition& definition, const TableFlags& flags) {
  if (!flags.out.empty() && fs::exists(flags.out) && !fs::is_directory(flags.out))
    fail(ErrorCode::invalid_input, "cannot write the table to {}: it is a file; give a folder with --out",
         flags.out);
  const std::string place = "{data}";
  if (!definition.queries.starts_with(place)) return;
  if (flags.data.empty())
    fail(ErrorCode::usage, "the table {} is made from a folder of files: give it with --data FOLDER",
         definition.name);
  const fs::path queries = flags.data + definition.queries.substr(place.size());
  if (!fs::exists(queries))
    fail(ErrorCode::not_found, "the table {} needs {}, which is not there: give another folder with --data",
         definition.name, queries.string());
}

void write_all(const reproduce::TableReport& report, const reproduce::PublishedCheck* check,
               const fs::path& folder) {
  using reproduce::TableFormat;
  std::error_code error;
  fs::create_directories(folder, error);
  for (const auto format : {TableFormat::terminal, TableFormat::markdown, TableFormat::latex,
                            TableFormat::html, TableFormat::json}) {
    const fs::path file = folder / (report.definition.name + reproduce::file_ending(format));
    io::write_file_atomically(file, reproduce::render_table(report, check, format));
  }
}

}  // namespace

std::optional<fs::path> table_file(const Context& context, const std::string& name) {
  if (name.ends_with(".toml"))
    return reproduce::is_table(name) ? std::optional<fs::path>(name) : std::nullopt;
  const fs::path own = context.workspace_folder() / "tables" / (name + ".toml");
  if (fs::exists(own)) return own;
  return shipped(fs::path("tables") / (name + ".toml"));
}

std::vector<std::string> table_names(const Context& context) {
  std::set<std::string> names;
  std::error_code none;
  const auto add = [&](const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      if (entry.path().extension() == ".toml") names.insert(entry.path().stem().string());
    }
  };
  add(context.workspace_folder() / "tables");
  if (const auto folder = shipped("tables")) add(*folder);
  return {names.begin(), names.end()};
}

int run_table(Context& context, const fs::path& file, const TableFlags& flags) {
  const auto format = reproduce::parse_table_format(context.json ? "json" : flags.format);
  const auto definition = reproduce::load_table(file);
  check_places(definition, flags);
  std::optional<reproduce::PublishedTable> published;
  if (!flags.check.empty()) {
    if (flags.check != "published")
      fail(ErrorCode::usage, "--check knows `published` alone, not '{}'", flags.check);
    if (definition.published.empty())
      fail(ErrorCode::usage, "the table {} has no published values to check", definition.name);
    published = reproduce::load_published(definition.published);
  }
  reproduce::MadeRuns made;
  const auto report = reproduce::make_table(definition, options_of(context, definition.name, flags), made,
                                            context.progress());
  std::optional<reproduce::PublishedCheck> check;
  if (published) check = reproduce::check_published(report, *published);
  const auto* checked = check ? &*check : nullptr;
  fmt::print("{}", reproduce::render_table(report, checked, format));
  if (!flags.out.empty()) write_all(report, checked, flags.out);
  log::info("{} runs made, {} taken over", made.made, made.reused);
  if (check && !check->not_comparable.empty()) return exit_code(ErrorCode::unavailable);
  if (check && !check->passed()) return exit_code(ErrorCode::gate);
  return report.count(reproduce::RowState::failed) > 0 ? exit_code(ErrorCode::internal) : 0;
}

void add_table_options(CLI::App& verb, TableFlags& flags) {
  const std::string group = "Tables";
  verb.add_option("--release", flags.release,
                  "Release to make the table on (default: the workspace's only one)")
      ->group(group);
  verb.add_option("--split", flags.split, "Its split (default: test where there is one, else dev)")
      ->group(group);
  verb.add_option("--index", flags.index, "Index folder (default: the release's)")->group(group);
  verb.add_option("--data", flags.data, "Folder that the table's file calls {data}")->group(group);
  verb.add_option("--model", flags.model, "Model of the learned ranker: a name in models/, or a folder")
      ->group(group);
  verb.add_option("--methods", flags.methods, "Only these rows")->delimiter(',')->group(group);
  verb.add_option("--sample", flags.sample, "Only so many queries, drawn by their ids (0: all)")
      ->group(group);
  verb.add_option("--depth", flags.depth, "Papers a query")->check(CLI::Range(1, 1000000))->group(group);
  verb.add_option("--bootstrap", flags.resamples, "Resamples of the confidence intervals (0: none)")
      ->group(group);
  verb.add_option("--permutations", flags.permutations, "Permutations of the paired tests (0: none)")
      ->group(group);
  verb.add_option("--format", flags.format, "terminal, markdown, latex, html or json")->group(group);
  verb.add_option("--out", flags.out, "Write the table in every format to this folder, too")->group(group);
  verb.add_option("--check", flags.check,
                  "published: judge by the published values, where pool and queries are those")
      ->group(group);
  verb.add_flag("--renew", flags.renew, "Make the runs again when the work folder is of another release")
      ->group(group);
}

}  // namespace mustcite::cli
