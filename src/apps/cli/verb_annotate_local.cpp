#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "apps/cli/annotate_verbs.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "stages/annotate/annotate.hpp"
#include "stages/annotate/comparison.hpp"
#include "stages/annotate/train_local.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct TrainFlags {
  std::string labels;
  std::vector<std::string> instances;
  std::vector<std::string> labels_by;
  std::string functions;
  std::vector<std::string> without;
  std::string out;
  annotate::TrainOptions options;
};

struct EvaluateFlags {
  std::string file;
  std::string model;
  bool cross_validate = false;
  annotate::TrainOptions options;
};

std::string number(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.3f}", value);
}

Json quality_json(const annotate::JudgeQuality& quality) {
  const auto known = [](double value) { return std::isnan(value) ? Json() : Json(value); };
  Json json;
  json["instances"] = quality.instances;
  json["type1"] = {{"rated", quality.type1_rated},
                   {"accuracy", known(quality.type1_accuracy)},
                   {"kappa", known(quality.type1_kappa)},
                   {"kappa_low", known(quality.type1_kappa_interval.low)},
                   {"kappa_high", known(quality.type1_kappa_interval.high)},
                   {"auc", known(quality.type1_auc)},
                   {"calibration_error", known(quality.type1_calibration_error)}};
  json["type2"] = {{"rated", quality.type2_rated},
                   {"accuracy", known(quality.type2_accuracy)},
                   {"within_one", known(quality.type2_within_one)},
                   {"quadratic_kappa", known(quality.type2_kappa)},
                   {"quadratic_kappa_low", known(quality.type2_kappa_interval.low)},
                   {"quadratic_kappa_high", known(quality.type2_kappa_interval.high)}};
  return json;
}

void print_quality(const annotate::JudgeQuality& quality) {
  Table table;
  table.add_column("tier");
  for (const char* title :
       {"rated", "accuracy", "within 1", "kappa", "95 % interval", "AUC", "calibration error"})
    table.add_column(title, Table::Align::right);
  const auto interval = [](const learn::Interval& found) {
    return number(found.low) + " to " + number(found.high);
  };
  table.add_row({"type1", std::to_string(quality.type1_rated), number(quality.type1_accuracy), "-",
                 number(quality.type1_kappa), interval(quality.type1_kappa_interval),
                 number(quality.type1_auc), number(quality.type1_calibration_error)});
  table.add_row({"type2", std::to_string(quality.type2_rated), number(quality.type2_accuracy),
                 number(quality.type2_within_one), number(quality.type2_kappa),
                 interval(quality.type2_kappa_interval), "-", "-"});
  fmt::print("{}The kappa of type2 is weighted by squared distance.\n", table.render());
}

std::vector<annotate::Instance> read_all(const std::string& file) {
  auto read = annotate::read_instances(file);
  for (const auto& reject : read.rejects)
    log::warning("{} line {}: {}", reject.source, reject.line, reject.reason);
  return std::move(read.instances);
}

/// Citations of the catalog that the label file names, with its labels as the rating of `labels`.
std::vector<annotate::Instance> labelled_citations(const store::Catalog& catalog,
                                                   const annotate::PairLabels& labels,
                                                   const std::set<std::string>& without) {
  std::vector<annotate::Instance> rated;
  annotate::each_instance(catalog, [&](annotate::Instance&& instance) {
    const auto label = labels.find({instance.citing.str(), instance.cited.str()});
    if (label == labels.end() || without.contains(instance.citing.str())) return;
    instance.ratings.push_back({"labels", label->second.type1, label->second.type2, {}});
    rated.push_back(std::move(instance));
  });
  if (rated.size() < labels.size())
    log::warning("{} of {} labelled pairs are not in the catalog or are held out",
                 labels.size() - rated.size(), labels.size());
  return rated;
}

/// Citations of the catalog that a judge or people have labelled there, with those labels as a rating.
void add_catalog_labels(const store::Catalog& catalog, const std::string& set,
                        const std::set<std::string>& without, std::vector<annotate::Instance>& rated) {
  const auto type1 = annotate::labels_named(catalog, Tier::type1, set);
  const auto type2 = annotate::labels_named(catalog, Tier::type2, set);
  if (type1.empty() && type2.empty())
    fail(ErrorCode::not_found,
         "the catalog has no labels by '{}'; `mustcite annotate sets` lists whose it has", set);
  annotate::each_instance(catalog, [&](annotate::Instance&& instance) {
    if (without.contains(instance.citing.str()) || instance.contexts.empty()) return;
    const auto first = annotate::value_in(type1, instance.id);
    const auto second = annotate::value_in(type2, instance.id);
    if (!first && !second) return;
    instance.ratings.push_back({set, first, second, {}});
    rated.push_back(std::move(instance));
  });
}

