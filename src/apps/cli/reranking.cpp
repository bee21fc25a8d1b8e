#include "apps/cli/reranking.hpp"

#include <fmt/format.h>

#include "apps/cli/late_models.hpp"
#include "apps/cli/neural_models.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "stages/release/release.hpp"

namespace mustcite::cli {
namespace {

struct CombinationFlags {
  RerankFlags rerank;
  std::string release;
  std::string index;
  std::string method;
  std::string model;
  std::string tier = "must";
  std::string labels;
  std::string years;
  std::string from;
  bool sum = false;
};

void print_report(const rank::CombinationReport& report, const rank::Combination& combination,
                  const std::filesystem::path& file) {
  Table table;
  table.add_column("held-out year");
  for (const char* title : {"nDCG@10 of the method", "of the cross-encoder", "of both"})
    table.add_column(title, Table::Align::right);
  for (const auto& [year, quality] : report.held_out) {
    table.add_row({std::to_string(year), fmt::format("{:.4f}", quality.method),
                   fmt::format("{:.4f}", quality.cross), fmt::format("{:.4f}", quality.combined)});
  }
  fmt::print("{}combination {}: {} queries, {} pairs, {} of them cited\n",
             report.held_out.empty() ? "" : table.render(), file.string(), report.queries, report.pairs,
             report.cited);
  for (std::size_t i = 0; i < combination.linear.weights.size(); ++i)
    fmt::print("{:<16} {:+.4f}\n", rank::combination_columns()[i], combination.linear.weights[i]);
}

/// Whose results are reordered.
std::string method_of(const Context& context, const CombinationFlags& flags) {
  return flags.method.empty() ? context.config().text("recommend.method") : flags.method;
}

/// The weights that were learned with an earlier state of the cross-encoder, for the one it became.
int take_combination(const Context& context, const CombinationFlags& flags) {
  const auto method = method_of(context, flags);
  const auto tier = parse_tier(flags.tier);
  const auto from = neural_model(context, flags.from);
  const auto digest = [](const std::filesystem::path& folder) {
    return model::resolve_cross_encoder(folder).encoder.digest;
  };
  auto combination = rank::load_combination(rank::combination_file(from, method, tier), digest(from));
  if (!combination) {
    fail(ErrorCode::not_found,
         "{} has no combination for {} and the tier {}: learn one there first, with --years", from.string(),
         method, tier_name(tier));
  }
  const auto to = neural_model(context, flags.rerank.model);
  combination->model_digest = digest(to);
  const auto file = rank::combination_file(to, method, tier);
  rank::save_combination(*combination, file);
  fmt::print("combination {}: the weights of {}\n", file.string(), from.string());
  return 0;
}

int run_combination(Context& context, const CombinationFlags& flags) {
  if (flags.years.empty() == flags.from.empty())
    fail(ErrorCode::usage,
         "train combination needs --years, or --from with a model that has one: one of both");
  if (!flags.from.empty()) return take_combination(context, flags);
  const auto folder = index_folder(context, flags.index, flags.release);
  const auto recommender =
      recommend::Recommender::open(folder, ranker_model(context, flags.model), readers(context));
  recommend::Options options;
  options.method = method_of(context, flags);
  options.tier = parse_tier(flags.tier);
  options.bm25 = {context.config().number("index.k1"), context.config().number("index.b")};
  const auto model = neural_model(context, flags.rerank.model);
  rank::CrossRerankerOptions of_reranker{options.method, options.tier, flags.rerank.depth,
                                         flags.rerank.scores};
  if (of_reranker.depth == 0) of_reranker.depth = 100;
  const auto reranker = recommender.open_reranker(model, of_reranker);
  const auto years = release::parse_years(flags.years);
  rank::CombinationOptions how{years.first, years.last, options.tier, context.threads, flags.sum};
  if (!flags.labels.empty()) how.tier = parse_tier(flags.labels);
  rank::CombinationReport report;
  auto combination = recommender.fit_combination(*reranker, options, how, report, context.progress());
  combination.tier = options.tier;
  const auto file = rank::combination_file(model, combination.method, combination.tier);
  rank::save_combination(combination, file);
  print_report(report, combination, file);
  return 0;
}

}  // namespace

void add_rerank_flags(CLI::App& verb, RerankFlags& flags) {
  auto* rerank = verb.add_option(
      "--rerank", flags.model,
      "Cross-encoder that puts the best results into a new order: a name in models/, or a folder");
  verb.add_option("--rerank-depth", flags.depth,
                  "Results that it reads (default: as many as its combination was learned on, else 200)")
      ->check(CLI::Range(1, 100000))
      ->needs(rerank);
  verb.add_option("--rerank-scores", flags.scores,
                  "File of its scores: an interrupted run goes on from there")
      ->needs(rerank);
}

std::unique_ptr<rank::CrossReranker> open_reranker(const Context& context, const RerankFlags& flags,
                                                   const recommend::Recommender& recommender,
                                                   const recommend::Options& options) {
  if (flags.model.empty()) return nullptr;
  auto reranker = recommender.open_reranker(neural_model(context, flags.model),
                                            {options.method, options.tier, flags.depth, flags.scores});
  if (!reranker->combines()) {
    log::warning(
        "{} has no combination for {} and the tier {}: its score alone orders the first {}; `mustcite train "
        "combination` makes one",
        flags.model, options.method, tier_name(options.tier), reranker->depth());
  }
  return reranker;
}

void add_train_combination(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.get_subcommand("train")->add_subcommand(
      "combination", "How a method's score and a cross-encoder's become one");
  auto flags = std::make_shared<CombinationFlags>();
  add_rerank_flags(*verb, flags->rerank);
  verb->get_option("--rerank")->required();
  verb->get_option("--rerank-depth")->description("Results that it reads of each query (default: 100)");
  verb->add_option("--years", flags->years,
                   "Years of the queries: neither the cross-encoder nor the ranker has learnt from them");
  verb->add_option("--from", flags->from,
                   "Learn nothing: take what an earlier state of this cross-encoder has learned");
  verb->add_flag("--sum", flags->sum,
                 "One weight for the cross-encoder's score: for models that learnt with an offset");
  verb->add_option("--release", flags->release, "Learn on the evidence of a release (default: the catalog)");
  verb->add_option("--index", flags->index, "Index folder to learn on");
  verb->add_option("--method", flags->method,
                   "Whose results are reordered (default: the setting recommend.method)");
  verb->add_option("--model", flags->model, "Model of the learned ranker: one that has not seen the years");
  verb->add_option("--tier", flags->tier, "What the learned ranker orders by");
  verb->add_option("--labels", flags->labels, "Tier of the citations that count (default: that of --tier)");
  verb->callback([&context, &action, flags] {
    action = [&context, flags] { return run_combination(context, *flags); };
  });
}

}  // namespace mustcite::cli
