#include "apps/cli/train_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/cli/neural_models.hpp"
#include "apps/cli/out_paths.hpp"
#include "apps/cli/shipped.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "engine/dense/encoder.hpp"
#include "engine/evaluate/evaluate.hpp"
#include "engine/model/added_model_tokens.hpp"
#include "engine/model/cross_encoder.hpp"
#include "engine/recommend/index_folder.hpp"
#include "engine/recommend/query_file.hpp"
#include "engine/train/paragraphs.hpp"
#include "engine/train/run.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::string recipe;
  std::string release;
  std::string index;
  std::string split = "dev";
  std::string base;
  std::string negatives;
  std::string paragraphs;
  std::string out;
  std::size_t steps = 0;
  std::size_t seed = 0;
  std::size_t checkpoint_every = 100;
};

/// A file, or the name of a recipe that ships.
fs::path recipe_file(const std::string& given) {
  if (fs::exists(given)) return given;
  if (const auto file = shipped(fs::path("training") / (given + ".toml"))) return *file;
  std::vector<std::string> names;
  if (const auto folder = shipped("training")) {
    for (const auto& entry : fs::directory_iterator(*folder)) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  fail(ErrorCode::not_found, "there is no recipe {}: give a file, or one of those that ship: {}", given,
       fmt::join(names, ", "));
}

/// In models/ by its name, by the hub's name, or by the hub's name without the organisation; else as given.
fs::path base_folder(const Context& context, const std::string& base) {
  const auto models = context.workspace().models();
  for (const auto& folder : {models / base, pulled_folder(context, base)}) {
    if (fs::exists(folder)) return folder;
  }
  if (fs::exists(base)) return base;
  std::set<fs::path> pulled;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(models, none)) {
    if (entry.path().filename().string().ends_with("--" + base)) pulled.insert(entry.path());
  }
  if (!pulled.empty()) return *pulled.begin();
  fail(ErrorCode::not_found,
       "cannot start from the model {}: it is neither in {} nor a folder; fetch it with `mustcite model pull "
       "ORG/{}`, or name a folder with --base",
       base, models.string(), base.substr(base.rfind('/') + 1));
}

model::FolderOptions folder_options(const train::Recipe& recipe) {
  model::FolderOptions options;
  options.pooling = recipe.model.pooling;
  options.normalise = recipe.model.normalise;
  return options;
}

/// What training starts from. A cross-encoder keeps the head that the base has, else it gets a new one.
model::ModelFolder resolve_base(const Context& context, const train::Recipe& recipe) {
  const auto folder = base_folder(context, recipe.model.base);
  if (train::reads_pairs(recipe.learner.loss)) {
    const auto length = recipe.schedule.max_length;
    if (model::has_head(folder)) return model::resolve_cross_encoder(folder, length).encoder;
    return model::with_new_head(folder, recipe.model.head, recipe.learner.seed, length).encoder;
  }
  if (recipe.learner.late) return model::resolve_token_folder(folder);
  return model::resolve_model(folder, folder_options(recipe));
}

std::vector<train::DevQuery> dev_queries(const Context& context, const Flags& flags,
                                         const train::Recipe& recipe, const snapshot::Snapshot& snapshot) {
  const auto release = release_folder(context, flags.release);
  const auto queries = recommend::read_release_queries(release, flags.split);
  const auto qrels = evaluate::read_qrels(release / "qrels" / flags.split /
                                          (std::string(tier_name(recipe.dev.tier)) + ".tsv"));
  std::vector<train::DevQuery> all;
  for (const auto& query : queries) {
    const auto* judged = qrels.find(query.id.str());
    if (judged == nullptr) continue;
    train::DevQuery dev{query.title, query.abstract, query.before, {}, {}};
    for (const auto& judgement : qrels.judgements_of(*judged)) {
      const auto doc = snapshot.find(judgement.document);
      if (doc && judgement.relevance > 0) dev.relevant.push_back(*doc);
    }
    if (const auto own = snapshot.find(query.id.str())) dev.excluded.push_back(*own);
    std::sort(dev.relevant.begin(), dev.relevant.end());
    if (!dev.relevant.empty()) all.push_back(std::move(dev));
  }
  return all;
}

train::Rankings read_rankings(const std::string& file) {
  train::Rankings rankings;
  const auto run = evaluate::read_run(file);
  for (const auto& query : run.queries) {
    auto& list = rankings[std::string(query.id)];
    for (const auto& result : run.results_of(query))
      list.push_back({std::string(run.document(result)), result.score});
  }
  return rankings;
}

