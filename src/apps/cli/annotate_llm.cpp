#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/cli/annotate_verbs.hpp"
#include "apps/cli/shipped.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
#include "stages/annotate/batch_file.hpp"
#include "stages/annotate/label_by_llm.hpp"

namespace mustcite::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

annotate::Endpoint endpoint_of(const LlmFlags& flags, const std::string& judge) {
  annotate::Endpoint endpoint;
  endpoint.protocol = judge == "gemini" ? annotate::Protocol::gemini : annotate::Protocol::openai;
  endpoint.url = flags.endpoint;
  endpoint.model = flags.model;
  if (endpoint.url.empty() && judge == "gemini")
    endpoint.url = "https://generativelanguage.googleapis.com/v1beta";
  if (endpoint.url.empty()) endpoint.url = "https://api.openai.com/v1";
  while (endpoint.url.ends_with("/")) endpoint.url.pop_back();
  const char* variable = judge == "gemini" ? "GEMINI_API_KEY" : "OPENAI_API_KEY";
  const char* key = std::getenv(variable);
  if (key != nullptr) endpoint.key = key;
  if (endpoint.key.empty() && flags.endpoint.empty())
    fail(ErrorCode::usage, "set {} to your key; for a server of your own give --endpoint", variable);
  return endpoint;
}

fs::path prompt_file(const Context& context, const std::string& name) {
  if (name.find('/') != std::string::npos || fs::exists(name)) return name;
  const auto own = context.workspace_folder() / "prompts" / (name + ".txt");
  if (fs::exists(own)) return own;
  const auto with_program = shipped(fs::path("prompts") / (name + ".txt"));
  if (with_program) return *with_program;
  fail(ErrorCode::not_found,
       "there is no prompt '{}': neither a file, nor prompts/{}.txt of the workspace or the program", name,
       name);
}

void print_report(const annotate::LlmReport& report) {
  fmt::print("{} questions = {} judged ({} from the cache) + {} rejected + {} left\n", report.questions,
             report.judged, report.from_cache, report.rejected, report.left);
  fmt::print(
      "{} calls, of them {} retries and {} repairs; {} replies in a form that had to be undressed; {:.1f} s "
      "({:.0f} calls a second)\n",
      report.calls, report.retries, report.repairs, report.dressed, report.seconds,
      static_cast<double>(report.calls) / std::max(report.seconds, 1e-9));
  fmt::print("{} tokens in, {} out; cost {:.4f}, {:.6f} a question; the cache saved {:.4f}\n",
             report.tokens_in, report.tokens_out, report.cost,
             report.judged > report.from_cache
                 ? report.cost / static_cast<double>(report.judged - report.from_cache)
                 : 0.0,
             report.cost_saved);
  if (report.out_of_budget) fmt::print("stopped: the budget is used up; a larger one goes on from here\n");
  std::size_t shown = 0;
  for (const auto& reject : report.rejects) {
    if (++shown > 5) break;
    log::warning("{}: {}", reject.item, reject.reason);
  }
}

void print_estimate(const annotate::Estimate& found) {
  fmt::print(
      "{} questions, {} of them in the cache; about {} tokens in and {} out, cost about {:.2f}. Nothing was "
      "sent.\n",
      found.questions, found.cached, found.tokens_in, found.tokens_out, found.cost);
}

