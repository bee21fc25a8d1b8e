#include "engine/train/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>
#include <utility>

#include "core/base/error.hpp"

namespace mustcite::train {
namespace {

/// SplitMix64: the same numbers on every machine and with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// In [0, bound).
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

 private:
  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }
  std::uint64_t state_;
};

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return a * 0x9e3779b97f4a7c15ULL + b * 0xc2b2ae3d27d4eb4fULL + 1;
}

/// `count` of the documents, or all of them in another order.
std::vector<DocId> pick(std::vector<DocId> from, std::size_t count, Random& random) {
  count = std::min(count, from.size());
  for (std::size_t i = 0; i < count; ++i) std::swap(from[i], from[i + random.below(from.size() - i)]);
  from.resize(count);
  return from;
}

/// Negatives of a paragraph: of each pool its share. A pool smaller than that gives its papers again, so that
/// the proportions hold. They are mixed, because the batch pairs them with positives in turn.
std::vector<DocId> drawn_from_pools(const Example& from, std::span<const std::size_t> shares,
                                    Random& random) {
  std::vector<DocId> drawn;
  const auto counts = pool_counts(from, shares);
  for (std::size_t p = 0; p < counts.size(); ++p) {
    for (std::size_t left = counts[p]; left > 0;) {
      const auto some = pick(from.pools[p], left, random);
      drawn.insert(drawn.end(), some.begin(), some.end());
      left -= some.size();
    }
  }
  return pick(drawn, drawn.size(), random);
}

std::uint32_t place(const std::vector<DocId>& documents, DocId doc) {
  return static_cast<std::uint32_t>(std::find(documents.begin(), documents.end(), doc) - documents.begin());
}

bool holds(const std::vector<DocId>& sorted, DocId doc) {
  return std::binary_search(sorted.begin(), sorted.end(), doc);
}

}  // namespace

std::vector<std::size_t> pool_counts(const Example& example, std::span<const std::size_t> shares) {
  std::vector<std::size_t> counts(shares.begin(), shares.end());
  counts.resize(example.pools.size());
  std::size_t free = 0;
  for (std::size_t p = 0; p < counts.size(); ++p) {
    if (example.pools[p].empty()) free += std::exchange(counts[p], 0);
  }
  if (!example.has_negatives()) return counts;
  // One by one to the pool that has least of what its share asks for; ties to the first.
  const auto fill = [&](std::size_t p) {
    return static_cast<double>(counts[p]) / static_cast<double>(std::max<std::size_t>(1, shares[p]));
  };
  for (; free > 0; --free) {
    std::size_t least = counts.size();
    for (std::size_t p = 0; p < counts.size(); ++p) {
      if (example.pools[p].empty() || (least < counts.size() && fill(p) >= fill(least))) continue;
      least = p;
    }
    ++counts[least];
  }
  return counts;
}

struct Sampler::Drawn {
  std::size_t example = 0;
  std::vector<DocId> positives;
  std::vector<DocId> negatives;
};

Sampler::Sampler(std::span<const Example> examples, const SamplerOptions& options)
    : examples_(examples), options_(options) {
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const bool distances = options.loss != Loss::nt_xent;
    const std::size_t needed = options.loss == Loss::quadruplet ? 2 : 1;
    if (examples[i].positives.size() < needed || (distances && !examples[i].has_negatives())) continue;
    usable_.push_back(i);
    const auto cited = static_cast<double>(examples[i].positives.size());
    const double chance = std::min(1.0, static_cast<double>(options.positives) / cited);
    for (const DocId doc : examples[i].positives) draws_[doc] += chance;
  }
  if (usable_.empty()) {
    fail(ErrorCode::invalid_input,
         "none of {} training queries has what the loss {} needs ({}); choose another tier, more years or "
         "another source of negatives",
         examples.size(), name_of(options.loss),
         options.loss == Loss::quadruplet ? "two positives and a hard negative"
                                          : "a positive and a hard negative");
  }
}

