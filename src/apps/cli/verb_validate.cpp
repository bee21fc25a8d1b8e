#include <fmt/format.h>

#include "apps/cli/annotate_verbs.hpp"
#include "apps/validate/agreement.hpp"
#include "apps/validate/publish.hpp"
#include "apps/validate/sample.hpp"
#include "apps/validate/server.hpp"
#include "apps/validate/study.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "stages/annotate/annotate.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;

struct Flags {
  std::string study;
  validate::SampleOptions sample;
  std::vector<std::string> raters;
  std::size_t per_item = 2;
  std::string instances;
  validate::ServeOptions serve;
  std::string out;
  std::string file;
  std::string judge_file;
  bool judge_local = false;
  validate::Options agreement;
};

fs::path study_folder(const Context& context, const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  return context.workspace().folder() / "validation" / name;
}

void print_links(const validate::Study& study, const std::string& url) {
  for (const auto& rater : study.raters())
    fmt::print("{}: {}/r/{} ({} of {} done)\n", rater.name, url, rater.token, study.answered(rater.name),
               rater.items.size());
  fmt::print("adjudication: {}/r/{}\n", url, study.adjudicator_token());
  std::fflush(stdout);
}

int run_sample(const Context& context, const Flags& flags) {
  const auto folder = study_folder(context, flags.study);
  fs::create_directories(folder.parent_path());
  if (!flags.instances.empty()) {
    const auto read = annotate::read_instances(flags.instances);
    for (const auto& reject : read.rejects)
      log::warning("{} line {}: {}", reject.source, reject.line, reject.reason);
    validate::Study::create(folder, read.instances, flags.raters, flags.per_item, flags.sample.seed);
    fmt::print("study {}: {} instances\n", folder.string(), read.instances.size());
  } else {
    const store::Catalog catalog(context.workspace().catalog(), store::Catalog::Mode::read_only);
    const auto sample = validate::draw(catalog, flags.sample);
    validate::Study::create(folder, sample.instances, flags.raters, flags.per_item, flags.sample.seed);
    fmt::print("study {}: {} of {} citations from {} strata of venue, year and label\n", folder.string(),
               sample.instances.size(), sample.population, sample.strata.size());
  }
  fmt::print("next: mustcite validate serve {}\n", flags.study);
  return 0;
}

int run_serve(const Context& context, const Flags& flags) {
  validate::Study study(study_folder(context, flags.study));
  validate::serve(
      study, flags.serve, [&](const std::string& url) { print_links(study, url); }, [] { return false; });
  return 0;
}

int run_export(const Context& context, const Flags& flags) {
  const validate::Study study(study_folder(context, flags.study));
  const std::string text =
      fs::path(flags.out).extension() == ".csv" ? study.export_csv() : study.export_jsonl();
  if (flags.out.empty() || flags.out == "-") {
    fmt::print("{}", text);
  } else {
    io::write_file_atomically(flags.out, text);
    fmt::print("{}\n", flags.out);
  }
  return 0;
}

int run_import(const Context& context, const Flags& flags) {
  validate::Study study(study_folder(context, flags.study));
  const bool is_csv = fs::path(flags.file).extension() == ".csv";
  fmt::print("{} answers taken\n", is_csv
                                       ? study.import_csv(io::read_file(flags.file, std::size_t{256} << 20))
                                       : study.import_jsonl(flags.file));
  return 0;
}

int run_publish(const Context& context, const Flags& flags) {
  const auto folder = study_folder(context, flags.study);
  const validate::Study study(folder);
  store::Catalog catalog(context.workspace().catalog(), store::Catalog::Mode::read_write);
  const auto name = fs::absolute(folder).lexically_normal().filename().string();
  const auto report = validate::publish(study, name, catalog, today());
  fmt::print(
      "{} questions = {} agreed + {} adjudicated + {} open + {} on citations that the catalog does not "
      "hold\n",
      report.questions, report.agreed, report.adjudicated, report.open, report.not_in_catalog);
  fmt::print("labels by {}:{}:{}\n", validate::kPeople, name, validate::kQuestions);
  return 0;
}

int run_agreement(const Context& context, const Flags& flags) {
  const auto instances = rated_instances(context, flags.study);
  validate::JudgeValues judge;
  if (!flags.judge_file.empty()) judge = validate::read_judge(flags.judge_file);
  if (flags.judge_local) {
    const auto local = load_local_judge(context, "");
    const auto verdicts = annotate::judge_all(instances, local, context.threads);
    for (std::size_t i = 0; i < instances.size(); ++i)
      judge[instances[i].id] = {verdicts[i].type1_value, verdicts[i].type2_value};
  }
  const auto report = validate::measure(instances, judge, flags.agreement);
  fmt::print("{}", context.json ? validate::render_json(report) : validate::render(report));
  return 0;
}

}  // namespace

