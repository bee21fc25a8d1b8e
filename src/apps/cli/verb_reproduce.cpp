#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "apps/cli/context.hpp"
#include "apps/cli/reproduce_table.hpp"
#include "apps/reproduce/reproduce.hpp"
#include "core/base/error.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::vector<std::string> claims;
  std::string folder = "experiments";
  reproduce::Options options;
  std::string work;
  double timeout_s = 0;  ///< 0: as claims and tables have it
  bool list = false;
  bool all = false;
  TableFlags table;
};

/// The table asked for, when it is one; a table is made alone.
std::optional<fs::path> chosen_table(const Context& context, const Flags& flags) {
  for (const auto& name : flags.claims) {
    const auto file = table_file(context, name);
    if (file && flags.claims.size() > 1) fail(ErrorCode::usage, "{} is a table: ask for it alone", name);
    if (file) return file;
  }
  return std::nullopt;
}

/// Claims need their folder, tables do not: without one only the tables are listed.
void print_list(const Context& context, const Flags& flags) {
  const auto format = context.json ? reproduce::ListFormat::json : reproduce::ListFormat::terminal;
  const bool has_claims = fs::is_directory(flags.folder);
  if (has_claims || context.json) fmt::print("{}", reproduce::render_list(reproduce::list(flags.folder), format));
  if (context.json) return;
  for (const auto& name : table_names(context))
    fmt::print("{}  a table of all methods: mustcite reproduce {} --release NAME\n", name, name);
}

/// The claims asked for: by name, by file, or all of the folder.
std::vector<reproduce::Claim> chosen(const Flags& flags) {
  std::vector<reproduce::Claim> claims;
  if (flags.all) return reproduce::list(flags.folder);
  for (const auto& wish : flags.claims) {
    if (!wish.ends_with(".toml") && !fs::is_directory(flags.folder)) {
      fail(ErrorCode::not_found,
           "{} is no table, and there is no folder of claims at {}: `mustcite reproduce --list` shows the tables; give the folder of claims with --experiments",
           wish, flags.folder);
    }
    if (wish.ends_with(".toml")) {
      claims.push_back(reproduce::load(wish));
    } else {
      const auto known = reproduce::list(flags.folder);
      claims.push_back(reproduce::find(known, wish));
    }
  }
  if (claims.empty()) fail(ErrorCode::usage, "name a claim, or give --all or --list");
  return claims;
}

int run_reproduce(Context& context, Flags flags) {
  if (flags.list) {
    print_list(context, flags);
    return 0;
  }
  if (const auto table = chosen_table(context, flags)) {
    flags.table.work = flags.work;
    flags.table.timeout_s = flags.timeout_s;
    return run_table(context, *table, flags.table);
  }
  if (!flags.work.empty()) flags.options.work = flags.work;
  if (flags.timeout_s > 0) flags.options.timeout_s = flags.timeout_s;
  std::vector<reproduce::Outcome> outcomes;
  for (const auto& claim : chosen(flags)) {
    outcomes.push_back(reproduce::run(claim, flags.options, context.progress()));
    if (!context.json) {
      fmt::print("{}", reproduce::render(outcomes.back()));
      std::fflush(stdout);
    }
  }
  if (context.json) fmt::print("{}", reproduce::render_json(outcomes));
  return reproduce::any_failed(outcomes) ? exit_code(ErrorCode::gate) : 0;
}

}  // namespace

void add_reproduce(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("reproduce", "Check published numbers, or make a paper's tables of all methods");
  auto flags = std::make_shared<Flags>();
  verb->add_option("claims", flags->claims, "Names of claims, or of one table (masterset-tables), or their .toml files");
  verb->add_option("--experiments", flags->folder, "Folder of the claims");
  verb->add_option("--work", flags->work, "Work folder");
  verb->add_flag("--resume", flags->options.resume, "Leave out steps that finished before");
  verb->add_flag("--network", flags->options.network, "Claims may use the network");
  verb->add_option("--timeout", flags->timeout_s, "Seconds for each claim, or each run of a table");
  verb->add_flag("--list", flags->list, "List the claims");
  verb->add_flag("--all", flags->all, "Check every claim of the folder");
  verb->add_flag("--json", context.json, "JSON instead of text");
  add_table_options(*verb, flags->table);
  verb->callback([&context, &action, flags] { action = [&context, flags] { return run_reproduce(context, *flags); }; });
}

}  // namespace mustcite::cli
