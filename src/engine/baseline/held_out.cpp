#include "engine/baseline/held_out.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace mustcite::baseline {
namespace {

constexpr std::size_t kDepth = 100;
/// Queries scored together: bounds the memory of a measurement.
constexpr std::size_t kBlock = 64;

bool holds(const std::vector<DocId>& sorted, DocId doc) {
  return std::binary_search(sorted.begin(), sorted.end(), doc);
}

/// Share of the positives among the first kDepth, and the reciprocal rank of the first.
void judge(const Example& query, const std::vector<DocId>& rows, std::span<const float> scores,
           double& recall, double& reciprocal) {
  std::vector<std::pair<float, std::uint32_t>> ranked;
  for (std::uint32_t i = 0; i < rows.size() && rows[i].value < query.as_of.documents; ++i) {
    if (rows[i] != query.paper) ranked.emplace_back(-scores[i], rows[i].value);
  }
  const std::size_t depth = std::min(kDepth, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(depth), ranked.end());
  std::size_t found = 0;
  for (std::size_t rank = 0; rank < depth; ++rank) {
    if (!holds(query.positives, DocId{ranked[rank].second})) continue;
    if (++found == 1) reciprocal += 1.0 / static_cast<double>(rank + 1);
  }
  recall += static_cast<double>(found) / static_cast<double>(query.positives.size());
}

}  // namespace

HeldOut::HeldOut(const Data& data) : queries_(data.held_out) {
  std::mt19937_64 random(data.recipe.training.seed ^ 0x68656c64);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  for (std::size_t i = 0; i + 1 < queries_.size(); ++i)
    std::swap(queries_[i], queries_[i + below(queries_.size() - i)]);
  if (queries_.size() > data.recipe.training.queries) queries_.resize(data.recipe.training.queries);
  // Queries of a year together: what learners prepare for a date serves all of them.
  std::stable_sort(queries_.begin(), queries_.end(),
                   [](const Example& a, const Example& b) { return a.year < b.year; });
  if (queries_.empty()) return;
  std::set<DocId> rows;
  for (const auto& query : queries_) rows.insert(query.positives.begin(), query.positives.end());
  std::vector<std::uint32_t> all(data.all.documents);
  std::iota(all.begin(), all.end(), 0U);
  const std::size_t others = std::min(data.recipe.training.documents, all.size());
  for (std::size_t i = 0; i < others; ++i) {
    std::swap(all[i], all[i + below(all.size() - i)]);
    rows.insert(DocId{all[i]});
  }
  rows_.assign(rows.begin(), rows.end());
}

void HeldOut::measure(Learner& learner, std::size_t stage, Measurement& into) const {
  double recall = 0;
  double reciprocal = 0;
  std::vector<float> scores;
  for (std::size_t begin = 0; begin < queries_.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, queries_.size() - begin);
    const std::span<const Example> block(queries_.data() + begin, count);
    scores.assign(count * rows_.size(), 0.0F);
    learner.score(stage, block, rows_, scores);
    for (std::size_t i = 0; i < count; ++i) {
      judge(block[i], rows_, std::span<const float>(scores).subspan(i * rows_.size(), rows_.size()), recall,
            reciprocal);
    }
  }
  into.recall_100 = recall / static_cast<double>(queries_.size());
  into.mrr = reciprocal / static_cast<double>(queries_.size());
}

}  // namespace mustcite::baseline
