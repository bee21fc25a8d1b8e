#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/cli/annotate_verbs.hpp"
#include "apps/cli/shipped.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/io/file.hpp"
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

/// The verdicts on a file of instances: one line an instance, with the raw replies.
std::string verdict_lines(const std::vector<annotate::Instance>& instances,
                          const std::vector<annotate::LlmVerdict>& verdicts,
                          const annotate::Endpoint& endpoint) {
  std::map<std::size_t, Json> lines;
  for (const auto& verdict : verdicts) {
    Json& line = lines[verdict.instance];
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
  for (const auto& [instance, line] : lines)
    text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return text;
}

/// Requests as a batch file of the service, one a line: for its slower, cheaper way.
int write_batch(const std::string& file, const std::vector<annotate::Instance>& instances,
                const std::vector<annotate::Prompt>& prompts, const annotate::Endpoint& endpoint) {
  std::string text;
  for (const auto& prompt : prompts) {
    for (const auto& instance : instances) {
      const std::string user = prompt.fill(instance);
      const auto body = Json::parse(annotate::request_body(endpoint, {prompt.system, user, {}, {}}));
      const auto key = annotate::ReplyCache::key(annotate::protocol_name(endpoint.protocol), endpoint.model,
                                                 prompt.digest, user);
      const Json line =
          endpoint.protocol == annotate::Protocol::gemini
              ? Json{{"key", key}, {"request", body}}
              : Json{{"custom_id", key}, {"method", "POST"}, {"url", "/v1/chat/completions"}, {"body", body}};
      text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }
  }
  io::write_file_atomically(file, text);
  fmt::print("{}: {} requests; upload it, then read the results with --batch-results\n", file,
             instances.size() * prompts.size());
  return 0;
}

/// The results of a batch go into the cache; the run that follows finds them there.
void read_batch(const std::string& file, const annotate::Endpoint& endpoint, const LlmFlags& flags,
                annotate::ReplyCache& cache) {
  const std::string text = io::read_file(file);
  std::size_t taken = 0;
  std::size_t unusable = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const Json line = Json::parse(text.substr(at, end - at), nullptr, false);
    at = end + 1;
    if (!line.is_object()) continue;
    const bool gemini = endpoint.protocol == annotate::Protocol::gemini;
    const std::string key = line.value(gemini ? "key" : "custom_id", "");
    const Json response =
        gemini ? line.value("response", Json()) : line.value(Json::json_pointer("/response/body"), Json());
    const auto answer = annotate::read_answer(endpoint.protocol, response.dump());
    if (key.empty() || answer.kind != annotate::Answer::Kind::text) {
      ++unusable;
      continue;
    }
    const double cost = (static_cast<double>(answer.tokens_in) * flags.price_in +
                         static_cast<double>(answer.tokens_out) * flags.price_out) /
                        1e6;
    cache.put(key, annotate::protocol_name(endpoint.protocol), endpoint.model,
              {answer.text, answer.tokens_in, answer.tokens_out, cost});
    ++taken;
  }
  cache.commit();
  fmt::print("{}: {} replies taken into the cache, {} unusable (they are asked for again)\n", file, taken,
             unusable);
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
  verb.add_flag("--dry-run", flags.dry_run, "Estimate tokens and cost; sends nothing");
}

int run_llm(Context& context, const std::string& judge, const std::string& input, const std::string& output,
            const std::string& only, const LlmFlags& flags) {
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
  std::vector<annotate::Prompt> prompts;
  for (const auto& name :
       flags.prompts.empty() ? std::vector<std::string>{"type1-v1", "type2-v1"} : flags.prompts)
    prompts.push_back(annotate::read_prompt(prompt_file(context, name)));
  const auto workspace = context.workspace();
  annotate::ReplyCache cache(workspace.folder() / "replies.sqlite");
  std::vector<annotate::Instance> instances;
  if (!input.empty()) {
    auto read = annotate::read_instances(input);
    for (const auto& reject : read.rejects)
      log::warning("{} line {}: {}", reject.source, reject.line, reject.reason);
    instances = annotate::sample_instances(std::move(read.instances), flags.sample, options.seed);
  } else {
    instances = annotate::choose_instances(
        store::Catalog(workspace.catalog(), store::Catalog::Mode::read_only), options);
  }
  if (!flags.batch_requests.empty())
    return write_batch(flags.batch_requests, instances, prompts, options.llm.endpoint);
  if (!flags.batch_results.empty()) read_batch(flags.batch_results, options.llm.endpoint, flags, cache);
  if (flags.dry_run) {
    print_estimate(annotate::estimate(instances, prompts, options.llm, cache));
    return 0;
  }
  annotate::LlmReport report;
  if (input.empty()) {
    store::Catalog catalog(workspace.catalog(), store::Catalog::Mode::read_write);
    report = annotate::label_by_llm(catalog, instances, prompts, options, cache, context.progress());
  } else {
    std::vector<annotate::LlmVerdict> verdicts;
    report = annotate::ask_llm(
        instances, prompts, options.llm, cache,
        [&](const annotate::LlmVerdict& verdict) { verdicts.push_back(verdict); }, context.progress());
    const std::string text = verdict_lines(instances, verdicts, options.llm.endpoint);
    if (output.empty() || output == "-") {
      fmt::print("{}", text);
      return report.rejected + report.left > 0 ? exit_code(ErrorCode::unavailable) : 0;
    }
    io::write_file_atomically(output, text);
  }
  print_report(report);
  return 0;
}

}  // namespace mustcite::cli