std::string record_of(const train::Recipe& recipe, const train::Report& report,
                      const model::ModelFolder& base, const std::string& snapshot_digest) {
  nlohmann::ordered_json json{{"recipe", recipe.name},
                              {"recipe_text", recipe.source},
                              {"base", base.digest},
                              {"starts_from", recipe.model.base},
                              {"snapshot", snapshot_digest},
                              {"trained_until", report.examples.last_year},
                              {"examples", report.examples.examples},
                              {"usable", report.usable},
                              {"steps", report.steps},
                              {"planned_steps", report.planned_steps},
                              {"best_step", report.best_step},
                              {"dev_queries", report.dev_queries},
                              {"dev_documents", report.dev_documents},
                              {"measurements", nlohmann::ordered_json::array()}};
  for (const auto& one : report.measurements) {
    json["measurements"].push_back({{"step", one.step},
                                    {"recall_100", one.recall_100},
                                    {"mrr", one.mrr},
                                    {"r_precision", one.r_precision},
                                    {"loss", one.loss}});
    if (one.ndcg_10) json["measurements"].back()["ndcg_10"] = *one.ndcg_10;
  }
  return json.dump(1) + "\n";
}

void print_examples(const train::Report& report) {
  const auto& examples = report.examples;
  fmt::print(
      "{} citing papers = {} training queries + {} of other years + {} without abstract + {} without an "
      "older cited paper "
      "of the tier; {} usable{}\n",
      examples.citing, examples.examples, examples.of_other_years, examples.without_abstract,
      examples.without_positive, report.usable,
      examples.without_listed == 0
          ? ""
          : fmt::format(", {} cite nothing that the run lists", examples.without_listed));
}

void print_paragraphs(const train::ParagraphReport& report) {
  fmt::print(
      "{} paragraphs = {} training queries + {} held out + {} of other sections + {} of other years + {} of "
      "papers that "
      "the index lacks + {} of papers without abstract + {} with fewer than two older cited papers + {} "
      "without "
      "negative\n",
      report.paragraphs, report.queries, report.held_out, report.of_other_sections, report.of_other_years,
      report.of_unknown_paper, report.without_abstract, report.too_few_positives, report.without_negative);
  fmt::print(
      "empty pools of negatives: {} of related work elsewhere, {} of other sections, {} of the second "
      "order\n",
      report.empty_pools[0], report.empty_pools[1], report.empty_pools[2]);
}

void print_report(const train::Report& report, const fs::path& out) {
  Table table;
  const bool pairs = !report.measurements.empty() && report.measurements.front().ndcg_10.has_value();
  for (const char* title : {"step", "loss", pairs ? "held-out nDCG@10" : "dev Recall@100",
                            pairs ? "held-out MRR" : "dev MRR", "dev R-precision", ""})
    table.add_column(title, Table::Align::right);
  for (const auto& one : report.measurements) {
    table.add_row({std::to_string(one.step), one.step == 0 ? "" : fmt::format("{:.4f}", one.loss),
                   report.dev_queries == 0 ? "" : fmt::format("{:.4f}", one.quality()),
                   report.dev_queries == 0 ? "" : fmt::format("{:.4f}", one.mrr),
                   report.dev_queries == 0 ? "" : fmt::format("{:.4f}", one.r_precision),
                   one.step == report.best_step ? "kept" : ""});
  }
  fmt::print("{}model {}: step {} of {}{}; {} {} queries over {} documents; {:.0f} s\n", table.render(),
             out.string(), report.best_step, report.steps, report.stopped_early ? " (stopped early)" : "",
             pairs ? "held out are" : "dev is", report.dev_queries, report.dev_documents, report.seconds);
}

train::Recipe recipe_of(const Flags& flags) {
  auto recipe = train::read_recipe(recipe_file(flags.recipe));
  if (!flags.base.empty()) recipe.model.base = flags.base;
  if (flags.steps > 0) recipe.schedule.steps = flags.steps;
  if (flags.seed > 0) recipe.learner.seed = flags.seed;
  if (!flags.paragraphs.empty()) recipe.examples.paragraphs = flags.paragraphs;
  // A checkpoint goes on only under the same orders.
  recipe.source += fmt::format("\n# base {} steps {} seed {}\n", recipe.model.base, recipe.schedule.steps,
                               recipe.learner.seed);
  return recipe;
}

/// The paragraphs of the recipe: as given, or beside the recipe's own file.
std::vector<paragraph::Paragraph> read_paragraphs(const train::Recipe& recipe, const Flags& flags) {
  fs::path file = recipe.examples.paragraphs;
  if (const auto beside = recipe_file(flags.recipe).parent_path() / file;
      !fs::exists(file) && fs::exists(beside))
    file = beside;
  if (!fs::exists(file)) {
    fail(ErrorCode::not_found,
         "the recipe {} trains on paragraphs, and there is no file {}: name one with --paragraphs",
         recipe.name, file.string());
  }
  paragraph::ReadReport report;
  auto paragraphs = paragraph::read_paragraphs(file, report);
  for (const auto& rejected : report.ledger)
    log::warning("{} line {}: {}", file.string(), rejected.line, rejected.reason);
  return paragraphs;
}

/// The model to start from. Tokens that it lacks are added to a copy beside the checkpoints.
model::ModelFolder base_model(const Context& context, const train::Recipe& recipe, const fs::path& out) {
  auto base = resolve_base(context, recipe);
  if (recipe.model.tokens.empty() || !model::lacks_tokens(base, recipe.model.tokens)) return base;
  const fs::path extended = fs::path(out) += ".base";
  model::add_model_tokens(base, recipe.model.tokens, recipe.learner.seed, extended);
  return recipe.learner.late ? model::resolve_token_folder(extended)
                             : model::resolve_model(extended, folder_options(recipe));
}

