#include "engine/train/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base/hash.hpp"
#include "core/base/threads.hpp"
#include "engine/model/fitted_text.hpp"
#include "engine/train/checkpoint.hpp"
#include "engine/train/cross_encoder.hpp"
#include "engine/train/measure.hpp"
#include "engine/train/sampler.hpp"

namespace mustcite::train {
namespace {

/// One training from its first step to its last.
class Training {
 public:
  Training(const Job& job, Learner& learner, Progress& progress, Report& report)
      : job_(job),
        recipe_(*job.recipe),
        learner_(learner),
        progress_(progress),
        report_(report),
        examples_(prepare()),
        sampler_(examples_, sampler_options()),
        dev_(*job.snapshot, recipe_, job.dev,
             [&](const DevQuery& query) { return text_of(query.title, query.abstract, query.topic); }),
        pair_dev_(*job.snapshot, recipe_.dev, recipe_.learner.offset, std::move(held_out_)),
        checkpoints_(job.checkpoints, fingerprint()) {
    report_.usable = sampler_.usable();
    report_.dev_queries = dev_.queries() + pair_dev_.queries();
    report_.dev_documents = dev_.documents() + pair_dev_.pairs();
    plan();
  }

  void run() {
    if (auto standing = checkpoints_.resume(learner_)) standing_ = std::move(*standing);
    standing_.metric = recipe_.dev.metric;
    stopped_ = patience_ended();
    report_.resumed_at = standing_.step;
    if (standing_.measurements.empty()) measure();
    progress_.begin("training", total_);
    progress_.advance(standing_.step);
    std::size_t first = 0;
    for (std::size_t epoch = 0; epoch < steps_.size() && !done(); first += steps_[epoch++]) {
      if (standing_.step >= first + steps_[epoch]) continue;
      const auto plans = sampler_.epoch(epoch);
      while (!done() && standing_.step < first + steps_[epoch]) step(plans, standing_.step - first);
    }
    progress_.finish();
    if (measured()) {
      const std::size_t best = standing_.measurements[standing_.best()].step;
      checkpoints_.load_best(learner_, best);
      report_.best_step = best;
    } else {
      report_.best_step = standing_.step;
    }
    report_.steps = standing_.step;
    report_.stopped_early = stopped_ && standing_.step < total_;
    report_.measurements = standing_.measurements;
    checkpoints_.remove();
  }

 private:
  std::vector<Example> prepare() {
    if (!job_.examples.empty()) return job_.examples;
    const auto& wanted = recipe_.examples;
    auto examples =
        make_examples(*job_.snapshot, wanted.tier, wanted.first_year, wanted.last_year, report_.examples);
    if (recipe_.examples.negatives > 0) {
      const NegativeOptions options{recipe_.examples.source,    recipe_.examples.first_rank,
                                    recipe_.examples.last_rank, job_.rankings,
                                    recipe_.learner.offset > 0, job_.threads};
      mine_negatives(*job_.snapshot, *job_.text, options, examples, report_.examples, progress_);
    }
    if (reads_pairs(recipe_.learner.loss))
      held_out_ = set_aside(examples, recipe_.dev.held_out, recipe_.learner.seed);
    return examples;
  }

  [[nodiscard]] SamplerOptions sampler_options() const {
    return {recipe_.learner.loss,       recipe_.schedule.batch, recipe_.examples.positives,
            recipe_.examples.negatives, recipe_.learner.seed,   recipe_.examples.pools};
  }

  /// What a checkpoint must agree with.
  [[nodiscard]] std::string fingerprint() const {
    return sha256_hex(fmt::format("{}\n{}\n{} queries\n{} dev queries\n{} of {} weights\n{}", recipe_.source,
                                  job_.snapshot->digest(), job_.examples.size(), job_.dev.size(),
                                  learner_.trained_weights(), learner_.weights(), job_.model_digest));
  }

  void plan() {
    for (std::size_t epoch = 0; epoch < recipe_.schedule.epochs; ++epoch) {
      const std::size_t batches = sampler_.epoch(epoch).size();
      steps_.push_back((batches + recipe_.schedule.accumulate - 1) / recipe_.schedule.accumulate);
      total_ += steps_.back();
      if (recipe_.schedule.steps != 0 && total_ >= recipe_.schedule.steps) break;
    }
    if (recipe_.schedule.steps != 0) total_ = std::min(total_, recipe_.schedule.steps);
    report_.planned_steps = total_;
  }

  [[nodiscard]] bool patience_ended() const noexcept {
    return recipe_.dev.patience > 0 && standing_.worse_in_a_row >= recipe_.dev.patience;
  }
  /// Whether there are queries to choose the best weights by.
  [[nodiscard]] bool measured() const noexcept { return !dev_.empty() || !pair_dev_.empty(); }
  [[nodiscard]] bool done() const noexcept { return stopped_ || standing_.step >= total_; }

