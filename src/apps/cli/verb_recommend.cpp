#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/answer_view.hpp"
#include "apps/cli/context.hpp"
#include "apps/cli/late_models.hpp"
#include "apps/cli/neural_models.hpp"
#include "apps/cli/out_paths.hpp"
#include "apps/cli/reranking.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/schema/trec.hpp"
#include "core/text/normalise.hpp"
#include "engine/paragraph/marks.hpp"
#include "engine/rank/methods.hpp"
#include "engine/recommend/late_folder.hpp"
#include "engine/recommend/query_file.hpp"
#include "engine/recommend/recommend.hpp"
#include "stages/release/release.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::string title;
  std::string abstract;
  std::string topic;
  std::string file;
  std::string queries;
  std::string release;
  std::string split = "dev";
  std::string run;
  std::string method;
  std::string model;
  std::string tier = "must";
  std::size_t depth = 0;
  std::string before;
  std::vector<std::string> exclude;
  std::vector<std::string> venues;
  std::string years;
  std::string index;
  bool bibtex = false;
  bool exhaustive = false;
  std::vector<std::string> seeds;
  std::string bib;
  std::vector<std::string> roles;
  double min_probability = 0;
  bool probabilities = false;
  std::string explain;
  std::string why_not;
  RerankFlags rerank;
};

recommend::Filters filters_of(const Flags& flags) {
  static const std::vector<std::string> kRoles{"baseline", "dataset", "method", "background"};
  recommend::Filters filters;
  filters.venues = flags.venues;
  filters.roles = flags.roles;
  filters.min_probability = flags.min_probability;
  for (const auto& role : flags.roles) {
    if (std::find(kRoles.begin(), kRoles.end(), role) == kRoles.end()) {
      fail(ErrorCode::usage, "'{}' is no role: use {}", role, fmt::join(kRoles, ", "));
    }
  }
  if (flags.years.empty()) return filters;
  const auto years = release::parse_years(flags.years);
  filters.first_year = years.first;
  filters.last_year = years.last;
  return filters;
}

recommend::Options options_of(const Context& context, const Flags& flags, std::size_t default_depth) {
  recommend::Options options;
  options.method = flags.method.empty() ? context.config().text("recommend.method") : flags.method;
  options.tier = parse_tier(flags.tier);
  options.depth = flags.depth > 0 ? flags.depth : default_depth;
  options.filters = filters_of(flags);
  options.probabilities = flags.probabilities;
  options.exhaustive = flags.exhaustive;
  options.bm25 = {context.config().number("index.k1"), context.config().number("index.b")};
  return options;
}

void complete(recommend::Query& query, const Flags& flags) {
  if (const auto before = before_date(flags.before)) query.before = before;
  for (const auto& id : flags.exclude) query.exclude.emplace_back(id);
  for (const auto& id : flags.seeds) query.known.emplace_back(id);
}

recommend::Query query_of(const Flags& flags) {
  recommend::Query query;
  if (!flags.file.empty()) {
    query = recommend::read_draft(flags.file);
  } else {
    query.title = text::clean_title(flags.title);
    query.abstract = text::clean_abstract(flags.abstract);
  }
  query.topic = paragraph::masked(text::clean(flags.topic));
  if (query.title.empty() && query.abstract.empty() && query.topic.empty()) {
    fail(ErrorCode::invalid_input, "there is nothing to recommend for: give --title, --abstract, --topic or --file");
  }
  complete(query, flags);
  return query;
}

/// Makes the entries of --bib known. Returns how many there are.
std::size_t add_bibliography(const recommend::Recommender& recommender, const std::string& file, recommend::Query& query) {
  const auto references = read_bibliography(file);
  for (auto& id : recommender.link(references)) query.known.push_back(std::move(id));
  return references.size();
}

