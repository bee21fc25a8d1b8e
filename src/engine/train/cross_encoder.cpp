#include "engine/train/cross_encoder.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/hash.hpp"
#include "engine/model/cross_encoder.hpp"

namespace mustcite::train {
namespace {

std::string text_of(const snapshot::DocumentView& document) {
  return model::pair_text(document.title, document.abstract);
}

/// nDCG@10 and reciprocal rank of one query.
struct Quality {
  double ndcg_10 = 0;
  double reciprocal_rank = 0;
};

/// The first `positives` scores are those of cited papers.
Quality quality_of(std::span<const float> scores, std::size_t positives) {
  constexpr std::size_t kCut = 10;
  const auto discount = [](std::size_t rank) { return 1.0 / std::log2(static_cast<double>(rank) + 2); };
  std::vector<std::size_t> order(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;  // ties: positives last
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  Quality quality;
  double best = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    if (rank < std::min(kCut, positives)) best += discount(rank);
    if (order[rank] >= positives) continue;
    if (rank < kCut) quality.ndcg_10 += discount(rank);
    if (quality.reciprocal_rank == 0) quality.reciprocal_rank = 1.0 / static_cast<double>(rank + 1);
  }
  quality.ndcg_10 /= best;
  return quality;
}

}  // namespace

std::vector<PairGroup> groups_of(const BatchPlan& plan) {
  std::vector<PairGroup> groups;
  for (const Tuple& tuple : plan.tuples) {
    const auto same = [&](const PairGroup& group) {
      return group.query == tuple.query && group.positive == tuple.first;
    };
    if (std::none_of(groups.begin(), groups.end(), same)) groups.push_back({tuple.query, tuple.first, {}});
    auto& negatives = std::find_if(groups.begin(), groups.end(), same)->negatives;
    // Where positives outnumber negatives, a negative serves several of them, but once each.
    if (std::find(negatives.begin(), negatives.end(), tuple.negative) == negatives.end())
      negatives.push_back(tuple.negative);
  }
  return groups;
}

Batch pair_batch(const BatchPlan& plan, std::span<const Example> examples, const snapshot::Snapshot& snapshot,
                 const model::Tokenizer& tokenizer, std::size_t max_length, double offset) {
  Batch batch;
  for (const PairGroup& group : groups_of(plan)) {
    const Example& example = examples[plan.examples[group.query]];
    const std::string query = model::pair_text(example.title, example.abstract);
    const auto add = [&](std::uint32_t place) {
      const auto document = snapshot.document(plan.documents[place]);
      batch.pairs.push_back(tokenizer.encode_pair(query, text_of(document), max_length));
      if (offset > 0)
        batch.offsets.push_back(static_cast<float>(offset * example.score_of(plan.documents[place])));
    };
    add(group.positive);
    for (const std::uint32_t negative : group.negatives) add(negative);
    batch.group_sizes.push_back(static_cast<std::uint32_t>(1 + group.negatives.size()));
  }
  return batch;
}

std::vector<Example> set_aside(std::vector<Example>& examples, double share, std::uint64_t seed) {
  const auto draw = [&](const Example& example) {
    const std::string text = example.id + "\n" + std::to_string(seed);
    return checksum64(std::as_bytes(std::span(text)));
  };
  const auto stays = [&](const Example& example) {
    return static_cast<double>(draw(example) >> 11) * 0x1p-53 >= share;
  };
  const auto middle = std::stable_partition(examples.begin(), examples.end(), stays);
  std::vector<Example> held(std::make_move_iterator(middle), std::make_move_iterator(examples.end()));
  examples.erase(middle, examples.end());
  std::sort(held.begin(), held.end(), [&](const Example& a, const Example& b) { return draw(a) < draw(b); });
  return held;
}

PairDevSet::PairDevSet(const snapshot::Snapshot& snapshot, const Recipe::Dev& options, double offset,
                       std::vector<Example> held_out) {
  for (const Example& example : held_out) {
    if (queries_.size() == options.queries) break;
    if (example.negatives.empty() || example.positives.empty()) continue;
    Held held{model::pair_text(example.title, example.abstract), documents_.size(), example.positives.size(),
              0};
    const auto add = [&](DocId doc) {
      documents_.push_back(text_of(snapshot.document(doc)));
      offsets_.push_back(static_cast<float>(offset * example.score_of(doc)));
    };
    for (const DocId doc : example.positives) add(doc);
    const std::size_t negatives = std::min(options.documents, example.negatives.size());
    for (std::size_t i = 0; i < negatives; ++i) add(example.negatives[i]);
    held.count = documents_.size() - held.first;
    queries_.push_back(std::move(held));
  }
}

Measurement PairDevSet::measure(Learner& learner) const {
  std::vector<TextPair> pairs;
  for (const Held& query : queries_) {
    for (std::size_t i = 0; i < query.count; ++i) pairs.emplace_back(query.text, documents_[query.first + i]);
  }
  std::vector<float> scores(pairs.size());
  learner.score(pairs, scores);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += offsets_[i];
  Measurement measurement;
  double ndcg = 0;
  for (const Held& query : queries_) {
    const auto quality = quality_of({scores.data() + query.first, query.count}, query.positives);
    ndcg += quality.ndcg_10;
    measurement.mrr += quality.reciprocal_rank;
  }
  const auto count = static_cast<double>(queries_.size());
  measurement.ndcg_10 = ndcg / count;
  measurement.mrr /= count;
  return measurement;
}

}  // namespace mustcite::train
