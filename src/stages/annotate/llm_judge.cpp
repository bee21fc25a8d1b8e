#include "stages/annotate/llm_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <queue>
#include <random>
#include <set>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"

namespace mustcite::annotate {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr std::uint64_t kReplyTokens = 4;
/// Stands before a refusal in the cache; no model says it.
constexpr std::string_view kRefusal = "\x01refused: ";
/// Replies are committed this often, and at least whenever nothing else is to do.
constexpr std::size_t kCommitEvery = 64;
/// Requests at once in the beginning; one more with every reply. Dozens of connections opened in one instant
/// overrun the accept queue of small servers.
constexpr std::size_t kFirstAtOnce = 4;

/// What a text is likely to take.
std::uint64_t tokens_of(std::string_view text) {
  return text.size() / 4 + 8;
}

/// What it takes at most, for English: the budget is guarded by this.
std::uint64_t most_tokens_of(std::string_view text) {
  return text.size() * 2 / 5 + 16;
}

std::string reminder(Tier tier) {
  return tier == Tier::type1 ? "Reply with the digit 0 or the digit 1 alone."
                             : "Reply with one digit from 1 to 5 alone.";
}

/// One question on its way to an answer.
struct Task {
  std::size_t instance = 0;
  const Prompt* prompt = nullptr;
  std::string key;
  std::string user;
  std::string earlier_reply;  ///< not readable: the repair is under way
  bool is_repair = false;
  int tries = 0;
  double cost = 0;             ///< of all replies to this question
  double reserved = 0;         ///< of the budget, while a request is on its way
  std::uint64_t foreseen = 0;  ///< tokens of that request, at most
};

class Run {
 public:
  Run(const std::vector<Instance>& instances, const std::vector<Prompt>& prompts, const LlmOptions& options,
      ReplyCache& cache, const std::function<void(const LlmVerdict&)>& take, Progress& progress)
      : instances_(instances),
        prompts_(prompts),
        options_(options),
        cache_(cache),
        take_(take),
        progress_(progress),
        random_(options.seed),
        allowed_(std::min(kFirstAtOnce, options.concurrency)) {}

  LlmReport run() {
    const auto begin = Clock::now();
    report_.questions = instances_.size() * prompts_.size();
    for (const auto& prompt : prompts_) {
      for (std::size_t i = 0; i < instances_.size(); ++i) {
        open(i, prompt);
        // The queue stays short, whatever the number of instances.
        while (waiting_.size() + later_.size() > 4 * options_.concurrency && !stopping()) turn();
        if (stopping()) break;
      }
      while (!idle() && !stopping()) turn();
      if (stopping()) break;
    }
    while (!running_.empty()) turn();
    cache_.commit();
    report_.left = report_.questions - report_.judged - report_.rejected;
    report_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return std::move(report_);
  }

 private:
  struct Later {
    Clock::time_point due;
    std::uint64_t tag;
    bool operator>(const Later& other) const { return due > other.due; }
  };

  [[nodiscard]] bool idle() const { return waiting_.empty() && later_.empty() && running_.empty(); }
  [[nodiscard]] bool stopping() const { return report_.out_of_budget || interrupt_requested(); }

  void open(std::size_t instance, const Prompt& prompt) {
    Task task;
    task.instance = instance;
    task.prompt = &prompt;
    task.user = prompt.fill(instances_[instance]);
    task.key = question_key(options_.endpoint, prompt, task.user);
    const std::uint64_t tag = next_tag_++;
    const auto cached = cache_.find(task.key);
    if (!cached) {
      tasks_.emplace(tag, std::move(task));
      waiting_.push_back(tag);
      return;
    }
    report_.cost_saved += cached->cost;
    read(tag, std::move(task), cached->text, true);
  }

  /// A reply to the question, from the service or the cache.
  void read(std::uint64_t tag, Task task, const std::string& text, bool from_cache) {
    if (text.starts_with(kRefusal)) {
      reject(task, "the service refused: " + text.substr(kRefusal.size()));
      return;
    }
    const Reply reply = read_reply(text, task.prompt->tier);
    if (reply.value) {
      report_.dressed += reply.kind == Reply::Kind::dressed ? 1 : 0;
      report_.from_cache += from_cache ? 1 : 0;
      ++report_.judged;
      progress_.advance(1);
      take_({task.instance, task.prompt->tier, task.prompt->definition(), *reply.value, text, task.cost});
      return;
    }
    if (task.is_repair) {
      reject(task, fmt::format("two replies that are no digit of the scale: '{}' and '{}'",
                               task.earlier_reply, text));
      return;
    }
    task.is_repair = true;
    task.tries = 0;
    task.earlier_reply = text.empty() ? "(nothing)" : text.substr(0, 200);
    task.key = question_key(options_.endpoint, *task.prompt,
                            task.user + "\n" + task.earlier_reply + "\n" + reminder(task.prompt->tier));
    ++report_.repairs;
    const auto cached = cache_.find(task.key);
    if (cached) {
      report_.cost_saved += cached->cost;
      read(tag, std::move(task), cached->text, from_cache);
      return;
    }
    tasks_.emplace(tag, std::move(task));
    waiting_.push_back(tag);
  }

