#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/context.hpp"
#include "apps/cli/late_models.hpp"
#include "apps/cli/neural_models.hpp"
#include "core/base/error.hpp"
#include "core/store/catalog.hpp"
#include "engine/dense/approximate.hpp"
#include "engine/dense/build.hpp"
#include "engine/late/build.hpp"
#include "engine/rank/methods.hpp"
#include "engine/recommend/index_folder.hpp"
#include "engine/recommend/late_folder.hpp"
#include "engine/snapshot/sources.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::string release;
  std::string analyzer;
  std::string out;
  std::vector<int> latent_years;
  bool no_latent = false;
  std::vector<std::string> dense;
  std::string storage;
  std::string approximate;
};

/// True when the index there was made from this state of the source, so that vectors can be added as it is.
bool is_current(const fs::path& folder, const std::string& revision) {
  return fs::exists(folder / "index.json") && recommend::read_index_info(folder).source_revision == revision;
}

/// Vectors of the documents by a recipe.
void build_single(Context& context, const Flags& flags, const ReadyRecipe& ready, const snapshot::Snapshot& snapshot,
                  const fs::path& folder) {
  dense::BuildOptions options;
  options.storage = dense::parse_storage(flags.storage.empty() ? context.config().text("dense.storage") : flags.storage);
  const auto place = recommend::dense_folder(folder, ready.recipe.name);
  const auto report = dense::build_vectors(snapshot, ready.recipe, ready.model, encoder_factory(context), place, options,
                                           context.progress());
  fmt::print("vectors {}: {} documents, {} numbers each as {}; {} encoded, {} taken over, {} from an interrupted call, {} "
             "repeated texts\n",
             place.string(), report.documents, ready.model.dimensions(), dense::name_of(options.storage), report.encoded,
             report.reused, report.resumed, report.repeated);
  if (!flags.approximate.empty()) dense::build_approximate(place, dense::parse_approximate(flags.approximate));
}

/// Token vectors of the documents, for late interaction.
void build_late(Context& context, const ReadyLate& ready, const snapshot::Snapshot& snapshot, const fs::path& folder) {
  late::BuildOptions options;
  options.bits = static_cast<std::size_t>(context.config().integer("late.bits"));
  options.threads = context.threads;
  const fs::path place = recommend::late_folder(folder, ready.recipe.text.name);
  const auto report = late::build_index(snapshot, ready.recipe, ready.model, token_encoder_factory(context), place, options,
                                        context.progress());
  fmt::print("token vectors {}: {} documents, {} tokens of {} numbers in {} bits each, {} centroids, {:.1f} MB; {} encoded, "
             "{} from an interrupted call\n",
             place.string(), report.documents, report.tokens, ready.model.dimensions(), options.bits, report.centroids,
             static_cast<double>(report.bytes) / 1e6, report.encoded, report.resumed);
}

/// `--method` takes such a name for the method, so vectors of that name would never be used.
void refuse_method_names(const std::string& recipe) {
  const auto& methods = rank::method_names();
  if (std::find(methods.begin(), methods.end(), recipe) == methods.end()) return;
  fail(ErrorCode::invalid_input, "a recipe cannot be called {}: that is a method of `mustcite recommend`; give it another name",
       recipe);
}

/// Encodes the documents of an index by each of the recipes and models.
void build_dense(Context& context, const Flags& flags, const fs::path& folder) {
  struct Wish {
    std::optional<ReadyLate> late;
    ReadyRecipe single;
  };
  std::vector<Wish> wishes;  // all of them are there before the first is encoded
  for (const auto& name : flags.dense) {
    Wish wish{ready_late(context, name), {}};
    if (!wish.late) wish.single = ready_recipe(context, name);
    refuse_method_names(wish.late ? wish.late->recipe.text.name : wish.single.recipe.name);
    wishes.push_back(std::move(wish));
  }
  const auto snapshot = snapshot::Snapshot::open(folder);
  for (const auto& wish : wishes) {
    if (wish.late) {
      build_late(context, *wish.late, snapshot, folder);
    } else {
      build_single(context, flags, wish.single, snapshot, folder);
    }
  }
}

