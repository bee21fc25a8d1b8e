#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "apps/cli/context.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "engine/evaluate/evaluate.hpp"

namespace mustcite::cli {
namespace {

struct Flags {
  std::vector<std::string> qrels;
  std::vector<std::string> runs;
  std::string release;
  std::string split = "dev";
  std::vector<std::string> tiers;  ///< empty: those that every release has, and type4 where it is there
  std::string metrics = evaluate::kDefaultMetrics;
  int relevance_level = 1;
  std::string map_denominator = "relevant";
  std::string ties = "score";
  bool lenient = false;
  std::size_t resamples = 1000;
  std::size_t permutations = 10000;
  std::string baseline;
  std::uint64_t seed = 1;
  double level = 0.95;
  std::vector<std::string> slices;
  std::string queries;
  std::string documents;
  std::string evidence;
  std::size_t min_slice_queries = 5;
  std::string format = "terminal";
  int digits = 4;
  std::string per_query;
};

/// `FILE` or `NAME=FILE`: what a table calls the file.
std::pair<std::string, std::string> named_file(const std::string& wish) {
  const auto equals = wish.find('=');
  if (equals == std::string::npos || equals == 0 || std::filesystem::exists(wish)) return {"", wish};
  return {wish.substr(0, equals), wish.substr(equals + 1)};
}

evaluate::ReadOptions read_options(const Context& context, const Flags& flags) {
  evaluate::ReadOptions options;
  options.order = flags.ties == "rank" ? evaluate::Order::rank : evaluate::Order::score;
  options.lenient = flags.lenient;
  options.threads = context.threads;
  return options;
}

std::vector<evaluate::Qrels> read_all_qrels(const Context& context, Flags& flags) {
  const auto options = read_options(context, flags);
  std::vector<evaluate::Qrels> qrels;
  for (const auto& wish : flags.qrels) {
    const auto [name, file] = named_file(wish);
    qrels.push_back(evaluate::read_qrels(file, options));
    if (!name.empty()) qrels.back().name = name;
  }
  if (!flags.release.empty()) {
    const auto folder = release_folder(context, flags.release);
    // A release that was built with Type IV is judged by it, too.
    if (flags.tiers.empty()) {
      flags.tiers = {"type3", "experiments", "all"};
      if (std::filesystem::exists(folder / "qrels" / flags.split / "type4.tsv")) flags.tiers.emplace_back("type4");
    }
    for (const auto& tier : flags.tiers) {
      const auto file = folder / "qrels" / flags.split / (tier + ".tsv");
      if (!std::filesystem::exists(file)) {
        fail(ErrorCode::not_found, "the release has no {}: check --split and --tiers", file.string());
      }
      qrels.push_back(evaluate::read_qrels(file, options));
    }
    if (flags.queries.empty()) flags.queries = (folder / "queries.jsonl").string();
    if (flags.documents.empty()) flags.documents = (folder / "corpus.jsonl").string();
  }
  if (qrels.empty()) fail(ErrorCode::usage, "nothing to judge by: give --qrels FILE or --release NAME");
  return qrels;
}

std::vector<evaluate::RunFile> read_all_runs(const Context& context, const Flags& flags) {
  std::vector<evaluate::RunFile> runs;
  for (const auto& wish : flags.runs) {
    const auto [name, file] = named_file(wish);
    runs.push_back(evaluate::read_run(file, read_options(context, flags)));
    if (!name.empty()) runs.back().name = name;
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
      if (runs[i].name == runs.back().name) {
        fail(ErrorCode::usage, "two runs are called '{}': name them with --run NAME=FILE", runs.back().name);
      }
    }
  }
  return runs;
}

int run_evaluate(Context& context, Flags flags) {
  const auto render_format = evaluate::parse_format(flags.format);
  auto qrels = read_all_qrels(context, flags);
  const auto runs = read_all_runs(context, flags);

  evaluate::Options options;
  options.metrics = evaluate::parse_metrics(flags.metrics);
  options.relevance_level = flags.relevance_level;
  options.map_denominator =
      flags.map_denominator == "capped" ? evaluate::MapDenominator::capped : evaluate::MapDenominator::relevant;
  options.min_slice_queries = flags.min_slice_queries;
  options.threads = context.threads;
  const evaluate::AttributeFiles files{flags.queries, flags.documents, flags.evidence};
  for (const auto& wish : flags.slices) options.slicings.push_back(evaluate::read_slicing(wish, files));

  auto report = evaluate::evaluate(runs, qrels, options);
  evaluate::CompareOptions compare;
  compare.resamples = flags.resamples;
  compare.permutations = flags.permutations;
  compare.baseline = flags.baseline;
  compare.seed = flags.seed;
  compare.level = flags.level;
  compare.threads = context.threads;
  if (compare.resamples > 0 || compare.permutations > 0) evaluate::compare(report, compare);

  const evaluate::RenderOptions render{render_format, flags.digits, flags.resamples > 0};
  fmt::print("{}", evaluate::render(report, render));
  if (!flags.per_query.empty()) {
    io::write_file_atomically(flags.per_query, evaluate::render_queries(report, render));
  }
  return 0;
}

}  // namespace