  /// Rises over the first part of the steps, then falls to zero (or stays).
  [[nodiscard]] double rate(std::size_t step) const noexcept {
    const double all = static_cast<double>(total_);
    const double warm = recipe_.schedule.warmup * all;
    const double now = static_cast<double>(step);
    if (now < warm) return recipe_.schedule.rate * (now + 1) / std::max(warm, now + 1);
    if (!recipe_.schedule.decay) return recipe_.schedule.rate;
    return recipe_.schedule.rate * (all - now) / std::max(all - warm, 1.0);
  }

  void step(const std::vector<BatchPlan>& plans, std::size_t within) {
    const std::size_t begin = within * recipe_.schedule.accumulate;
    const std::size_t end = std::min(plans.size(), begin + recipe_.schedule.accumulate);
    for (std::size_t i = begin; i < end; ++i) {
      const double share = 1.0 / static_cast<double>(end - begin);
      standing_.loss_sum +=
          share * learner_.accumulate(batch_of(plans[i]), share,
                                      standing_.step * recipe_.schedule.accumulate + i - begin);
    }
    learner_.update(rate(standing_.step));
    ++standing_.loss_count;
    ++standing_.step;
    progress_.advance(1);
    const bool last = standing_.step == total_;
    if (last || (recipe_.dev.every > 0 && standing_.step % recipe_.dev.every == 0)) measure();
    const bool interrupted = interrupt_requested();
    if (interrupted || (job_.checkpoint_every > 0 && standing_.step % job_.checkpoint_every == 0)) {
      checkpoints_.save(standing_, learner_);
    }
    if (interrupted) stop_if_interrupted();
  }

  void measure() {
    Measurement now;
    if (!dev_.empty()) now = dev_.measure(learner_, job_.threads);
    if (!pair_dev_.empty()) now = pair_dev_.measure(learner_);
    now.step = standing_.step;
    now.loss = standing_.loss_count == 0 ? 0 : standing_.loss_sum / static_cast<double>(standing_.loss_count);
    standing_.loss_sum = 0;
    standing_.loss_count = 0;
    standing_.measurements.push_back(now);
    if (!measured()) return;
    const bool best = standing_.best() + 1 == standing_.measurements.size();
    if (best) checkpoints_.save_best(learner_, now.step);
    standing_.worse_in_a_row = best ? 0 : standing_.worse_in_a_row + 1;
    stopped_ = patience_ended();
    if (job_.on_measurement) job_.on_measurement(now);
  }

  [[nodiscard]] std::string text_of(std::string_view title, std::string_view abstract,
                                    std::string_view topic) const {
    return query_text(*job_.tokenizer, recipe_.schedule.max_length, title, abstract, topic);
  }

  [[nodiscard]] model::Encoding tokens(std::string_view title, std::string_view abstract) const {
    return job_.tokenizer->encode(paper_text(title, abstract), recipe_.schedule.max_length);
  }

  [[nodiscard]] Batch batch_of(const BatchPlan& plan) const {
    if (reads_pairs(recipe_.learner.loss))
      return pair_batch(plan, examples_, *job_.snapshot, *job_.tokenizer, recipe_.schedule.max_length,
                        recipe_.learner.offset);
    Batch batch;
    batch.positive = plan.positive;
    batch.ignored = plan.ignored;
    batch.log_chances = plan.log_chances;
    batch.tuples = plan.tuples;
    for (const std::size_t i : plan.examples)
      batch.queries.push_back(
          job_.tokenizer->encode(text_of(examples_[i].title, examples_[i].abstract, examples_[i].topic),
                                 recipe_.schedule.max_length));
    for (const DocId doc : plan.documents) {
      const auto view = job_.snapshot->document(doc);
      batch.documents.push_back(tokens(view.title, view.abstract));
    }
    return batch;
  }

  const Job& job_;
  const Recipe& recipe_;
  Learner& learner_;
  Progress& progress_;
  Report& report_;
  std::vector<Example> held_out_;  ///< by `prepare`, for `pair_dev_`
  std::vector<Example> examples_;
  Sampler sampler_;
  DevSet dev_;
  PairDevSet pair_dev_;
  Checkpoints checkpoints_;
  Standing standing_;
  std::vector<std::size_t> steps_;  ///< of each epoch
  std::size_t total_ = 0;
  bool stopped_ = false;
};

}  // namespace

std::string paper_text(std::string_view title, std::string_view abstract) {
  std::string text(title);
  if (!abstract.empty()) text.append(" [SEP] ").append(abstract);
  return text;
}

std::string query_text(const model::Tokenizer& tokenizer, std::size_t max_length, std::string_view title,
                       std::string_view abstract, std::string_view topic) {
  if (topic.empty()) return paper_text(title, abstract);
  return model::fitted_query(
      tokenizer, max_length, {title, abstract, topic}, [](const model::QueryParts& parts) {
        return paper_text(parts.title, parts.abstract).append(" [TS] ").append(parts.topic);
      });
}

Report run(const Job& job, Learner& learner, Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  Report report;
  Training(job, learner, progress, report).run();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace mustcite::train
