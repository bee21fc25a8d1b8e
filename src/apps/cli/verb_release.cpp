#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/annotate_verbs.hpp"
#include "apps/cli/context.hpp"
#include "apps/cli/table.hpp"
#include "apps/validate/agreement.hpp"
#include "core/base/error.hpp"
#include "core/store/catalog.hpp"
#include "stages/annotate/annotate.hpp"
#include "stages/annotate/comparison.hpp"
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
  int type3_threshold = 0;  ///< 0: as the recipe, else 3
  std::string recipe;
  std::string version;
  std::vector<std::string> core_venues;
  bool count_query_citations = false;
  std::vector<std::string> judges;
  double min_probability = 0;
  bool must_only = false;
  bool type4 = false;
  int type4_threshold = 0;  ///< 0: as the release's default
  bool without_contexts = false;
  std::vector<std::string> readers;
  std::string agreement;
  std::string previous;
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
    fmt::print(
        "{}: {} citing papers = {} queries + {} without abstract + {} without a relevant paper in the pool\n",
        split, numbers.candidates, numbers.queries, numbers.without_abstract, numbers.without_relevant);
  }
}

release::Options options_of(const BuildFlags& flags) {
  release::Options options = flags.recipe.empty() ? release::Options{} : release::recipe(flags.recipe);
  options.name = flags.name;
  if (!flags.version.empty()) options.version = flags.version;
  if (!flags.pool_years.empty()) options.pool = release::parse_years(flags.pool_years);
  const std::pair<const char*, const std::string*> splits[] = {
      {"train", &flags.train_years}, {"dev", &flags.dev_years}, {"test", &flags.test_years}};
  const bool own_splits = !flags.train_years.empty() || !flags.dev_years.empty() || !flags.test_years.empty();
  if (own_splits) options.splits.clear();
  for (const auto& [split, years] : splits) {
    if (!years->empty()) options.splits[split] = release::parse_years(*years);
  }
  if (!flags.venues.empty()) options.query_venues = flags.venues;
  if (!flags.core_venues.empty()) options.core_venues = flags.core_venues;
  if (flags.count_query_citations) options.query_citations = release::QueryCitations::count;
  options.judges = flags.judges;
  options.min_probability = flags.min_probability;
  options.must_queries_only = options.must_queries_only || flags.must_only;
  options.type4 = flags.type4 || flags.type4_threshold > 0;
  if (flags.type4_threshold > 0) options.type4_threshold = flags.type4_threshold;
  if (flags.type3_threshold > 0) options.tiers.type3_threshold = flags.type3_threshold;
  options.with_contexts = !flags.without_contexts;
  options.readers = flags.readers;
  return options;
}

/// What the labels that the release uses say of rated instances.
validate::JudgeValues values_used(const store::Catalog& catalog, const std::vector<std::string>& judges,
                                  const std::vector<annotate::Instance>& rated) {
  annotate::LabelValues used[2];
  for (const Tier tier : {Tier::type1, Tier::type2}) {
    std::vector<std::string> sets = judges;
    if (sets.empty()) {
      for (const auto& set : annotate::label_sets(catalog)) {
        if (set.tier == tier) sets.push_back(set.judge + ":" + set.model + ":" + set.definition);
      }
    }
    for (const auto& set : sets) {
      for (const auto& [pair, value] : annotate::labels_named(catalog, tier, set))
        used[tier == Tier::type1 ? 0 : 1].emplace(pair, value);
    }
  }
  validate::JudgeValues values;
  for (const auto& instance : rated) {
    const auto pair = annotate::pair_id(instance.citing, instance.cited);
    const auto value = [&](const annotate::LabelValues& labels) {
      const auto found = annotate::value_in(labels, pair);
      return found ? *found : learn::kMissing;
    };
    values[instance.id] = {value(used[0]), value(used[1])};
  }
  return values;
}

/// Agreement of the raters of a study, and of the labels that the release uses with them, for the card.
std::vector<std::string> agreement_notes(const Context& context, const store::Catalog& catalog,
                                         const BuildFlags& flags) {
  const auto rated = rated_instances(context, flags.agreement);
  const auto report = validate::measure(rated, values_used(catalog, flags.judges, rated), {});
  const std::filesystem::path source(flags.agreement);
  auto notes = validate::card_lines(report, source.filename().string());
  notes.emplace_back(
      "Raters of a study answer narrow questions (Type I: a direct comparison baseline?), judges the wide "
      "ones: part of "
      "any distance lies there.");
  return notes;
}