int run_train(Context& context, const Flags& flags) {
  if (flags.recipe.empty())
    fail(ErrorCode::usage, "train what? `mustcite train RECIPE`, `train ranker` or `train references`");
  auto recipe = recipe_of(flags);
  recipe.learner.threads = context.threads;
  const auto index = index_folder(context, flags.index, flags.release);
  const auto snapshot = snapshot::Snapshot::open(index);
  const auto text = index::SparseIndex::open(index / "text", snapshot.digest());
  const fs::path out = model_out(
      flags.out.empty() ? context.workspace().models() / recipe.name : fs::path(flags.out), "training.json");
  const io::FileLock lock(fs::path(out) += ".lock");
  std::vector<paragraph::Paragraph> texts;
  if (!recipe.examples.paragraphs.empty()) texts = read_paragraphs(recipe, flags);
  const auto base = base_model(context, recipe, out);
  const auto tokenizer = model::Tokenizer::open(base.transformer);
  recipe.schedule.max_length = std::min(recipe.schedule.max_length, base.max_length);
  // Late interaction puts a marker into each text.
  if (recipe.learner.late)
    recipe.schedule.max_length =
        std::min(recipe.schedule.max_length, static_cast<std::size_t>(base.config.positions) - 1);
  train::Rankings rankings;
  if (!flags.negatives.empty()) rankings = read_rankings(flags.negatives);

  train::Job job;
  job.recipe = &recipe;
  job.snapshot = &snapshot;
  job.text = &text;
  job.tokenizer = &tokenizer;
  job.model_digest = base.digest;
  job.rankings = flags.negatives.empty() ? nullptr : &rankings;
  train::ParagraphReport paragraphs;
  if (!recipe.examples.paragraphs.empty()) {
    auto queries = train::make_paragraph_queries(snapshot, texts, recipe.examples, paragraphs);
    job.examples = std::move(queries.examples);
    job.dev = std::move(queries.held_out);
  } else if (!flags.release.empty() && !train::reads_pairs(recipe.learner.loss)) {
    job.dev = dev_queries(context, flags, recipe, snapshot);
  }
  job.checkpoints = fs::path(out) += ".training";
  job.checkpoint_every = flags.checkpoint_every;
  job.threads = context.threads;
  job.on_measurement = [](const train::Measurement& now) {
    log::info("step {}: loss {:.4f}, {} {:.4f}, MRR {:.4f}, R-precision {:.4f}", now.step, now.loss,
              now.ndcg_10 ? "held-out nDCG@10" : "dev Recall@100", now.quality(), now.mrr, now.r_precision);
  };
  const auto learner = dense::neural_plugin().open_learner(base, recipe.learner);
  log::info("{}: {} of {} weights are trained", recipe.name, learner->trained_weights(), learner->weights());
  const auto report = train::run(job, *learner, context.progress());
  io::StagedDirectory staged(out);
  learner->write_model(staged.path());
  io::write_file_atomically(staged.path() / "training.json",
                            record_of(recipe, report, base, snapshot.digest()));
  staged.publish();
  if (const auto extended = fs::path(out) += ".base"; base.folder == extended) fs::remove_all(extended);
  if (recipe.examples.paragraphs.empty()) {
    print_examples(report);
  } else {
    print_paragraphs(paragraphs);
  }
  print_report(report, out);
  return 0;
}

}  // namespace

void add_train_recipe(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.get_subcommand("train");
  auto flags = std::make_shared<Flags>();
  verb->add_option("recipe", flags->recipe,
                   "Recipe of an encoder: a TOML file, or the name of one that ships");
  auto* release = verb->add_option("--release", flags->release,
                                   "Train on the evidence of a release, measure on its split");
  verb->add_option("--split", flags->split,
                   "Split that measures (default: dev); its queries are never trained on")
      ->needs(release);
  verb->add_option("--index", flags->index, "Index folder to train on");
  verb->add_option("--base", flags->base,
                   "Model to start from instead of the recipe's: a name in models/, or a folder");
  verb->add_option("--negatives", flags->negatives,
                   "TREC run to take hard negatives from (recipes with source = \"run\")");
  verb->add_option("--paragraphs", flags->paragraphs,
                   "Paragraphs to train on (recipes whose queries are paragraphs): JSONL");
  verb->add_option("--out", flags->out,
                   "Model folder (default: models/ of the workspace, by the recipe's name)");
  verb->add_option("--steps", flags->steps, "At most so many steps")->check(CLI::Range(1, 1000000000));
  verb->add_option("--seed", flags->seed, "Seed instead of the recipe's");
  verb->add_option("--checkpoint-every", flags->checkpoint_every, "Steps between checkpoints");
  verb->callback([&context, &action, flags, verb] {
    if (verb->get_subcommands().empty()) action = [&context, flags] { return run_train(context, *flags); };
  });
}

}  // namespace mustcite::cli