void add_evaluate(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("evaluate", "Score runs against judgements: which method is better, and is it luck?");
  auto flags = std::make_shared<Flags>();
  verb->add_option("--qrels", flags->qrels, "Judgements, FILE or NAME=FILE (TREC or BEIR; several allowed)")->allow_extra_args(false);
  verb->add_option("--run", flags->runs, "TREC run, FILE or NAME=FILE (several allowed)")->required()->allow_extra_args(false);
  verb->add_option("--release", flags->release, "Judge by the qrels of a release");
  verb->add_option("--split", flags->split, "Split of the release");
  verb->add_option("--tiers", flags->tiers, "Tiers of the release (default: type3, experiments, all, and type4 where it has it)")->delimiter(',');
  verb->add_option("--metrics", flags->metrics, "E.g. MAP,MRR,nDCG@10,20,Recall@100,HR@10,P@5,R-precision");
  verb->add_option("--relevance-level", flags->relevance_level, "Judgements from here on are relevant");
  verb->add_option("--map-denominator", flags->map_denominator, "MAP@K divides by: relevant, or capped (min(K, relevant))")
      ->check(CLI::IsMember({"relevant", "capped"}));
  verb->add_option("--ties", flags->ties, "Order of results: score (trec_eval's rule) or rank (the rank column)")
      ->check(CLI::IsMember({"score", "rank"}));
  verb->add_flag("--lenient", flags->lenient, "Keep the first of repeated documents instead of refusing the file");
  verb->add_option("--bootstrap", flags->resamples, "Resamples of the confidence intervals (0: none)");
  verb->add_option("--permutations", flags->permutations, "Permutations of the paired tests (0: none)");
  verb->add_option("--baseline", flags->baseline, "Run that the others are tested against (default: the first)");
  verb->add_option("--seed", flags->seed, "Seed of resampling and permutations");
  verb->add_option("--level", flags->level, "Level of the intervals")->check(CLI::Range(0.5, 0.9999));
  verb->add_option("--slice", flags->slices, "A table per slice: query:venue, query:year, document:venue, age=0-1,2-4,5+, popularity=0,1-4,5+")
      ->allow_extra_args(false);
  verb->add_option("--query-attributes", flags->queries, "JSONL or TSV with attributes of queries (default: the release's)");
  verb->add_option("--document-attributes", flags->documents, "JSONL or TSV with attributes of documents (default: the release's)");
  verb->add_option("--evidence-qrels", flags->evidence, "Qrels that popularity is counted from");
  verb->add_option("--min-slice-queries", flags->min_slice_queries, "Leave out slices with fewer queries");
  verb->add_option("--format", flags->format, "terminal, markdown, latex, csv, json or trec");
  verb->add_option("--digits", flags->digits, "Digits after the point")->check(CLI::Range(1, 17));
  verb->add_option("--per-query", flags->per_query, "Write one line per query, run and metric to this file");
  verb->callback([&context, &action, flags] { action = [&context, flags] { return run_evaluate(context, *flags); }; });
}

}  // namespace mustcite::cli