  void reject(const Task& task, const std::string& reason) {
    ++report_.rejected;
    progress_.advance(1);
    report_.rejects.push_back({fmt::format("annotate {} {} {}", protocol_name(options_.endpoint.protocol),
                                           options_.endpoint.model, task.prompt->definition()),
                               0, instances_[task.instance].id, reason});
  }

  /// Sends what may be sent, waits for what comes first, deals with what came.
  void turn() {
    const auto now = Clock::now();
    while (!later_.empty() && later_.top().due <= now) {
      waiting_.push_back(later_.top().tag);
      later_.pop();
    }
    while (!waiting_.empty() && running_.size() < allowed_ && !stopping() && now >= paused_until_ &&
           may_send(now))
      send();
    if (uncommitted_ >= kCommitEvery || (running_.empty() && uncommitted_ > 0)) commit();
    Milliseconds wait{200};
    if (!later_.empty())
      wait =
          std::min(wait, std::chrono::duration_cast<Milliseconds>(later_.top().due - now) + Milliseconds{1});
    if (next_slot_ > now)
      wait = std::min(wait, std::chrono::duration_cast<Milliseconds>(next_slot_ - now) + Milliseconds{1});
    if (paused_until_ > now)
      wait = std::min(wait, std::chrono::duration_cast<Milliseconds>(paused_until_ - now) + Milliseconds{1});
    for (auto& result : pool_.wait(std::max(wait, Milliseconds{1}))) finish(result);
  }

  bool may_send(Clock::time_point now) {
    if (options_.requests_per_minute <= 0) return true;
    if (now < next_slot_) return false;
    const auto gap = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(60 / options_.requests_per_minute));
    next_slot_ = std::max(next_slot_, now - gap) + gap;
    return true;
  }

  void send() {
    const std::uint64_t tag = waiting_.front();
    Task& task = tasks_.at(tag);
    const std::uint64_t most =
        most_tokens_of(task.prompt->system) + most_tokens_of(task.user) + most_tokens_of(task.earlier_reply);
    const double worst = dearest_ * price(options_, most, kReplyTokens);
    if (options_.budget > 0 && report_.cost + reserved_ + worst > options_.budget) {
      // What is on its way may turn out cheaper than reserved: give up only when nothing is.
      if (running_.empty()) report_.out_of_budget = true;
      next_slot_ = std::max(next_slot_, Clock::now() + Milliseconds{5});
      waiting_.pop_front();
      later_.push({Clock::now() + Milliseconds{5}, tag});
      return;
    }
    waiting_.pop_front();
    task.reserved = worst;
    task.foreseen = most;
    reserved_ += worst;
    Question question{task.prompt->system, task.user, {}, {}};
    const std::string remind = task.is_repair ? reminder(task.prompt->tier) : std::string();
    if (task.is_repair) question = {task.prompt->system, task.user, task.earlier_reply, remind};
    auto request = make_request(options_.endpoint, question, options_.timeout);
    request.tag = tag;
    pool_.submit(std::move(request));
    running_.insert(tag);
    ++task.tries;
    ++report_.calls;
    report_.retries += task.tries > 1 ? 1 : 0;
  }

  void finish(const net::PostResult& result) {
    running_.erase(result.tag);
    Task task = std::move(tasks_.at(result.tag));
    tasks_.erase(result.tag);
    reserved_ -= task.reserved;
    if (!result.problem.empty()) return again(result, std::move(task), result.problem);
    if (result.status == 200) return take_answer(result, std::move(task));
    const std::string said = fmt::format("status {}: {}", result.status, error_message(result.body));
    if (result.status == 401 || result.status == 403 || result.status == 404) {
      cache_.commit();
      fail(ErrorCode::unavailable,
           "{} refuses the request ({}); check the key in the environment, --llm-model and --endpoint",
           options_.endpoint.url, said);
    }
    if (result.status == 408 || result.status == 429 || result.status >= 500)
      return again(result, std::move(task), said);
    reject(task, said);
  }