int run_diff(const Context& context, const std::string& before, const std::string& after) {
  const auto difference = release::diff(release_folder(context, before), release_folder(context, after));
  for (const auto& option : difference.options) fmt::print("option {}\n", option);
  if (difference.files.empty()) {
    fmt::print("corpus, queries and judgements are the same\n");
    return 0;
  }
  Table table;
  table.add_column("file");
  for (const char* title : {"kept", "added", "removed"}) table.add_column(title, Table::Align::right);
  for (const auto& file : difference.files) {
    table.add_row(
        {file.path, std::to_string(file.kept), std::to_string(file.added), std::to_string(file.removed)});
  }
  fmt::print("{}", table.render());
  return 0;
}

int run_build(Context& context, const BuildFlags& flags) {
  const auto workspace = context.workspace();
  release::Options options = options_of(flags);
  const std::filesystem::path folder =
      flags.folder.empty() ? workspace.release(flags.name) : std::filesystem::path(flags.folder);
  const store::Catalog catalog(workspace.catalog(), store::Catalog::Mode::read_only);
  if (!flags.agreement.empty()) options.agreement_notes = agreement_notes(context, catalog, flags);
  if (!flags.previous.empty()) options.previous = release_folder(context, flags.previous);
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
  build->add_option("--pool-years", flags->pool_years, "Years of the candidate papers, e.g. 2000-2021");
  build->add_option("--train-years", flags->train_years, "Years of the training queries");
  build->add_option("--dev-years", flags->dev_years, "Years of the development queries");
  build->add_option("--test-years", flags->test_years, "Years of the test queries");
  build->add_option("--query-venues", flags->venues, "Venues of the queries (default: all)")->delimiter(',');
  build->add_option("--type3-threshold", flags->type3_threshold, "Mentions that make a citation Type III")
      ->check(CLI::Range(1, 100));
  build->add_option("--recipe", flags->recipe,
                    "Start from published rules: coreml-v1; other options change them");
  build->add_option("--version-name", flags->version, "v1, v2, ...: stands in the manifest and the card");
  build->add_option("--core-venues", flags->core_venues, "Pool: papers of these venues and what they cite")
      ->delimiter(',');
  build->add_flag("--count-query-citations", flags->count_query_citations,
                  "Citations by the evaluation queries count for the core set, too");
  build->add_option("--labels-by", flags->judges, "Type I and II labels by JUDGE[:MODEL[:DEFINITION]]")
      ->delimiter(',');
  build->add_option("--min-probability", flags->min_probability, "Leave out labels that are less sure")
      ->check(CLI::Range(0.0, 1.0));
  build->add_flag("--must-queries-only", flags->must_only,
                  "Leave out queries without a must-cite paper in the pool");
  build->add_flag("--type4", flags->type4,
                  "Add Type IV (core citation): later papers that cite the query cite the paper, too");
  build->add_option("--type4-threshold", flags->type4_threshold, "So many of them (default: 2); implies --type4")
      ->check(CLI::Range(1, 100));
  build->add_flag("--without-contexts", flags->without_contexts,
                  "Leave the citing sentences out of the evidence");
  build
      ->add_option("--readers", flags->readers,
                   "Only citing papers read by these: native, grobid, nougat, imported (default: all)")
      ->delimiter(',');
  build->add_option(
      "--agreement", flags->agreement,
      "Study or JSONL of rated instances: agreement of its raters, and of the labels with them, in the card");
  build->add_option("--previous", flags->previous,
                    "Release that this one follows: the card says what changed");
  build->add_option("--out", flags->folder, "Folder (default: releases/NAME of the workspace)");
  build->callback(
      [&context, &action, flags] { action = [&context, flags] { return run_build(context, *flags); }; });

  auto* verify = verb->add_subcommand("verify", "Check digests, counts and leaks of a release");
  auto name = std::make_shared<std::string>();
  verify->add_option("release", *name, "Name or folder")->required();
  auto* diff = verb->add_subcommand("diff", "What changed from one release to another");
  auto pair = std::make_shared<std::pair<std::string, std::string>>();
  diff->add_option("before", pair->first, "Name or folder")->required();
  diff->add_option("after", pair->second, "Name or folder")->required();
  diff->callback([&context, &action, pair] {
    action = [&context, pair] { return run_diff(context, pair->first, pair->second); };
  });

  verify->callback(
      [&context, &action, name] { action = [&context, name] { return run_verify(context, *name); }; });
}

}  // namespace mustcite::cli