recommend::Recommender open_recommender(const Context& context, const Flags& flags) {
  const auto folder = index_folder(context, flags.index, flags.release);
  const auto& methods = rank::method_names();
  if (!flags.method.empty() && std::find(methods.begin(), methods.end(), flags.method) == methods.end() &&
      !fs::exists(recommend::dense_folder(folder, flags.method)) &&
      !fs::exists(recommend::late_folder(folder, flags.method)) && recipe_file(context, flags.method)) {
    fail(ErrorCode::not_found, "the index {} has no vectors of {}: make them with `mustcite index build --dense {}`", folder.string(),
         flags.method, flags.method);
  }
  const bool of_baseline = !baseline::family_of(flags.method).empty();
  return recommend::Recommender::open(folder, ranker_model(context, of_baseline ? "" : flags.model),
                                      readers(context, of_baseline ? flags.model : ""));
}

int run_one(const Context& context, const Flags& flags) {
  if (!flags.run.empty()) fail(ErrorCode::usage, "--run is for many queries: give --queries or --release with it");
  auto query = query_of(flags);
  const auto recommender = open_recommender(context, flags);
  const std::size_t seeds = query.known.size();
  const std::size_t entries = flags.bib.empty() ? 0 : add_bibliography(recommender, flags.bib, query);
  auto options = options_of(context, flags, static_cast<std::size_t>(context.config().integer("recommend.depth")));
  if (!flags.explain.empty() || !flags.why_not.empty()) {
    const bool all_features = !flags.explain.empty();
    const auto account = recommender.account(query, options, all_features ? flags.explain : flags.why_not);
    fmt::print("{}", context.json ? account_json(account) : account_text(account, all_features, terminal_width()));
    return 0;
  }
  const auto reranker = open_reranker(context, flags.rerank, recommender, options);
  options.reranker = reranker.get();
  auto answer = recommender.answer(query, options);
  answer.known = seeds + entries;
  if (context.json) {
    fmt::print("{}", answer_json(answer));
  } else if (flags.bibtex) {
    fmt::print("{}", answer_bibtex(answer));
  } else {
    fmt::print("{}", answer_table(answer, terminal_width()));
  }
  return 0;
}

int run_many(Context& context, const Flags& flags) {
  if (flags.run.empty()) fail(ErrorCode::usage, "many queries make a run: say where with --run OUT.trec");
  check_run_path(flags.run);
  auto queries = flags.release.empty() ? recommend::read_queries(flags.queries)
                                       : recommend::read_release_queries(release_folder(context, flags.release), flags.split);
  for (auto& query : queries) complete(query, flags);
  const auto recommender = open_recommender(context, flags);
  if (!flags.release.empty()) {
    const auto revision = recommend::release_revision(release_folder(context, flags.release));
    if (recommender.info().source_revision != revision) {
      fail(ErrorCode::corrupt, "the index was built from another version of this release: run `mustcite index build --release {}`",
           flags.release);
    }
  }
  std::vector<std::string> notes;
  auto options = options_of(context, flags, 1000);
  const auto reranker = open_reranker(context, flags.rerank, recommender, options);
  options.reranker = reranker.get();
  const auto run = recommender.answer_all(queries, options, context.threads, context.progress(), notes);
  write_run(flags.run, run);
  for (const auto& note : notes) log::warning("{}", note);
  fmt::print("{}: {} queries by {}\n", flags.run, run.lists.size(), run.name);
  return 0;
}

}  // namespace