Sampler::Drawn Sampler::draw(std::size_t example, std::uint64_t epoch) const {
  Random random(mixed(mixed(options_.seed, epoch), example));
  const Example& from = examples_[example];
  auto positives = pick(from.positives, options_.positives, random);
  return {example, std::move(positives),
          from.pools.empty() ? pick(from.negatives, options_.negatives, random)
                             : drawn_from_pools(from, options_.shares, random)};
}

std::vector<BatchPlan> Sampler::epoch(std::uint64_t number) const {
  std::vector<std::size_t> order = usable_;
  Random random(mixed(options_.seed, ~number));
  for (std::size_t i = 0; i + 1 < order.size(); ++i)
    std::swap(order[i], order[i + random.below(order.size() - i)]);
  std::deque<Drawn> waiting;
  for (const std::size_t example : order) waiting.push_back(draw(example, number));

  std::vector<BatchPlan> plans;
  while (!waiting.empty()) {
    std::vector<Drawn> batch;
    std::set<DocId> papers;     // queries of the batch
    std::set<DocId> documents;  // documents of the batch
    std::deque<Drawn> later;
    while (!waiting.empty() && batch.size() < options_.batch) {
      Drawn drawn = std::move(waiting.front());
      waiting.pop_front();
      const DocId paper = examples_[drawn.example].paper;
      const auto is_query = [&](DocId doc) { return papers.contains(doc); };
      const bool clash = (paper != snapshot::kNoDoc && documents.contains(paper)) ||
                         std::any_of(drawn.positives.begin(), drawn.positives.end(), is_query) ||
                         std::any_of(drawn.negatives.begin(), drawn.negatives.end(), is_query);
      if (clash) {
        later.push_back(std::move(drawn));
        continue;
      }
      if (paper != snapshot::kNoDoc) papers.insert(paper);
      documents.insert(drawn.positives.begin(), drawn.positives.end());
      documents.insert(drawn.negatives.begin(), drawn.negatives.end());
      batch.push_back(std::move(drawn));
    }
    // What clashed comes first in the next batch, which holds nothing yet: every example gets its turn.
    waiting.insert(waiting.begin(), std::make_move_iterator(later.begin()),
                   std::make_move_iterator(later.end()));
    plans.push_back(plan(batch));
  }
  return plans;
}

BatchPlan Sampler::plan(const std::vector<Drawn>& batch) const {
  BatchPlan plan;
  const double batches = static_cast<double>(usable_.size()) / static_cast<double>(options_.batch);
  std::set<DocId> seen;
  const auto add = [&](DocId doc, double draws) {
    if (!seen.insert(doc).second) return;
    plan.documents.push_back(doc);
    plan.log_chances.push_back(static_cast<float>(std::log(std::min(1.0, draws / std::max(1.0, batches)))));
  };
  for (const auto& drawn : batch) {
    plan.examples.push_back(drawn.example);
    for (const DocId doc : drawn.positives) add(doc, draws_.at(doc));
    for (const DocId doc : drawn.negatives) add(doc, std::max(1.0, batches));
  }
  for (std::size_t q = 0; q < batch.size(); ++q) {
    const Example& example = examples_[batch[q].example];
    for (const DocId doc : plan.documents) {
      const bool positive = holds(example.positives, doc);
      plan.positive.push_back(positive ? 1 : 0);
      plan.ignored.push_back(!positive && (holds(example.known, doc) || doc.value >= example.older) ? 1 : 0);
    }
    if (options_.loss != Loss::nt_xent) add_tuples(batch[q], static_cast<std::uint32_t>(q), plan);
  }
  return plan;
}

void Sampler::add_tuples(const Drawn& drawn, std::uint32_t query, BatchPlan& plan) const {
  const auto& positives = drawn.positives;
  const auto& negatives = drawn.negatives;
  const std::size_t count = std::max(positives.size(), negatives.size());
  for (std::size_t i = 0; i < count; ++i) {
    Tuple tuple{query, place(plan.documents, positives[i % positives.size()]), 0,
                place(plan.documents, negatives[i % negatives.size()])};
    if (options_.loss == Loss::quadruplet)
      tuple.second = place(plan.documents, positives[(i + 1) % positives.size()]);
    plan.tuples.push_back(tuple);
  }
}

}  // namespace mustcite::train
