#include "apps/cli/train_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/neural_models.hpp"
#include "apps/cli/out_paths.hpp"
#include "apps/cli/shipped.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "core/io/lines.hpp"
#include "core/store/catalog.hpp"
#include "engine/baseline/train.hpp"
#include "engine/dense/encoder.hpp"
#include "engine/recommend/index_folder.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::string baseline;
  std::string recipe;
  std::string release;
  std::string index;
  std::string out;
  std::string features;
  std::size_t epochs = 0;
  std::size_t seed = 0;
  bool epochs_given = false;
};

/// A file, or the name of a recipe that ships in data/baselines.
baseline::Recipe recipe_of(const Flags& flags) {
  const std::string given = flags.recipe.empty() ? flags.baseline : flags.recipe;
  auto file = shipped(fs::path("baselines") / (given + ".toml"));
  if (fs::is_regular_file(given)) file = given;
  if (!file)
    fail(ErrorCode::not_found, "there is no recipe {}: give a file, or the name of one that ships", given);
  auto recipe = baseline::read_recipe(*file);
  if (recipe.baseline != flags.baseline) {
    fail(ErrorCode::invalid_input, "{} is a recipe of {}, not of {}", file->string(), recipe.baseline,
         flags.baseline);
  }
  auto& training = recipe.training;
  if (flags.epochs_given) training.epochs = flags.epochs;
  if (flags.seed > 0) training.seed = flags.seed;
  if (!flags.features.empty()) training.features = flags.features;
  // A checkpoint goes on only under the same orders.
  recipe.source +=
      fmt::format("\n# epochs {} seed {} features {}\n", training.epochs, training.seed, training.features);
  return recipe;
}

void print_report(const baseline::Data& data, const baseline::Card& card, const fs::path& out) {
  const auto& report = data.report;
  fmt::print(
      "{} citing papers = {} examples + {} of other years + {} without abstract + {} without an older cited "
      "paper; "
      "{} trained on, {} held out\n",
      report.citing, report.examples, report.of_other_years, report.without_abstract, report.without_positive,
      data.train.size(), data.held_out.size());
  Table table;
  table.add_column("stage");
  for (const char* title : {"epoch", "loss", "held-out Recall@100", "held-out MRR"})
    table.add_column(title, Table::Align::right);
  for (const auto& one : card.measurements) {
    table.add_row({one.stage, std::to_string(one.epoch),
                   one.epoch == 0 ? "" : fmt::format("{:.4f}", one.loss),
                   data.held_out.empty() ? "" : fmt::format("{:.4f}", one.recall_100),
                   data.held_out.empty() ? "" : fmt::format("{:.4f}", one.mrr)});
  }
  fmt::print("{}model {}: {} weights, features {}, {:.0f} s, {:.2f} GiB at most\n", table.render(),
             out.string(), card.weights, card.features, card.seconds,
             static_cast<double>(card.peak_bytes) / static_cast<double>(1 << 30));
}

/// Lines of an input that the model left out (`rejected.tsv`: line, reason, text) go to the catalog's ledger
/// too.
void keep_rejects(const Context& context, const fs::path& out) {
  const fs::path file = out / "rejected.tsv";
  if (!fs::exists(file)) return;
  store::Catalog catalog(context.workspace().catalog(), store::Catalog::Mode::read_write);
  store::Catalog::Batch batch(catalog);
  std::size_t count = 0;
  io::LineReader lines(file);
  std::string_view line;
  for (lines.next(line); lines.next(line);) {
    const auto reason = line.find('\t');
    const auto text = line.find('\t', reason + 1);
    store::Reject reject;
    reject.source = out.filename().string() + ": topic graph";
    reject.line = std::stoull(std::string(line.substr(0, reason)));
    reject.reason = line.substr(reason + 1, text - reason - 1);
    reject.item = line.substr(text + 1);
    catalog.reject(reject);
    ++count;
  }
  batch.commit();
  log::warning("{} lines of the topic graph were left out: see {} and the ledger", count, file.string());
}

int run_train(Context& context, const Flags& flags) {
  const auto recipe = recipe_of(flags);
  const auto index = index_folder(context, flags.index, flags.release);
  const auto snapshot = snapshot::Snapshot::open(index);
  const auto text = index::SparseIndex::open(index / "text", snapshot.digest());
  const graph::CitationGraph graph(snapshot);
  const baseline::World world{&snapshot, &graph, &text, index, encoder_factory(context), context.threads};

  baseline::TrainOptions options;
  options.out = model_out(
      flags.out.empty() ? context.workspace().models() / recipe.name : fs::path(flags.out), "model.json");
  if (!flags.release.empty()) {
    const auto folder = release_folder(context, flags.release);
    options.release = fs::absolute(folder).lexically_normal().filename().string();
    options.revision = recommend::release_revision(folder);
    if (recommend::read_index_info(index).source_revision != options.revision) {
      fail(
          ErrorCode::corrupt,
          "the index was built from another version of this release: run `mustcite index build --release {}`",
          flags.release);
    }
  }
  options.on_measurement = [](const baseline::Measurement& now) {
    log::info("{} epoch {}: loss {:.4f}, held-out Recall@100 {:.4f}, MRR {:.4f}", now.stage, now.epoch,
              now.loss, now.recall_100, now.mrr);
  };
  const io::FileLock lock(fs::path(options.out) += ".lock");
  const auto data = baseline::make_data(world, recipe);
  const auto learner = dense::neural_plugin().open_baseline_learner(data);
  data.recipe.model.finish();
  log::info("{}: {} examples, {} held out, {} weights, features {}", recipe.name, data.train.size(),
            data.held_out.size(), learner->weights(), data.features->name());
  print_report(data, baseline::train(data, *learner, options, context.progress()), options.out);
  keep_rejects(context, options.out);
  return 0;
}

void add_one(CLI::App& train, const std::string& name, const std::string& about, Context& context,
             Action& action) {
  auto* verb = train.add_subcommand(name, about);
  auto flags = std::make_shared<Flags>();
  flags->baseline = name;
  verb->add_option("--recipe", flags->recipe,
                   "Recipe: a TOML file, or the name of one that ships (default: " + name + ")");
  verb->add_option("--release", flags->release, "Train on the evidence of a release (default: the catalog)");
  verb->add_option("--index", flags->index, "Index folder to train on");
  verb->add_option(
      "--features", flags->features,
      "Features of texts: vectors of the index by their recipe, or hashed (default: the recipe's)");
  auto* epochs = verb->add_option("--epochs", flags->epochs, "Epochs at most; 0 writes the untrained model");
  verb->add_option("--seed", flags->seed, "Seed instead of the recipe's");
  verb->add_option("--out", flags->out,
                   "Model folder (default: models/ of the workspace, by the recipe's name)");
  verb->callback([&context, &action, flags, epochs] {
    flags->epochs_given = epochs->count() > 0;
    action = [&context, flags] { return run_train(context, *flags); };
  });
}

}  // namespace

void add_train_baselines(CLI::App& app, Context& context, Action& action) {
  auto* train = app.get_subcommand("train");
  add_one(*train, "ar-gnn", "Graph networks over papers, authors, venues and keywords", context, action);
  add_one(*train, "hatten-rr", "Hierarchical attention that fetches, a transformer that reranks", context,
          action);
  add_one(*train, "ktr", "Text and paths over a graph of topics", context, action);
  add_one(*train, "litfm", "Text encoder with a layer over the citation graph", context, action);
}

}  // namespace mustcite::cli