void add_recommend(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("recommend", "Papers that a title and abstract, or thousands of them, must cite");
  auto flags = std::make_shared<Flags>();
  auto* title = verb->add_option("--title", flags->title, "Title of the work");
  auto* abstract = verb->add_option("--abstract", flags->abstract, "Its abstract");
  verb->add_option("--topic", flags->topic, "Topic sentence of the paragraph that needs citations");
  auto* file = verb->add_option("--file", flags->file, "Draft: text (first line the title) or JSON; - is standard input");
  file->excludes(title)->excludes(abstract);
  auto* queries = verb->add_option("--queries", flags->queries, "Many queries: JSONL {id, title, abstract, before?}");
  auto* release = verb->add_option("--release", flags->release, "Many queries: those of a release");
  queries->excludes(release)->excludes(file)->excludes(title);
  verb->add_option("--split", flags->split, "Split of the release (default: dev)")->needs(release);
  verb->add_option("--run", flags->run, "TREC run to write for many queries");
  verb->add_flag("--probabilities", flags->probabilities, "Scores in the run are calibrated probabilities of the tier")
      ->needs(verb->get_option("--run"));
  verb->add_option("--method", flags->method, fmt::format("One of: {}; a trained baseline ({}); or a recipe whose vectors the index has",
                              fmt::join(rank::method_names(), ", "), fmt::join(baseline::names(), ", ")));
  verb->add_flag("--exhaustive", flags->exhaustive, "Late interaction scores every document instead of candidates");
  verb->add_option("--model", flags->model, "Model of the learned ranker or of a baseline: a name in models/, or a folder");
  verb->add_option("--tier", flags->tier, "What the learned ranker orders by: must, type3, experiments or all");
  verb->add_option("--depth", flags->depth, "How many papers (default: 20; 1000 in runs)")->check(CLI::Range(1, 1000000));
  verb->add_option("--before", flags->before, "Only strictly older papers and evidence: 2024, 2024-05 or 2024-05-15");
  verb->add_option("--exclude", flags->exclude, "Ids that must not come back")->delimiter(',');
  verb->add_option("--seed", flags->seeds, "Ids that the work cites already: evidence, and they do not come back")->delimiter(',');
  auto* bib = verb->add_option("--bib", flags->bib, "BibTeX file of what the work cites already");
  auto* explain = verb->add_option("--explain", flags->explain, "Id or title: every feature of this paper and what it adds");
  auto* why_not = verb->add_option("--why-not", flags->why_not, "Id or title: where this paper stands, and why");
  explain->excludes(why_not);
  for (auto* one : {bib, explain, why_not}) one->excludes(queries)->excludes(release);
  add_rerank_flags(*verb, flags->rerank);
  verb->get_option("--rerank")->excludes(explain)->excludes(why_not)->excludes(verb->get_option("--probabilities"));
  verb->add_option("--roles", flags->roles, "Only likely baselines, datasets, methods or background")->delimiter(',');
  verb->add_option("--min-probability", flags->min_probability, "Only papers at least this likely in the tier")
      ->check(CLI::Range(0.0, 1.0));
  verb->add_option("--venues", flags->venues, "Only papers of these venues")->delimiter(',');
  verb->add_option("--years", flags->years, "Only papers of these years: 2019 or 2015-2021");
  verb->add_option("--index", flags->index, "Index folder (default: the workspace's)");
  verb->add_flag("--json", context.json, "JSON instead of a table");
  verb->add_flag("--bibtex", flags->bibtex, "BibTeX entries instead of a table");
  verb->callback([&context, &action, flags] {
    action = [&context, flags] {
      return flags->queries.empty() && flags->release.empty() ? run_one(context, *flags) : run_many(context, *flags);
    };
  });
}

void add_search(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("search", "Find a paper of the catalog by its title");
  auto flags = std::make_shared<Flags>();
  verb->add_option("title", flags->title, "Title, or words of it")->required();
  verb->add_option("--depth", flags->depth, "How many papers (default: 5)")->check(CLI::Range(1, 1000));
  verb->add_flag("--json", context.json, "JSON instead of a table");
  verb->add_flag("--bibtex", flags->bibtex, "BibTeX entries instead of a table");
  verb->callback([&context, &action, flags] {
    action = [&context, flags] {
      const auto recommender = recommend::Recommender::open(index_folder(context, flags->index, ""), std::nullopt);
      const auto answer = recommender.search_title(flags->title, flags->depth > 0 ? flags->depth : 5);
      fmt::print("{}", context.json      ? answer_json(answer)
                       : flags->bibtex ? answer_bibtex(answer)
                                       : answer_table(answer, terminal_width()));
      return 0;
    };
  });
}

}  // namespace mustcite::cli