/// The verdicts on a file of instances: one line an instance, with the raw replies. A second prompt of the
/// same tier makes lines of its own, after those of the first.
std::string verdict_lines(const std::vector<annotate::Instance>& instances,
                          const std::vector<annotate::LlmVerdict>& verdicts,
                          const annotate::Endpoint& endpoint) {
  std::map<Tier, std::vector<std::string>> definitions;
  std::map<std::pair<std::size_t, std::size_t>, Json> lines;
  for (const auto& verdict : verdicts) {
    auto& known = definitions[verdict.tier];
    const auto found = std::find(known.begin(), known.end(), verdict.definition);
    const auto group = static_cast<std::size_t>(found - known.begin());
    if (found == known.end()) known.push_back(verdict.definition);
    Json& line = lines[{group, verdict.instance}];
    if (line.is_null()) {
      line["instance_id"] = instances[verdict.instance].id;
      line["citing_id"] = instances[verdict.instance].citing.str();
      line["cited_id"] = instances[verdict.instance].cited.str();
      line["judge"] = annotate::protocol_name(endpoint.protocol);
      line["model"] = endpoint.model;
    }
    const std::string tier = tier_name(verdict.tier);
    line[tier] = verdict.value;
    line[tier + "_definition"] = verdict.definition;
    line[tier + "_reply"] = verdict.reply;
    line[tier + "_cost"] = verdict.cost;
  }
  std::string text;
  for (const auto& [place, line] : lines)
    text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return text;
}

/// Writes the questions as a batch file of the service; sends nothing.
int write_batch(const std::string& file, const std::vector<annotate::Instance>& instances,
                const std::vector<annotate::Prompt>& prompts, const annotate::LlmOptions& options,
                annotate::ReplyCache& cache) {
  const auto batch = annotate::batch_requests(instances, prompts, options, cache);
  io::write_file_atomically(file, batch.lines);
  fmt::print(
      "{}: {} requests ({} questions are in the cache); upload it, then read the results with "
      "--batch-results\n",
      file, batch.requests, batch.cached);
  return 0;
}

/// The results of a batch go into the cache; the run that follows finds them there.
void read_batch(const std::string& file, const annotate::LlmOptions& options, annotate::ReplyCache& cache) {
  const auto results = annotate::take_batch_results(io::read_file(file), options, cache);
  fmt::print(
      "{}: {} lines = {} replies and {} refusals taken into the cache + {} failed + {} unreadable "
      "(these are asked for again)\n",
      file, results.lines, results.taken, results.refused, results.failed, results.unreadable);
  fmt::print("{} tokens in, {} out; cost {:.4f}\n", results.tokens_in, results.tokens_out, results.cost);
}

annotate::CatalogLlmOptions options_of(const LlmFlags& flags, const std::string& judge,
                                       const std::string& only) {
  annotate::CatalogLlmOptions options;
  options.llm.endpoint = endpoint_of(flags, judge);
  if (options.llm.endpoint.model.empty()) fail(ErrorCode::usage, "name the language model: --llm-model NAME");
  options.llm.concurrency = flags.concurrency;
  options.llm.requests_per_minute = flags.requests_per_minute;
  options.llm.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(flags.timeout_s * 1000));
  options.llm.price_in = flags.price_in;
  options.llm.price_out = flags.price_out;
  options.llm.budget = flags.budget;
  options.sample = flags.sample;
  options.only = only;
  options.date = today();
  return options;
}

std::vector<annotate::Prompt> prompts_of(const Context& context, const LlmFlags& flags) {
  std::vector<annotate::Prompt> prompts;
  for (const auto& name :
       flags.prompts.empty() ? std::vector<std::string>{"type1-v1", "type2-v1"} : flags.prompts) {
    prompts.push_back(annotate::read_prompt(prompt_file(context, name)));
    prompts.back().run = flags.repeat;
  }
  if (flags.compare && (prompts.size() != 2 || prompts[0].tier != prompts[1].tier ||
                        prompts[0].definition() == prompts[1].definition()))
    fail(ErrorCode::usage, "--compare wants two different prompts of one tier: --prompt OLD,NEW");
  return prompts;
}

std::vector<annotate::Instance> instances_of(const store::Workspace& workspace, const std::string& input,
                                             const annotate::CatalogLlmOptions& options) {
  if (input.empty())
    return annotate::choose_instances(store::Catalog(workspace.catalog(), store::Catalog::Mode::read_only),
                                      options);
  auto read = annotate::read_instances(input);
  for (const auto& reject : read.rejects)
    log::warning("{} line {}: {}", reject.source, reject.line, reject.reason);
  return annotate::sample_instances(std::move(read.instances), options.sample, options.seed);
}

}  // namespace