  void take_answer(const net::PostResult& result, Task task) {
    const Answer answer = read_answer(options_.endpoint.protocol, result.body);
    if (answer.kind == Answer::Kind::broken) return again(result, std::move(task), answer.problem);
    const double cost = price(options_, answer.tokens_in, answer.tokens_out);
    task.cost += cost;
    report_.cost += cost;
    report_.tokens_in += answer.tokens_in;
    // A tokeniser that needs more than was foreseen makes every later reservation larger.
    if (task.foreseen > 0)
      dearest_ =
          std::max(dearest_, static_cast<double>(answer.tokens_in) / static_cast<double>(task.foreseen));
    allowed_ = std::min(allowed_ + 1, options_.concurrency);
    report_.tokens_out += answer.tokens_out;
    const std::string text = kept_text(answer);
    cache_.put(task.key, protocol_name(options_.endpoint.protocol), options_.endpoint.model,
               {text, answer.tokens_in, answer.tokens_out, cost});
    ++uncommitted_;
    read(result.tag, std::move(task), text, false);
  }

  /// After a failure that may pass.
  void again(const net::PostResult& result, Task task, const std::string& problem) {
    if (task.tries >= options_.tries) {
      reject(task, fmt::format("failed {} times, last by: {}", task.tries, problem));
      return;
    }
    const double growth = static_cast<double>(std::uint64_t{1} << std::min(task.tries - 1, 20));
    const double jitter = 0.5 + static_cast<double>(random_() >> 11) * 0x1.0p-53;
    const auto grown = Milliseconds(
        static_cast<std::int64_t>(static_cast<double>(options_.first_wait.count()) * growth * jitter));
    const auto wait = std::max(std::min(grown, options_.longest_wait), result.retry_after);
    // A service that asks for patience asks everybody.
    if (result.status == 429 && result.retry_after.count() > 0)
      paused_until_ = std::max(paused_until_, Clock::now() + result.retry_after);
    later_.push({Clock::now() + wait, result.tag});
    tasks_.emplace(result.tag, std::move(task));
  }

  void commit() {
    cache_.commit();
    uncommitted_ = 0;
  }

  const std::vector<Instance>& instances_;
  const std::vector<Prompt>& prompts_;
  const LlmOptions& options_;
  ReplyCache& cache_;
  const std::function<void(const LlmVerdict&)>& take_;
  Progress& progress_;
  std::mt19937_64 random_;
  net::HttpPool pool_;
  std::unordered_map<std::uint64_t, Task> tasks_;
  std::deque<std::uint64_t> waiting_;
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
  std::set<std::uint64_t> running_;
  Clock::time_point next_slot_{};
  Clock::time_point paused_until_{};
  double reserved_ = 0;
  double dearest_ = 1;  ///< tokens counted by the service over those foreseen, at worst
  std::size_t allowed_ = 0;
  std::uint64_t next_tag_ = 1;
  std::size_t uncommitted_ = 0;
  LlmReport report_;
};

}  // namespace

double price(const LlmOptions& options, std::uint64_t tokens_in, std::uint64_t tokens_out) noexcept {
  return (static_cast<double>(tokens_in) * options.price_in +
          static_cast<double>(tokens_out) * options.price_out) /
         1e6;
}

std::string question_key(const Endpoint& endpoint, const Prompt& prompt, std::string_view user) {
  return ReplyCache::key(protocol_name(endpoint.protocol), endpoint.model, prompt.identity(), user);
}

std::string kept_text(const Answer& answer) {
  // A refusal was paid for as well: it is kept like a reply.
  return answer.kind == Answer::Kind::refused ? std::string(kRefusal) + answer.problem : answer.text;
}

Estimate estimate(const std::vector<Instance>& instances, const std::vector<Prompt>& prompts,
                  const LlmOptions& options, ReplyCache& cache) {
  Estimate result;
  for (const auto& prompt : prompts) {
    for (const auto& instance : instances) {
      ++result.questions;
      const std::string user = prompt.fill(instance);
      if (cache.find(question_key(options.endpoint, prompt, user))) {
        ++result.cached;
        continue;
      }
      result.tokens_in += tokens_of(prompt.system) + tokens_of(user);
      result.tokens_out += 1;
    }
  }
  result.cost = price(options, result.tokens_in, result.tokens_out);
  return result;
}

LlmReport ask_llm(const std::vector<Instance>& instances, const std::vector<Prompt>& prompts,
                  const LlmOptions& options, ReplyCache& cache,
                  const std::function<void(const LlmVerdict&)>& take, Progress& progress) {
  if (options.endpoint.url.empty() || options.endpoint.model.empty())
    fail(ErrorCode::usage, "a language model needs --endpoint and --llm-model");
  if (options.budget > 0 && options.price_in <= 0)
    fail(ErrorCode::usage, "a budget needs prices: give --price-in and --price-out per million tokens");
  progress.begin("annotate", instances.size() * prompts.size());
  LlmReport report = Run(instances, prompts, options, cache, take, progress).run();
  progress.finish();
  return report;
}

}  // namespace mustcite::annotate
