#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/context.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/store/catalog.hpp"
#include "stages/release/release.hpp"

namespace mustcite::cli {
namespace {

struct BuildFlags {
  std::string name;
  std::string folder;
  std::string pool_years;
  std::string train_years;
  std::string dev_years;
  std::string test_years;
  std::vector<std::string> venues;
  int type3_threshold = 3;
  bool without_contexts = false;
};

void print_report(const release::Report& report, const std::filesystem::path& folder) {
  fmt::print("release {}\ncorpus {} documents, evidence {} citations\n\n", folder.string(), report.corpus,
             report.evidence);
  Table table;
  table.add_column("split");
  table.add_column("tier");
  table.add_column("queries", Table::Align::right);
  table.add_column("pairs", Table::Align::right);
  for (const auto& [split, numbers] : report.splits) {
    for (const auto& [tier, queries] : numbers.queries_by_tier) {
      table.add_row({split, tier, std::to_string(queries), std::to_string(numbers.pairs_by_tier.at(tier))});
    }
  }
  fmt::print("{}", table.render());
  for (const auto& [split, numbers] : report.splits) {
    fmt::print("{}: {} citing papers = {} queries + {} without abstract + {} without a relevant paper in the pool\n",
               split, numbers.candidates, numbers.queries, numbers.without_abstract, numbers.without_relevant);
  }
}

int run_build(Context& context, const BuildFlags& flags) {
  const auto workspace = context.workspace();
  release::Options options;
  options.name = flags.name;
  options.pool = release::parse_years(flags.pool_years);
  if (!flags.train_years.empty()) options.splits["train"] = release::parse_years(flags.train_years);
  if (!flags.dev_years.empty()) options.splits["dev"] = release::parse_years(flags.dev_years);
  if (!flags.test_years.empty()) options.splits["test"] = release::parse_years(flags.test_years);
  options.query_venues = flags.venues;
  options.tiers.type3_threshold = flags.type3_threshold;
  options.with_contexts = !flags.without_contexts;
  const std::filesystem::path folder = flags.folder.empty() ? workspace.release(flags.name) : std::filesystem::path(flags.folder);
  const store::Catalog catalog(workspace.catalog(), store::Catalog::Mode::read_only);
  print_report(release::build(catalog, options, folder, context.progress()), folder);
  return 0;
}

int run_verify(const Context& context, const std::string& name) {
  const auto folder = release_folder(context, name);
  const auto verdict = release::verify(folder);
  for (const auto& problem : verdict.problems) fmt::print("{}\n", problem);
  if (!verdict.problems.empty()) {
    fail(ErrorCode::gate, "the release {} has {} problem(s); fetch or build it again", folder.string(),
         verdict.problems.size());
  }
  fmt::print("{}: {} files, all as the manifest says\n", folder.string(), verdict.files);
  return 0;
}

}  // namespace

void add_release(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("release", "Freeze a versioned benchmark, or check one");
  verb->require_subcommand(1);

  auto* build = verb->add_subcommand("build", "Freeze the catalog into corpus, queries, qrels and evidence");
  auto flags = std::make_shared<BuildFlags>();
  build->add_option("name", flags->name, "Name of the release")->required();
  build->add_option("--pool-years", flags->pool_years, "Years of the candidate papers, e.g. 2000-2021")->required();
  build->add_option("--train-years", flags->train_years, "Years of the training queries");
  build->add_option("--dev-years", flags->dev_years, "Years of the development queries");
  build->add_option("--test-years", flags->test_years, "Years of the test queries");
  build->add_option("--query-venues", flags->venues, "Venues of the queries (default: all)")->delimiter(',');
  build->add_option("--type3-threshold", flags->type3_threshold, "Mentions that make a citation Type III")
      ->check(CLI::Range(1, 100));
  build->add_flag("--without-contexts", flags->without_contexts, "Leave the citing sentences out of the evidence");
  build->add_option("--out", flags->folder, "Folder (default: releases/NAME of the workspace)");
  build->callback([&context, &action, flags] { action = [&context, flags] { return run_build(context, *flags); }; });

  auto* verify = verb->add_subcommand("verify", "Check digests, counts and leaks of a release");
  auto name = std::make_shared<std::string>();
  verify->add_option("release", *name, "Name or folder")->required();
  verify->callback([&context, &action, name] { action = [&context, name] { return run_verify(context, *name); }; });
}

}  // namespace mustcite::cli
