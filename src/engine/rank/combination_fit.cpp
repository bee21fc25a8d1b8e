#include "engine/rank/combination_fit.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/threads.hpp"
#include "engine/rank/train.hpp"
#include "engine/rank/training_set.hpp"

namespace mustcite::rank {
namespace {

/// What is known of one query's list.
struct LabelledList {
  int year = 0;
  std::vector<Scored> list;
  std::vector<float> cross;
  std::vector<float> rows;
  std::vector<float> labels;
  std::size_t relevant = 0;  ///< cited papers of the tier, found or not
};

double ndcg_10(const LabelledList& one, std::span<const float> scores) {
  constexpr std::size_t kCut = 10;
  std::vector<std::size_t> order(scores.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  double gain = 0;
  double best = 0;
  for (std::size_t rank = 0; rank < kCut; ++rank) {
    const double discount = 1 / std::log2(static_cast<double>(rank) + 2);
    if (rank < one.relevant) best += discount;
    if (rank < order.size() && one.labels[order[rank]] > 0) gain += discount;
  }
  return gain / best;
}

std::vector<float> scores_by(const learn::LinearModel& linear, const LabelledList& one) {
  const std::size_t width = combination_columns().size();
  std::vector<float> scores(one.labels.size());
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i] = linear.score(std::span(one.rows).subspan(i * width, width));
  return scores;
}

/// The method's score and `weight` times the cross-encoder's.
learn::LinearModel sum_with(float weight) {
  learn::LinearModel linear;
  for (const auto& column : combination_columns())
    linear.weights.push_back(column == "method" ? 1.0F : column == "cross" ? weight : 0.0F);
  return linear;
}

/// The weight with the best mean nDCG@10, the smallest of several.
learn::LinearModel fit_sum(const std::vector<LabelledList>& lists, int without_year) {
  constexpr int kSteps = 40;
  constexpr float kStep = 0.05F;
  double best = -1;
  float weight = 0;
  for (int step = 0; step <= kSteps; ++step) {
    const auto linear = sum_with(kStep * static_cast<float>(step));
    double sum = 0;
    for (const auto& one : lists)
      if (one.year != without_year) sum += ndcg_10(one, scores_by(linear, one));
    if (sum <= best) continue;
    best = sum;
    weight = kStep * static_cast<float>(step);
  }
  return sum_with(weight);
}

/// Every query weighs the same, however many results it has.
learn::LinearModel fit(const std::vector<LabelledList>& lists, const CombinationOptions& options,
                       int without_year) {
  if (options.sum) return fit_sum(lists, without_year);
  std::vector<float> rows, labels, weights;
  for (const auto& one : lists) {
    if (one.year == without_year) continue;
    rows.insert(rows.end(), one.rows.begin(), one.rows.end());
    labels.insert(labels.end(), one.labels.begin(), one.labels.end());
    weights.insert(weights.end(), one.labels.size(), 100.0F / static_cast<float>(one.labels.size()));
  }
  return learn::fit_logistic(rows, labels, weights);
}

std::map<int, CombinationQuality> measure(const std::vector<LabelledList>& lists,
                                          const CombinationOptions& options) {
  std::map<int, std::size_t> queries;
  for (const auto& one : lists) ++queries[one.year];
  std::map<int, CombinationQuality> quality;
  if (queries.size() < 2) return quality;
  for (const auto& [year, count] : queries) {
    const auto linear = fit(lists, options, year);
    auto& of_year = quality[year];
    for (const auto& one : lists) {
      if (one.year != year) continue;
      std::vector<float> method;
      for (const auto& result : one.list) method.push_back(result.score);
      const double share = 1 / static_cast<double>(count);
      of_year.method += share * ndcg_10(one, method);
      of_year.cross += share * ndcg_10(one, one.cross);
      of_year.combined += share * ndcg_10(one, scores_by(linear, one));
    }
  }
  return quality;
}

class Collector {
 public:
  Collector(const Method& method, const CrossReranker& reranker, const CombinationOptions& options)
      : method_(method), reranker_(reranker), options_(options) {}