void add_llm_options(CLI::App& verb, LlmFlags& flags) {
  verb.add_option("--endpoint", flags.endpoint, "Address of the service, e.g. http://127.0.0.1:8080/v1");
  verb.add_option("--llm-model", flags.model, "Name of the language model");
  verb.add_option("--prompt", flags.prompts, "Prompts, by name or file (default: type1-v1,type2-v1)")
      ->delimiter(',');
  verb.add_option("--concurrency", flags.concurrency, "Requests at once")->check(CLI::Range(1, 1024));
  verb.add_option("--requests-per-minute", flags.requests_per_minute, "Rate limit (0: none)");
  verb.add_option("--timeout-s", flags.timeout_s, "Seconds after which a request is given up");
  verb.add_option("--price-in", flags.price_in, "Price of a million tokens that are sent");
  verb.add_option("--price-out", flags.price_out, "Price of a million tokens that come back");
  verb.add_option("--budget", flags.budget, "Stop before the cost of this run goes beyond it");
  verb.add_option("--sample", flags.sample, "Only so many citations, the same ones every time");
  verb.add_option("--batch-requests", flags.batch_requests,
                  "Write the requests as a batch file of the service; sends nothing");
  verb.add_option("--batch-results", flags.batch_results, "Take the results of a batch into the cache first");
  verb.add_option("--repeat", flags.repeat,
                  "Ask once more, as this run (2, 3, …): past the cache, with labels of its own")
      ->check(CLI::Range(1, 100));
  verb.add_flag("--compare", flags.compare,
                "After asking two prompts of one tier: what changed from the first to the second");
  verb.add_flag("--dry-run", flags.dry_run, "Estimate tokens and cost; sends nothing");
}

int run_llm(Context& context, const std::string& judge, const std::string& input, const std::string& output,
            const std::string& only, const LlmFlags& flags) {
  const auto options = options_of(flags, judge, only);
  const auto prompts = prompts_of(context, flags);
  const auto workspace = context.workspace();
  annotate::ReplyCache cache(workspace.folder() / "replies.sqlite");
  const auto instances = instances_of(workspace, input, options);
  if (!flags.batch_requests.empty())
    return write_batch(flags.batch_requests, instances, prompts, options.llm, cache);
  if (!flags.batch_results.empty()) read_batch(flags.batch_results, options.llm, cache);
  if (flags.dry_run) {
    print_estimate(annotate::estimate(instances, prompts, options.llm, cache));
    return 0;
  }
  std::vector<annotate::LlmVerdict> verdicts;
  const bool wanted = !input.empty() || flags.compare;
  const auto keep = [&](const annotate::LlmVerdict& verdict) {
    if (wanted) verdicts.push_back(verdict);
  };
  annotate::LlmReport report;
  if (input.empty()) {
    store::Catalog catalog(workspace.catalog(), store::Catalog::Mode::read_write);
    report = annotate::label_by_llm(catalog, instances, prompts, options, cache, keep, context.progress());
  } else {
    report = annotate::ask_llm(instances, prompts, options.llm, cache, keep, context.progress());
    const std::string text = verdict_lines(instances, verdicts, options.llm.endpoint);
    if (output.empty() || output == "-") {
      fmt::print("{}", text);
      return report.rejected + report.left > 0 ? exit_code(ErrorCode::unavailable) : 0;
    }
    io::write_file_atomically(output, text);
  }
  print_report(report);
  if (flags.compare) {
    const std::string a = prompts[0].definition();
    const std::string b = prompts[1].definition();
    fmt::print("\n");
    constexpr std::size_t kShown = 10;
    print_comparison(annotate::compare_verdicts(instances, verdicts, a, b), prompts[0].tier, a, b, kShown);
  }
  return 0;
}

}  // namespace mustcite::cli
