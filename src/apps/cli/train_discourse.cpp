#include "apps/cli/train_discourse.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/table.hpp"
#include "core/base/log.hpp"
#include "engine/paragraph/train_discourse.hpp"

namespace mustcite::cli {
namespace {

using paragraph::Paragraph;

struct Flags {
  std::string train;
  std::string test;
  std::string out;
  paragraph::TaggerTraining training;
};

std::vector<Paragraph> tagged(const std::string& file) {
  if (file.empty()) return {};
  paragraph::ReadReport report;
  auto paragraphs = paragraph::read_paragraphs(file, report);
  for (const auto& rejected : report.ledger)
    log::warning("{} line {}: {}", file, rejected.line, rejected.reason);
  return paragraphs;
}

nlohmann::ordered_json scores_json(const paragraph::TagScores& scores) {
  nlohmann::ordered_json json{{"macro_f1", scores.macro_f1()}, {"accuracy", scores.accuracy()}};
  for (std::size_t i = 0; i < paragraph::kDiscourses; ++i) {
    const auto& one = scores.classes[i];
    json["classes"][std::string(paragraph::name_of(static_cast<paragraph::Discourse>(i)))] = {
        {"labelled", one.labelled},
        {"precision", one.precision()},
        {"recall", one.recall()},
        {"f1", one.f1()}};
  }
  return json;
}

void print_json(const paragraph::TaggerReport& report) {
  const nlohmann::ordered_json json{{"paragraphs", report.paragraphs},
                                    {"sentences", report.sentences},
                                    {"test_paragraphs", report.test_paragraphs},
                                    {"test_sentences", report.test_sentences},
                                    {"features", report.features},
                                    {"bytes", report.bytes},
                                    {"majority", scores_json(report.majority)},
                                    {"linear", scores_json(report.linear)},
                                    {"chain", scores_json(report.chain)}};
  fmt::print("{}\n", json.dump(1));
}

void print_table(const paragraph::TaggerReport& report) {
  fmt::print("{} sentences of {} paragraphs trained on; {} features, {:.2f} MB\n", report.sentences,
             report.paragraphs, report.features, static_cast<double>(report.bytes) / 1e6);
  if (report.test_sentences == 0) return;
  fmt::print("judged on {} sentences of {} paragraphs, F1:\n", report.test_sentences, report.test_paragraphs);
  Table table;
  table.add_column("class");
  for (const char* title : {"sentences", "majority", "linear", "chain", "precision", "recall"})
    table.add_column(title, Table::Align::right);
  const auto number = [](double value) { return fmt::format("{:.3f}", value); };
  for (std::size_t i = 0; i < paragraph::kDiscourses; ++i) {
    const auto& chain = report.chain.classes[i];
    table.add_row({std::string(paragraph::name_of(static_cast<paragraph::Discourse>(i))),
                   std::to_string(chain.labelled), number(report.majority.classes[i].f1()),
                   number(report.linear.classes[i].f1()), number(chain.f1()), number(chain.precision()),
                   number(chain.recall())});
  }
  table.add_row({"macro F1", "", number(report.majority.macro_f1()), number(report.linear.macro_f1()),
                 number(report.chain.macro_f1()), "", ""});
  table.add_row({"accuracy", "", number(report.majority.accuracy()), number(report.linear.accuracy()),
                 number(report.chain.accuracy()), "", ""});
  fmt::print("{}", table.render());
}

int run_train(Context& context, const Flags& flags) {
  const auto train = tagged(flags.train);
  const auto test = tagged(flags.test);
  const auto report = paragraph::train_tagger(train, test, flags.training, flags.out, context.progress());
  context.json ? print_json(report) : print_table(report);
  return 0;
}

}  // namespace

void add_train_discourse(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.get_subcommand("train")->add_subcommand(
      "discourse", "The tagger of what the sentences of related-work sections do");
  auto flags = std::make_shared<Flags>();
  verb->add_option("--train", flags->train, "Tagged paragraphs: CORWA's JSONL, or ours with tags")
      ->required();
  verb->add_option("--test", flags->test, "Tagged paragraphs that judge; never trained on");
  verb->add_option("--out", flags->out, "Model folder; without it the model is only measured");
  verb->add_option("--rounds", flags->training.learner.rounds, "Passes over the paragraphs")
      ->check(CLI::Range(1, 1000));
  verb->add_option("--regularisation", flags->training.learner.regularisation,
                   "Weight of the squared weights");
  verb->add_option("--seed", flags->training.seed, "Seed of training");
  verb->add_flag("--json", context.json, "Print the report as JSON");
  verb->callback(
      [&context, &action, flags] { action = [&context, flags] { return run_train(context, *flags); }; });
}

}  // namespace mustcite::cli
