#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "apps/cli/context.hpp"
#include "core/base/date.hpp"
#include "stages/annotate/comparison.hpp"
#include "stages/annotate/local_judge.hpp"

namespace mustcite::cli {

void add_annotate(CLI::App& app, Context& context, Action& action);
void add_validate(CLI::App& app, Context& context, Action& action);

/// The parts of `annotate`, each in a file of its own.
void add_annotate_train(CLI::App& verb, Context& context, Action& action);
void add_annotate_evaluate(CLI::App& verb, Context& context, Action& action);
void add_annotate_reports(CLI::App& verb, Context& context, Action& action);

/// What `annotate` with a language model needs to know.
struct LlmFlags {
  std::string endpoint;
  std::string model;
  std::vector<std::string> prompts;
  std::size_t concurrency = 64;
  double requests_per_minute = 0;
  double timeout_s = 60;
  double price_in = 0;
  double price_out = 0;
  double budget = 0;
  std::uint64_t sample = 0;
  std::string batch_requests;
  std::string batch_results;
  bool dry_run = false;
  int repeat = 1;
  bool compare = false;
};
void add_llm_options(CLI::App& verb, LlmFlags& flags);
/// Judges by `openai` or `gemini`: a file of instances when `input` is given, else the catalog.
int run_llm(Context& context, const std::string& judge, const std::string& input, const std::string& output,
            const std::string& only, const LlmFlags& flags);

/// Agreement, confusion by section, venue and year, and the citations that changed.
void print_comparison(const annotate::Comparison& result, Tier tier, const std::string& a,
                      const std::string& b, std::size_t show);

/// The local judge in force: the folder of the flag, else the workspace's `judge`, else the one that ships.
[[nodiscard]] annotate::LocalJudge load_local_judge(const Context& context, const std::string& flag);

/// Rated instances of a study (by name or folder) or of a JSONL file.
[[nodiscard]] std::vector<annotate::Instance> rated_instances(const Context& context,
                                                              const std::string& study_or_file);

/// The day it is, in UTC: the date of a label.
[[nodiscard]] Date today();

}  // namespace mustcite::cli
