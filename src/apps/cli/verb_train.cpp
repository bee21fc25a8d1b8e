#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/context.hpp"
#include "apps/cli/late_models.hpp"
#include "apps/cli/neural_models.hpp"
#include "apps/cli/out_paths.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "engine/late/retriever.hpp"
#include "engine/rank/cross_reranker.hpp"
#include "engine/rank/resources.hpp"
#include "engine/rank/train.hpp"
#include "engine/recommend/index_folder.hpp"
#include "engine/recommend/late_folder.hpp"
#include "stages/release/release.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::string release;
  std::string index;
  std::string out;
  std::string years;
  std::string dense;
  std::string late;
  std::string cross;
  std::size_t cross_depth = 100;
  std::string cross_scores;
  std::vector<std::string> without;
  std::vector<std::string> params;
  rank::TrainOptions options;
};

void print_report(const rank::TrainReport& report, const fs::path& folder) {
  fmt::print("model {}: {:.2f} MB\n{} citing papers = {} trained on + {} without abstract + {} without an older cited document + {} of "
             "years that the encoder was trained on\n",
             folder.string(), static_cast<double>(report.bytes) / 1e6, report.queries, report.trained_on,
             report.without_abstract, report.without_target, report.seen_by_encoder);
  Table table;
  table.add_column("held-out year");
  for (const char* title : {"queries", "Recall@100", "Recall@1000", "nDCG@10", "calibration error"}) {
    table.add_column(title, Table::Align::right);
  }
  for (const auto& [tier, quality] : report.held_out) {
    table.add_row({tier_name(tier), std::to_string(quality.queries), fmt::format("{:.3f}", quality.recall_100),
                   fmt::format("{:.3f}", quality.recall_depth), fmt::format("{:.3f}", quality.ndcg_10),
                   fmt::format("{:.3f}", quality.calibration_error)});
  }
  fmt::print("{}", table.render());
}

/// The newest citing paper that a model folder was trained on, by its training record; 0: trained elsewhere.
int trained_until(const fs::path& model) {
  const fs::path file = model / "training.json";
  if (!fs::exists(file)) return 0;
  const auto record = nlohmann::json::parse(io::read_file(file, std::size_t{16} << 20), nullptr, false);
  if (!record.is_object() || !record.contains("trained_until") || !record["trained_until"].is_number_integer()) {
    fail(ErrorCode::corrupt, "{} does not say up to which year the encoder was trained: train it again", file.string());
  }
  return record["trained_until"].get<int>();
}

int run_train(Context& context, Flags flags) {
  if (!flags.years.empty()) {
    const auto years = release::parse_years(flags.years);
    flags.options.first_year = years.first;
    flags.options.last_year = years.last;
  }
  for (const auto& group : flags.without) flags.options.without.insert(group);
  for (const auto& param : flags.params) {
    const auto equals = param.find('=');
    if (equals == std::string::npos) fail(ErrorCode::usage, "--param wants name=value, not '{}'", param);
    flags.options.params[param.substr(0, equals)] = param.substr(equals + 1);
  }
  flags.options.threads = context.threads;
  const auto index = index_folder(context, flags.index, flags.release);
  auto resources = rank::Resources::open(index);
  std::optional<dense::Retriever> vectors;
  if (!flags.dense.empty()) {
    vectors.emplace(recommend::dense_folder(index, flags.dense), resources.snapshot().digest(), encoder_factory(context));
    resources.attach(&*vectors);
    flags.options.encoder_trained_until = trained_until(vectors->vectors().info().model_folder);
  }
  std::optional<late::Retriever> tokens;
  if (!flags.late.empty()) {
    tokens.emplace(recommend::late_folder(index, flags.late), resources.snapshot().digest(), token_encoder_factory(context));
    resources.attach_tokens(&*tokens);
    flags.options.encoder_trained_until =
        std::max(flags.options.encoder_trained_until, trained_until(tokens->index().info().model_folder));
  }
  std::optional<rank::CrossReranker> cross;
  if (!flags.cross.empty()) {
    const auto model = neural_model(context, flags.cross);
    rank::CrossRerankerOptions options;
    options.depth = flags.cross_depth;
    options.scores_file = flags.cross_scores;
    cross.emplace(resources.snapshot(), model, encoder_factory(context), options);
    resources.attach_cross(&*cross);
    flags.options.encoder_trained_until = std::max(flags.options.encoder_trained_until, trained_until(model));
  }
  const fs::path out = flags.out.empty() ? context.workspace().models() / "ranker" : fs::path(flags.out);
  const fs::path folder = model_out(flags.options.bibliography ? out / "draft" : out, "model.json");
  print_report(rank::train(resources, folder, flags.options, context.progress()), folder);
  return 0;
}

}  // namespace

void add_train(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("train", "Train a model");
  verb->require_subcommand(0, 1);
  auto* ranker = verb->add_subcommand("ranker", "The learned ranker, from the citing papers of several years");
  auto flags = std::make_shared<Flags>();
  ranker->add_option("--release", flags->release, "Train on the evidence of a release (default: the catalog)");
  ranker->add_option("--index", flags->index, "Index folder to train on");
  ranker->add_option("--years", flags->years, "Years of the training queries (default: the four newest of the evidence)");
  ranker->add_option("--dense", flags->dense,
                     "Recipe of an encoder whose vectors the index has: the ranker reads them as well");
  ranker->add_option("--late", flags->late,
                     "Recipe of late interaction whose token vectors the index has: the ranker reads them as well");
  auto* cross = ranker->add_option("--cross", flags->cross,
                                   "Cross-encoder whose scores of the best candidates the ranker reads as well: slow");
  ranker->add_option("--cross-depth", flags->cross_depth, "Candidates of a query that it scores (default: 100)")
      ->check(CLI::Range(1, 1000))
      ->needs(cross);
  ranker->add_option("--cross-scores", flags->cross_scores, "File of its scores: an interrupted training goes on from there")
      ->needs(cross);
  ranker->add_option("--out", flags->out, "Model folder (default: models/ranker of the workspace)");
  ranker->add_option("--without", flags->without, "Feature groups or views to leave out")->delimiter(',');
  ranker->add_flag("--bibliography", flags->options.bibliography,
                   "Train for drafts with a bibliography: goes into draft/ of the model folder");
  ranker->add_option("--rounds", flags->options.rounds, "Trees a tier")->check(CLI::Range(1, 5000));
  ranker->add_option("--candidates", flags->options.depth, "Documents that the linear stage lets through");
  ranker->add_option("--param", flags->params, "Parameter of XGBoost, name=value")->allow_extra_args(false);
  ranker->add_option("--missing-precision", flags->options.missing_precision,
                     "Share of right ones from which a paper counts as missing in an audit (default: a third)")
      ->check(CLI::Range(0.01, 0.99));
  ranker->add_option("--seed", flags->options.seed, "Seed of sampling and training");
  ranker->callback([&context, &action, flags] { action = [&context, flags] { return run_train(context, *flags); }; });
}

}  // namespace mustcite::cli
