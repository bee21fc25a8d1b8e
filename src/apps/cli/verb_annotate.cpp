#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/annotate_verbs.hpp"
#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "stages/annotate/annotate.hpp"

namespace mustcite::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Flags {
  std::string judge;
  std::string model;
  std::string input;
  std::string output;
  std::string only;
  bool explain = false;
  LlmFlags llm;
};

void print_report(const annotate::LocalReport& report, const std::string& judge) {
  fmt::print(
      "{} citations read = {} labelled + {} labelled before + {} without a citing sentence; {:.1f} s ({:.0f} "
      "a second)\n",
      report.read, report.labelled, report.known, report.without_context, report.seconds,
      static_cast<double>(report.read) / std::max(report.seconds, 1e-9));
  if (report.labelled == 0) return;
  const auto share = [&](std::uint64_t count) {
    return 100.0 * static_cast<double>(count) / static_cast<double>(report.labelled);
  };
  fmt::print("judge {}: Type I {:.1f} %; Type II", judge, share(report.type1_positive));
  for (int value = 1; value <= 5; ++value)
    fmt::print("  {}: {:.1f} %", value, share(report.type2_counts[value - 1]));
  fmt::print("\nThese labels are a classifier's, not a person's: see docs/methods/judge-local.md.\n");
}

Json verdict_json(const annotate::Instance& instance, const annotate::LocalVerdict& verdict,
                  const annotate::LocalJudge& judge) {
  Json json;
  json["instance_id"] = instance.id;
  json["citing_id"] = instance.citing.str();
  json["cited_id"] = instance.cited.str();
  json["judge"] = annotate::kLocalJudge;
  json["model"] = judge.name();
  json["definition"] = annotate::kRubric;
  json["type1"] = verdict.type1_value;
  json["type1_probability"] = verdict.type1;
  json["type2"] = verdict.type2_value;
  json["type2_probabilities"] = verdict.type2;
  return json;
}

/// Labels the instances of a file into a file: no workspace is needed.
int run_file(const Context& context, const Flags& flags) {
  const auto judge = load_local_judge(context, flags.model);
  const auto read = annotate::read_instances(flags.input);
  for (const auto& reject : read.rejects)
    log::warning("{} line {}: {}", reject.source, reject.line, reject.reason);
  const auto verdicts = annotate::judge_all(read.instances, judge, context.threads);
  std::string text;
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    text += verdict_json(read.instances[i], verdicts[i], judge).dump() + "\n";
  if (flags.output.empty() || flags.output == "-") {
    fmt::print("{}", text);
    return 0;
  }
  io::write_file_atomically(flags.output, text);
  fmt::print("{} instances read = {} labelled + {} rejected; {}\n",
             read.instances.size() + read.rejects.size(), verdicts.size(), read.rejects.size(), flags.output);
  return 0;
}

void print_explanation(const annotate::Instance& instance, const annotate::LocalJudge& judge) {
  const auto verdict = judge.judge(instance);
  fmt::print("{}\n  {} ({})\n  cites {} ({}) as {}, {} mention(s)\n", instance.id, instance.citing_title,
             instance.citing_year, instance.cited_title, instance.cited_year, instance.cited_as,
             annotate::mentions_of(instance));
  for (const auto& context : instance.contexts) fmt::print("  [{}] {}\n", context.section, context.text);
  fmt::print("  Type I {} (probability of a 1: {:.2f}); Type II {}, probabilities {:.2f}\n",
             verdict.type1_value, verdict.type1, verdict.type2_value, fmt::join(verdict.type2, " "));
  Table table;
  table.add_column("feature");
  for (const char* title : {"value", "pull Type I", "pull Type II"})
    table.add_column(title, Table::Align::right);
  const auto pulls = judge.explain(instance);
  for (std::size_t i = 0; i < std::min<std::size_t>(12, pulls.size()); ++i)
    table.add_row({pulls[i].feature, fmt::format("{:.2f}", pulls[i].value),
                   fmt::format("{:+.2f}", pulls[i].type1), fmt::format("{:+.2f}", pulls[i].type2)});
  fmt::print("{}\n", table.render());
}

int run_explain(const Context& context, const Flags& flags) {
  if (flags.only.empty())
    fail(ErrorCode::usage, "--explain wants --only CITING_ID: the paper whose citations it explains");
  const auto judge = load_local_judge(context, flags.model);
  std::size_t shown = 0;
  const auto show = [&](annotate::Instance&& instance) {
    if (instance.citing.str() != flags.only && instance.id != flags.only) return;
    print_explanation(instance, judge);
    ++shown;
  };
  if (!flags.input.empty()) {
    for (auto& instance : annotate::read_instances(flags.input).instances) show(std::move(instance));
  } else {
    const store::Catalog catalog(context.workspace().catalog(), store::Catalog::Mode::read_only);
    annotate::each_instance(catalog, show);
  }
  if (shown == 0) fail(ErrorCode::not_found, "there is no citation by {}", flags.only);
  return 0;
}

int run_catalog(Context& context, const Flags& flags) {
  const auto judge = load_local_judge(context, flags.model);
  const auto file = context.workspace().catalog();
  store::Catalog catalog(file, store::Catalog::Mode::read_write);
  annotate::LocalOptions options;
  options.threads = context.threads;
  options.date = today();
  options.only = flags.only;
  print_report(annotate::label_by_local(catalog, file, judge, options, context.progress()), judge.name());
  return 0;
}

int run(Context& context, const Flags& flags) {
  if (flags.judge.empty()) fail(ErrorCode::usage, "say who judges: --judge local, openai or gemini");
  if (flags.judge == "openai" || flags.judge == "gemini")
    return run_llm(context, flags.judge, flags.input, flags.output, flags.only, flags.llm);
  if (flags.judge != annotate::kLocalJudge)
    fail(ErrorCode::usage, "there is no judge '{}': use local, openai or gemini", flags.judge);
  if (flags.explain) return run_explain(context, flags);
  return flags.input.empty() ? run_catalog(context, flags) : run_file(context, flags);
}

}  // namespace

void add_annotate(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("annotate", "Label how necessary each citation is");
  verb->require_subcommand(0, 1);
  auto flags = std::make_shared<Flags>();
  verb->add_option("--judge", flags->judge,
                   "Who judges: local (a classifier that needs no language model), openai (any service or "
                   "server with that interface) or gemini");
  verb->add_option("--judge-model", flags->model, "Folder of the local judge (default: the one that ships)");
  verb->add_option("--input", flags->input, "Label the instances of this JSONL file instead of the catalog");
  verb->add_option("--output", flags->output, "With --input: file for the labels (default: standard output)");
  verb->add_option("--only", flags->only, "Only the citations by this paper");
  verb->add_flag("--explain", flags->explain,
                 "Show contexts, probabilities and what moved them; labels nothing");
  add_llm_options(*verb, flags->llm);
  verb->callback([&context, &action, verb, flags] {
    if (verb->get_subcommands().empty()) action = [&context, flags] { return run(context, *flags); };
  });
  add_annotate_train(*verb, context, action);
  add_annotate_evaluate(*verb, context, action);
  add_annotate_reports(*verb, context, action);
}

}  // namespace mustcite::cli
