#include <fmt/format.h>

#include "apps/cli/context.hpp"
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
  bool list = false;
  bool all = false;
};

/// The claims asked for: by name, by file, or all of the folder.
std::vector<reproduce::Claim> chosen(const Flags& flags) {
  std::vector<reproduce::Claim> claims;
  if (flags.all) return reproduce::list(flags.folder);
  for (const auto& wish : flags.claims) {
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
    const auto format = context.json ? reproduce::ListFormat::json : reproduce::ListFormat::terminal;
    fmt::print("{}", reproduce::render_list(reproduce::list(flags.folder), format));
    return 0;
  }
  if (!flags.work.empty()) flags.options.work = flags.work;
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
  auto* verb = app.add_subcommand("reproduce", "Check published numbers: run their commands and judge what comes out");
  auto flags = std::make_shared<Flags>();
  verb->add_option("claims", flags->claims, "Names of claims, or their .toml files");
  verb->add_option("--experiments", flags->folder, "Folder of the claims");
  verb->add_option("--work", flags->work, "Work folder");
  verb->add_flag("--resume", flags->options.resume, "Leave out steps that finished before");
  verb->add_flag("--network", flags->options.network, "Claims may use the network");
  verb->add_option("--timeout", flags->options.timeout_s, "Seconds for each claim");
  verb->add_flag("--list", flags->list, "List the claims");
  verb->add_flag("--all", flags->all, "Check every claim of the folder");
  verb->add_flag("--json", context.json, "JSON instead of text");
  verb->callback([&context, &action, flags] { action = [&context, flags] { return run_reproduce(context, *flags); }; });
}

}  // namespace mustcite::cli
