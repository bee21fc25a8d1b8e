#include "engine/rank/ranker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "engine/rank/cross_reranker.hpp"

namespace mustcite::rank {
namespace {

constexpr std::size_t kHead = 10;  ///< the linear score is also told relative to the mean of the first ten

/// The linear stage reads missing values as 0.
float known(float value) noexcept {
  return std::isfinite(value) ? value : 0.0F;
}

std::vector<float> linear_scores(const Model& model, const FeatureTable& table) {
  std::vector<float> scores(table.rows, model.linear.intercept);
  for (std::size_t k = 0; k < model.linear_features.size(); ++k) {
    const std::span<const float> column = table.column(model.linear_features[k]);
    const float weight = model.linear.weights[k];
    for (std::size_t i = 0; i < table.rows; ++i) scores[i] += weight * known(column[i]);
  }
  return scores;
}

}  // namespace

Shortlist shortlist(const Model& model, const FeatureTable& table) {
  Shortlist result;
  result.width = model.width();
  const std::vector<float> scores = linear_scores(model, table);
  const std::vector<std::uint32_t> order = places(scores);
  const std::size_t size = std::min(model.depth, table.rows);
  result.rows.assign(table.rows, table.rows);
  std::size_t last = table.rows;
  // The lowest score shares the last place: those that hold it follow in order.
  for (std::size_t i = table.rows; i-- > 0;) {
    std::size_t place = order[i] - 1;
    if (order[i] == table.rows) place = --last;
    result.rows[place] = i;
  }
  result.rows.resize(size);
  float head = 0;
  for (std::size_t i = 0; i < std::min(kHead, size); ++i)
    head += scores[result.rows[i]] / static_cast<float>(std::min(kHead, size));
  result.values.resize(size * result.width);
  for (std::size_t k = 0; k < model.features.size(); ++k) {
    const std::span<const float> column = table.column(model.features[k]);
    for (std::size_t i = 0; i < size; ++i) result.values[i * result.width + k] = column[result.rows[i]];
  }
  for (std::size_t i = 0; i < size; ++i) {
    float* const extra = result.values.data() + i * result.width + model.features.size();
    extra[0] = scores[result.rows[i]];
    extra[1] = std::log(static_cast<float>(i + 1));
    extra[2] = extra[0] - head;
    std::fill(extra + 3, result.values.data() + (i + 1) * result.width,
              std::numeric_limits<float>::quiet_NaN());
  }
  return result;
}

void read_pairs(const Resources& resources, const Model& model, const Query& query,
                std::span<const DocId> docs, Shortlist& list) {
  const CrossReranker* const cross = resources.cross();
  if (cross == nullptr || model.cross.recipe.empty()) return;
  std::vector<Scored> head;
  for (std::size_t i = 0; i < std::min(model.cross.depth, list.rows.size()); ++i)
    head.push_back({docs[list.rows[i]], 0.0F});
  const std::vector<float> scores = cross->scores({&query, 1}, {&head, 1}).front();
  float mean = 0, square = 0;
  for (const float score : scores) mean += score / static_cast<float>(scores.size());
  for (const float score : scores)
    square += (score - mean) * (score - mean) / static_cast<float>(scores.size());
  const std::vector<std::uint32_t> order = places(scores);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    float* const column = list.values.data() + i * list.width + model.features.size() + 3;
    column[0] = scores[i];
    column[1] = (scores[i] - mean) / std::max(std::sqrt(square), 1e-6F);
    column[2] = std::log(static_cast<float>(order[i]));
  }
}

Ranking Ranker::rank(const Query& query, Tier tier) const {
  const auto part = model_.tiers.find(tier);
  if (part == model_.tiers.end()) {
    fail(ErrorCode::invalid_input, "ranking for tier {}: the model '{}' was not trained for it",
         tier_name(tier), model_.name);
  }
  Ranking ranking;
  ranking.context = make_context(resources_, query, model_.encodes());
  ranking.candidates = find_candidates(ranking.context, model_.without);
  const FeatureTable table = compute_features(ranking.context, ranking.candidates);
  ranking.shortlist = shortlist(model_, table);
  read_pairs(resources_, model_, query, ranking.candidates.docs, ranking.shortlist);
  std::vector<float> margins(ranking.shortlist.rows.size());
  final_scores(model_, part->second.trees, ranking.shortlist.values, margins);
  ranking.positions.resize(margins.size());
  for (std::size_t i = 0; i < margins.size(); ++i) ranking.positions[i] = i;
  const auto doc = [&](std::size_t i) { return ranking.candidates.docs[ranking.shortlist.rows[i]]; };
  std::sort(ranking.positions.begin(), ranking.positions.end(), [&](std::size_t a, std::size_t b) {
    return margins[a] != margins[b] ? margins[a] > margins[b] : doc(a) < doc(b);
  });
  for (const std::size_t i : ranking.positions) ranking.ranked.push_back({doc(i), margins[i]});
  return ranking;
}

Probabilities Ranker::probabilities(const Ranking& ranking, std::size_t i) const {
  Probabilities result;
  const std::span<const float> row = ranking.shortlist.row(ranking.positions[i]);
  for (const auto& [tier, part] : model_.tiers) {
    float score = 0;
    final_scores(model_, part.trees, row, {&score, 1});
    result[tier] = part.calibration(score);
  }
  return result;
}

}  // namespace mustcite::rank
