#include "apps/cli/train_references.hpp"

#include <fmt/format.h>

#include "apps/cli/table.hpp"
#include "core/base/error.hpp"
#include "core/io/lines.hpp"
#include "core/schema/jsonl.hpp"
#include "stages/extract/train_labels.hpp"

namespace mustcite::cli {
namespace {

using extract::LabelTraining;

struct Flags {
  std::string strings;
  std::string papers;
  std::string out;
  std::string hold_out = "strings";
  LabelTraining training;
};

std::vector<Paper> read_papers(const std::string& file) {
  std::vector<Paper> papers;
  if (file.empty()) return papers;
  io::LineReader lines(file);
  for (std::string_view line; lines.next(line);) {
    if (line.empty()) continue;
    papers.push_back(paper_from_json(line));
    papers.back().abstract.clear();
  }
  return papers;
}

void print_report(const extract::LabelReport& report, bool json) {
  if (json) {
    fmt::print(
        "{{\"read\":{},\"trained\":{},\"held_out\":{},\"short\":{},\"repeated\":{},\"rendered\":{},"
        "\"features\":{},\"bytes\":{},\"scores\":{{",
        report.read, report.trained, report.held_out, report.short_ones, report.repeated, report.rendered,
        report.features, report.bytes);
    const char* comma = "";
    for (const auto& [name, score] : report.scores) {
      fmt::print("{}\"{}\":{{\"labelled\":{},\"found\":{},\"f1\":{:.6f},\"soft_f1\":{:.6f}}}", comma, name,
                 score.labelled, score.found, score.f1(), score.soft_f1());
      comma = ",";
    }
    fmt::print("}}}}\n");
    return;
  }
  fmt::print(
      "{} strings = {} trained on + {} held out + {} too short + {} repeated; {} rendered; {} features, "
      "{:.2f} MB\n",
      report.read, report.trained, report.held_out, report.short_ones, report.repeated, report.rendered,
      report.features, static_cast<double>(report.bytes) / 1e6);
  if (report.held_out == 0) return;
  Table table;
  table.add_column("field");
  for (const char* title : {"labelled", "found", "exact F1", "soft F1"})
    table.add_column(title, Table::Align::right);
  for (const auto& [name, score] : report.scores)
    table.add_row({name, std::to_string(score.labelled), std::to_string(score.found),
                   fmt::format("{:.4f}", score.f1()), fmt::format("{:.4f}", score.soft_f1())});
  fmt::print("{}", table.render());
}

int run_train(Context& context, Flags flags) {
  flags.training.strings = flags.strings;
  flags.training.hold_out = flags.hold_out == "none"    ? LabelTraining::HoldOut::none
                            : flags.hold_out == "files" ? LabelTraining::HoldOut::files
                                                        : LabelTraining::HoldOut::strings;
  const auto papers = read_papers(flags.papers);
  print_report(extract::train_labels(flags.training, papers, flags.out, context.progress()), context.json);
  return 0;
}

}  // namespace

void add_train_references(CLI::App& app, Context& context, Action& action) {
  auto* verb =
      app.get_subcommand("train")->add_subcommand("references", "The labeller of printed references");
  auto flags = std::make_shared<Flags>();
  verb->add_option("--strings", flags->strings,
                   "Folder of labelled reference strings: GROBID's and AnyStyle's XML")
      ->required();
  verb->add_option("--papers", flags->papers,
                   "Papers (JSONL) to print in many styles, and to count names in");
  verb->add_option("--rendered", flags->training.rendered, "Strings printed from the papers");
  verb->add_option("--hold-out", flags->hold_out,
                   "What measures: a fifth of the strings, of the files, or none")
      ->check(CLI::IsMember({"none", "strings", "files"}));
  verb->add_option("--out", flags->out, "Model folder; without it the model is only measured");
  verb->add_option("--rounds", flags->training.learner.rounds, "Passes over the strings")
      ->check(CLI::Range(1, 1000));
  verb->add_option("--regularisation", flags->training.learner.regularisation,
                   "Weight of the squared weights");
  verb->add_option("--seed", flags->training.seed, "Seed of rendering and training");
  verb->add_flag("--json", context.json, "Print the report as JSON");
  verb->callback(
      [&context, &action, flags] { action = [&context, flags] { return run_train(context, *flags); }; });
}

}  // namespace mustcite::cli