  std::vector<LabelledList> collect(const std::vector<TrainingQuery>& queries, Progress& progress) const {
    std::vector<LabelledList> all;
    constexpr std::size_t kBlock = 8;  // queries between two looks at the clock and at Ctrl-C
    progress.begin("pairs", queries.size());
    for (std::size_t begin = 0; begin < queries.size(); begin += kBlock) {
      const std::size_t count = std::min(kBlock, queries.size() - begin);
      add_block({queries.data() + begin, count}, all);
      progress.advance(count);
    }
    progress.finish();
    return all;
  }

 private:
  void add_block(std::span<const TrainingQuery> block, std::vector<LabelledList>& all) const {
    std::vector<Query> queries;
    for (const auto& one : block) queries.push_back(one.query);
    std::vector<std::vector<Scored>> lists(block.size());
    parallel_for(block.size(), options_.threads,
                 [&](std::size_t i, std::size_t) { lists[i] = method_.rank(queries[i], reranker_.depth()); });
    const auto cross = reranker_.scores(queries, lists);
    for (std::size_t i = 0; i < block.size(); ++i) {
      LabelledList one{block[i].year, lists[i], cross[i], combination_rows(lists[i], cross[i]), {}, 0};
      for (const auto& [doc, bits] : block[i].targets) one.relevant += counts(bits, options_.tier) ? 1 : 0;
      if (one.relevant == 0) continue;
      for (const auto& result : lists[i]) one.labels.push_back(cited(block[i], result.doc) ? 1.0F : 0.0F);
      all.push_back(std::move(one));
    }
  }

  [[nodiscard]] bool cited(const TrainingQuery& query, DocId doc) const {
    const auto at = std::lower_bound(query.targets.begin(), query.targets.end(), doc,
                                     [](const auto& target, DocId id) { return target.first < id; });
    return at != query.targets.end() && at->first == doc && counts(at->second, options_.tier);
  }

  const Method& method_;
  const CrossReranker& reranker_;
  const CombinationOptions& options_;
};

}  // namespace

Combination fit_combination(const Resources& resources, const Method& method, const CrossReranker& reranker,
                            const CombinationOptions& options, CombinationReport& report,
                            Progress& progress) {
  TrainOptions of_queries;
  of_queries.first_year = options.first_year;
  of_queries.last_year = options.last_year;
  TrainReport ignored;
  auto queries = training_queries(resources, of_queries, ignored);
  std::erase_if(queries, [&](const TrainingQuery& query) {
    return std::none_of(query.targets.begin(), query.targets.end(),
                        [&](const auto& target) { return counts(target.second, options.tier); });
  });
  if (queries.empty()) {
    fail(ErrorCode::invalid_input,
         "there is nothing to learn a combination from: no citing paper of {} to {} cites an older paper of "
         "the "
         "tier {}; choose other years",
         options.first_year, options.last_year, tier_name(options.tier));
  }
  const auto lists = Collector(method, reranker, options).collect(queries, progress);
  report.queries = lists.size();
  for (const auto& one : lists) {
    report.pairs += one.labels.size();
    report.cited += static_cast<std::size_t>(std::count(one.labels.begin(), one.labels.end(), 1.0F));
  }
  if (report.cited == 0)
    fail(ErrorCode::invalid_input, "none of the {} results of {} queries is cited: nothing can be learned",
         report.pairs, report.queries);
  report.held_out = measure(lists, options);
  Combination combination;
  combination.method = method.name();
  combination.tier = options.tier;
  combination.depth = reranker.depth();
  combination.model_digest = reranker.model().encoder.digest;
  combination.linear = fit(lists, options, 0);
  nlohmann::ordered_json record{{"first_year", options.first_year},
                                {"last_year", options.last_year},
                                {"queries", report.queries},
                                {"pairs", report.pairs},
                                {"cited", report.cited},
                                {"snapshot", resources.snapshot().digest()}};
  for (const auto& [year, quality] : report.held_out) {
    record["held_out"][std::to_string(year)] = {
        {"method", quality.method}, {"cross", quality.cross}, {"combined", quality.combined}};
  }
  combination.training_record = record.dump();
  return combination;
}

}  // namespace mustcite::rank