int run_train(Context& context, const TrainFlags& flags) {
  const auto workspace = context.workspace();
  const store::Catalog catalog(workspace.catalog(), store::Catalog::Mode::read_only);
  std::set<std::string> held_out;
  for (const auto& file : flags.without) {
    for (const auto& instance : read_all(file)) held_out.insert(instance.citing.str());
  }
  std::vector<annotate::Instance> rated;
  if (!flags.labels.empty())
    rated = labelled_citations(catalog, annotate::read_pair_labels(flags.labels), held_out);
  for (const auto& set : flags.labels_by) add_catalog_labels(catalog, set, held_out, rated);
  for (const auto& file : flags.instances) {
    for (auto& instance : read_all(file)) rated.push_back(std::move(instance));
  }
  std::set<std::string> not_weak = held_out;
  for (const auto& instance : rated) not_weak.insert(instance.citing.str());
  auto sentences = annotate::weak_sentences(catalog, not_weak);
  const std::size_t weak = sentences.size();
  if (!flags.functions.empty()) {
    const auto functions = annotate::read_citation_functions(flags.functions);
    sentences.insert(sentences.end(), functions.begin(), functions.end());
  }
  const auto trained = annotate::train_local(rated, annotate::SentenceModel::train(sentences), flags.options);
  const auto quality = annotate::measure(rated, trained.held_out);
  Json record;
  record["rated_citations"] = rated.size();
  record["weak_sentences"] = weak;
  record["function_sentences"] = sentences.size() - weak;
  record["held_out_papers"] = held_out.size();
  record["folds"] = flags.options.folds;
  record["regularisation"] = flags.options.regularisation;
  record["cross_validated"] = quality_json(quality);
  const fs::path out = flags.out.empty() ? workspace.models() / "judge" : fs::path(flags.out);
  trained.judge.save(out, record.dump());
  if (context.json) {
    fmt::print("{}\n", record.dump(2));
    return 0;
  }
  fmt::print("local judge {}: {} rated citations, {} sentences of weak evidence, {} of annotated functions\n",
             out.string(), rated.size(), weak, sentences.size() - weak);
  fmt::print("cross-validated on its own training set, papers kept together:\n");
  print_quality(quality);
  return 0;
}

int run_evaluate(const Context& context, const EvaluateFlags& flags) {
  const auto instances = read_all(flags.file);
  if (instances.empty()) fail(ErrorCode::invalid_input, "{} holds no instance to judge", flags.file);
  const auto judge = load_local_judge(context, flags.model);
  const auto begin = std::chrono::steady_clock::now();
  const auto verdicts = flags.cross_validate
                            ? annotate::train_local(instances, judge.sentences, flags.options).held_out
                            : annotate::judge_all(instances, judge, context.threads);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto quality = annotate::measure(instances, verdicts);
  if (context.json) {
    Json json = quality_json(quality);
    json["judge"] = flags.cross_validate ? "cross-validated" : judge.name();
    json["seconds"] = seconds;
    fmt::print("{}\n", json.dump(2));
    return 0;
  }
  if (flags.cross_validate) {
    fmt::print("trained and measured inside {} by {} folds (the shipped labels are not used):\n", flags.file,
               flags.options.folds);
  } else {
    fmt::print("{} on {}:\n", judge.name(), flags.file);
  }
  print_quality(quality);
  return 0;
}

}  // namespace

annotate::LocalJudge load_local_judge(const Context& context, const std::string& flag) {
  if (!flag.empty()) return annotate::LocalJudge::load(flag);
  const auto own = context.workspace_folder() / "models" / "judge";
  if (fs::exists(own / "model.json")) return annotate::LocalJudge::load(own);
  const auto with_program = shipped_model("judge");
  if (with_program) return annotate::LocalJudge::load(*with_program);
  fail(ErrorCode::not_found,
       "the local judge is not installed: neither the workspace nor the program has models/judge; train one "
       "with "
       "`mustcite annotate train`");
}

Date today() {
  const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date(day);
  return {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day()))};
}

void add_annotate_train(CLI::App& verb, Context& context, Action& action) {
  auto* train =
      verb.add_subcommand("train", "Train the local judge on labels and on citations of the catalog");
  auto flags = std::make_shared<TrainFlags>();
  train->add_option("--labels", flags->labels,
                    "Tab-separated citing_id, cited_id, type1, type2 of catalog citations");
  train
      ->add_option("--labels-by", flags->labels_by,
                   "Labels of the catalog to learn from: JUDGE[:MODEL[:DEFINITION]], e.g. a language model's")
      ->delimiter(',');
  train->add_option("--instances", flags->instances, "Rated instances (JSONL) to learn from as well");
  train->add_option("--citation-functions", flags->functions,
                    "Folder of NAME.ann and NAME.txt with annotated citation functions");
  train->add_option("--without", flags->without,
                    "Instances (JSONL) whose citing papers are kept out of training");
  train->add_option("--out", flags->out, "Folder (default: models/judge of the workspace)");
  train->add_option("--regularisation", flags->options.regularisation, "How much weights are held back");
  train->add_option("--folds", flags->options.folds, "Folds of the cross-validation")
      ->check(CLI::Range(2, 1000));
  train->add_option("--seed", flags->options.seed, "Seed of the folds");
  train->add_flag("--json", context.json, "Machine-readable output");
  train->callback(
      [&context, &action, flags] { action = [&context, flags] { return run_train(context, *flags); }; });
}

void add_annotate_evaluate(CLI::App& verb, Context& context, Action& action) {
  auto* evaluate = verb.add_subcommand("evaluate", "Measure the local judge on rated instances");
  auto flags = std::make_shared<EvaluateFlags>();
  evaluate->add_option("file", flags->file, "Rated instances, JSONL")->required();
  evaluate->add_option("--judge-model", flags->model, "Folder of the local judge");
  evaluate->add_flag("--cross-validate", flags->cross_validate,
                     "Train and measure inside the file instead: how far these labels alone would get");
  evaluate->add_option("--regularisation", flags->options.regularisation, "With --cross-validate");
  evaluate->add_option("--folds", flags->options.folds, "With --cross-validate")->check(CLI::Range(2, 1000));
  evaluate->add_option("--seed", flags->options.seed, "With --cross-validate");
  evaluate->add_flag("--json", context.json, "Machine-readable output");
  evaluate->callback(
      [&context, &action, flags] { action = [&context, flags] { return run_evaluate(context, *flags); }; });
}

}  // namespace mustcite::cli