int run_build(Context& context, const Flags& flags) {
  if (!flags.storage.empty()) static_cast<void>(dense::parse_storage(flags.storage));
  if (!flags.approximate.empty()) static_cast<void>(dense::parse_approximate(flags.approximate));
  recommend::IndexOptions options;
  options.analyzer = flags.analyzer.empty() ? context.config().text("index.analyzer") : flags.analyzer;
  options.title_weight = static_cast<int>(context.config().integer("index.title_weight"));
  options.abstract_weight = static_cast<int>(context.config().integer("index.abstract_weight"));
  options.latent_years = flags.latent_years;
  options.latent = !flags.no_latent;
  options.threads = context.threads;
  recommend::IndexInfo info;
  fs::path folder;
  if (!flags.release.empty()) {
    const auto release = release_folder(context, flags.release);
    options.source = fs::path(fs::absolute(release)).filename().string();
    options.source_revision = recommend::release_revision(release);
    folder = flags.out.empty() ? context.workspace().index(options.source) : fs::path(flags.out);
    if (!flags.dense.empty() && is_current(folder, options.source_revision)) {
      build_dense(context, flags, folder);
      return 0;
    }
    info = recommend::build_index(snapshot::ReleaseSource(release), folder, options, context.progress());
  } else {
    const auto workspace = context.workspace();
    const store::Catalog catalog(workspace.catalog(), store::Catalog::Mode::read_only);
    options.source = "catalog";
    options.source_revision = catalog.revision();
    folder = flags.out.empty() ? workspace.index() : fs::path(flags.out);
    if (!flags.dense.empty() && is_current(folder, options.source_revision)) {
      build_dense(context, flags, folder);
      return 0;
    }
    info = recommend::build_index(snapshot::CatalogSource(catalog), folder, options, context.progress());
  }
  fmt::print("index {}: {} of {} papers have an abstract and are documents; {} citations as evidence; analyzer {}\n",
             folder.string(), info.documents, info.papers, info.evidence, info.analyzer);
  if (!flags.dense.empty()) build_dense(context, flags, folder);
  return 0;
}

int run_check(const Context& context, const std::string& name) {
  const auto folder = context.workspace().index(name);
  recommend::check_index(folder);
  const auto info = recommend::read_index_info(folder);
  fmt::print("{}: {} documents, snapshot {}, every checksum holds\n", folder.string(), info.documents,
             info.snapshot_digest);
  return 0;
}

}  // namespace

void add_index(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("index", "Build the indexes that answering needs, or check them");
  verb->require_subcommand(1);

  auto* build = verb->add_subcommand("build", "Freeze the catalog, or a release, into a snapshot with its indexes");
  auto flags = std::make_shared<Flags>();
  build->add_option("--release", flags->release, "Index a release (name or folder) instead of the catalog");
  build->add_option("--analyzer", flags->analyzer, "english or plain (default: setting index.analyzer)");
  build->add_option("--latent-years", flags->latent_years,
                    "Query years that get a latent space which saw nothing newer (default: none)")
      ->delimiter(',');
  build->add_flag("--no-latent", flags->no_latent, "No latent spaces: half the time, and the views by topic find nothing")
      ->excludes("--latent-years");
  build->add_option("--dense", flags->dense,
                    "Vectors by a recipe (scibert, specter2, …), a pulled model or a model folder; a current index stays as it is")
      ->delimiter(',');
  build->add_option("--storage", flags->storage, "Vectors as float16 or int8 (default: setting dense.storage)");
  build->add_option("--approximate", flags->approximate, "Also an approximate index of the vectors: hnsw or ivfpq (default: exact search)")
      ->needs(build->get_option("--dense"));
  build->add_option("--out", flags->out, "Folder (default: index/ of the workspace)");
  build->callback([&context, &action, flags] { action = [&context, flags] { return run_build(context, *flags); }; });

  auto* check = verb->add_subcommand("check", "Open every part of an index and verify its checksums");
  auto name = std::make_shared<std::string>("catalog");
  check->add_option("name", *name, "catalog (default), or the name of a release");
  check->callback([&context, &action, name] { action = [&context, name] { return run_check(context, *name); }; });
}

}  // namespace mustcite::cli