std::vector<annotate::Instance> rated_instances(const Context& context, const std::string& study_or_file) {
  if (fs::is_regular_file(study_or_file)) {
    auto read = annotate::read_instances(study_or_file);
    for (const auto& reject : read.rejects)
      log::warning("{} line {}: {}", reject.source, reject.line, reject.reason);
    return std::move(read.instances);
  }
  const validate::Study study(study_folder(context, study_or_file));
  std::vector<annotate::Instance> instances = study.instances();
  for (std::size_t i = 0; i < instances.size(); ++i) {
    for (const auto& [rater, answer] : study.answers_of(i))
      instances[i].ratings.push_back({rater, answer.type1, answer.type2, answer.note});
  }
  return instances;
}

void add_validate(CLI::App& app, Context& context, Action& action) {
  auto* verb = app.add_subcommand("validate", "Let people rate citations, and measure agreement");
  verb->require_subcommand(1);
  auto flags = std::make_shared<Flags>();
  const auto on = [&context, &action, flags](CLI::App* part, int (*run)(const Context&, const Flags&)) {
    part->callback([&context, &action, flags, run] {
      action = [&context, flags, run] { return run(context, *flags); };
    });
  };
  auto* sample = verb->add_subcommand("sample", "Draw a stratified sample and assign it to raters");
  sample->add_option("study", flags->study, "Name (validation/NAME of the workspace) or folder")->required();
  sample->add_option("--raters", flags->raters, "Names of the raters")->delimiter(',')->required();
  sample->add_option("--per-item", flags->per_item, "Raters of each citation")->check(CLI::Range(2, 6));
  sample->add_option("--size", flags->sample.size, "Citations in the sample");
  sample->add_option("--seed", flags->sample.seed, "Seed of the sample and the assignment");
  sample->add_option("--strata-by", flags->sample.judge,
                     "Judge whose labels make strata, beside venue and year");
  sample->add_option("--instances", flags->instances,
                     "Rate all instances of this JSONL file instead of a sample");
  on(sample, run_sample);
  auto* serve = verb->add_subcommand("serve", "Serve the rating pages on this machine");
  serve->add_option("study", flags->study, "Name or folder")->required();
  serve->add_option("--port", flags->serve.port, "Port (0: any free one)")->check(CLI::Range(0, 65535));
  serve->add_option("--host", flags->serve.host,
                    "Address to listen on; anything but 127.0.0.1 opens it to the network");
  on(serve, run_serve);
  auto* links = verb->add_subcommand("links", "List the addresses of the raters and how far they are");
  links->add_option("study", flags->study, "Name or folder")->required();
  links->add_option("--port", flags->serve.port, "Port of the server");
  on(links, [](const Context& where, const Flags& given) {
    print_links(validate::Study(study_folder(where, given.study)),
                fmt::format("http://{}:{}", given.serve.host, given.serve.port));
    return 0;
  });
  auto* out = verb->add_subcommand("export", "Write the answers as JSONL (instances with labels) or CSV");
  out->add_option("study", flags->study, "Name or folder")->required();
  out->add_option("--out", flags->out,
                  "File; the ending .csv chooses CSV (default: JSONL to standard output)");
  on(out, run_export);
  auto* in = verb->add_subcommand("import", "Take answers from a file as `export` writes it");
  in->add_option("study", flags->study, "Name or folder")->required();
  in->add_option("file", flags->file,
                 "CSV (instance_id,rater,type1,type2,note) or JSONL of instances with labels")
      ->required();
  on(in, run_import);
  auto* labels = verb->add_subcommand(
      "publish", "Make what raters agree on, or the adjudicator decided, labels of the catalog");
  labels->add_option("study", flags->study, "Name or folder")->required();
  on(labels, run_publish);
  auto* agreement =
      verb->add_subcommand("agreement", "Agreement of raters with each other and of a judge with them");
  agreement->add_option("study", flags->study, "Study, or a JSONL file of rated instances")->required();
  agreement->add_option("--judge-labels", flags->judge_file,
                        "Labels of a judge, as `annotate --output` writes them");
  agreement->add_flag("--judge-local", flags->judge_local, "Compare the local judge");
  agreement->add_option("--resamples", flags->agreement.resamples, "Bootstrap resamples")
      ->check(CLI::Range(1, 1000000));
  agreement->add_option("--seed", flags->agreement.seed, "Seed of the bootstrap");
  agreement->add_flag("--json", context.json, "Machine-readable output");
  on(agreement, run_agreement);
}

}  // namespace mustcite::cli
