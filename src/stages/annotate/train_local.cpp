#include "stages/annotate/train_local.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"

namespace mustcite::annotate {
namespace {

constexpr std::size_t kFewest = 50;
constexpr std::size_t kResamples = 2000;
const std::vector<double> kTwo{0, 1};
const std::vector<double> kFive{1, 2, 3, 4, 5};

/// Gold values by instance: the majority of Type I, the median of Type II.
struct Gold {
  std::vector<double> type1;
  std::vector<double> type2;
};

Gold gold_of(const std::vector<Instance>& instances) {
  std::size_t raters = 0;
  for (const auto& instance : instances) raters = std::max(raters, instance.ratings.size());
  learn::Ratings first{instances.size(), raters, {}};
  learn::Ratings second = first;
  for (const auto& instance : instances) {
    for (std::size_t r = 0; r < raters; ++r) {
      const bool there = r < instance.ratings.size();
      const auto& type1 = there ? instance.ratings[r].type1 : std::nullopt;
      const auto& type2 = there ? instance.ratings[r].type2 : std::nullopt;
      first.values.push_back(type1 ? *type1 : learn::kMissing);
      second.values.push_back(type2 ? *type2 : learn::kMissing);
    }
  }
  return {learn::majority(first, learn::Ties::high), learn::median(second)};
}

/// The rows and their gold, with the fold of each.
struct Table {
  std::vector<std::vector<float>> rows;
  Gold gold;
  std::vector<std::size_t> folds;
};

std::size_t fold_of(const Instance& instance, const TrainOptions& options) {
  const std::string key =
      std::to_string(options.seed) + (instance.citing.empty() ? instance.id : instance.citing.str());
  return static_cast<std::size_t>(checksum64(std::as_bytes(std::span(key))) % options.folds);
}

/// One question, fitted on the rows outside `fold` (folds: on all) that have an answer.
learn::LinearModel fit(const Table& table, const std::vector<double>& answers, std::size_t fold,
                       const TrainOptions& options) {
  std::vector<float> values, labels;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (table.folds[i] == fold || std::isnan(answers[i])) continue;
    values.insert(values.end(), table.rows[i].begin(), table.rows[i].end());
    labels.push_back(static_cast<float>(answers[i]));
  }
  learn::LogisticOptions logistic;
  logistic.regularisation = options.regularisation;
  return learn::fit_logistic(values, labels, {}, logistic);
}

/// The question with held-out scores of every row; calibrated on those.
struct Asked {
  LocalJudge::Question question;
  std::vector<double> held_out;  ///< calibrated probabilities
};

Asked ask(const Table& table, const std::vector<double>& answers, const TrainOptions& options) {
  Asked asked;
  std::vector<float> scores(table.rows.size());
  for (std::size_t fold = 0; fold < options.folds; ++fold) {
    const auto linear = fit(table, answers, fold, options);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      if (table.folds[i] == fold) scores[i] = linear.score(table.rows[i]);
    }
  }
  std::vector<float> known_scores, known;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(answers[i])) continue;
    known_scores.push_back(scores[i]);
    known.push_back(static_cast<float>(answers[i]));
  }
  asked.question.linear = fit(table, answers, options.folds, options);
  asked.question.calibration = learn::Platt::fit(known_scores, known);
  for (const float score : scores) asked.held_out.push_back(asked.question.calibration(score));
  return asked;
}

/// The cut of a probability at which kappa is highest, among the middles between neighbours.
double best_cut(const std::vector<double>& probabilities, const std::vector<double>& gold) {
  double best = 0.5;
  double best_kappa = -1;
  for (int step = 25; step <= 75; ++step) {
    const double cut = step / 100.0;
    std::vector<double> said(probabilities.size());
    for (std::size_t i = 0; i < said.size(); ++i) said[i] = probabilities[i] >= cut ? 1 : 0;
    const double kappa = learn::cohen_kappa(said, gold, learn::Weighting::identity, kTwo);
    // Of equally good cuts the one nearest to a half.
    if (kappa > best_kappa + 1e-12 ||
        (kappa > best_kappa - 1e-12 && std::abs(cut - 0.5) < std::abs(best - 0.5))) {
      best_kappa = std::max(kappa, best_kappa);
      best = cut;
    }
  }
  return best;
}

/// Cuts of the expected value that give each level as often as the ratings have it: least squares alone would
/// pull every answer to the middle.
std::array<double, 4> matching_cuts(std::vector<double> expected, const std::vector<double>& gold) {
  std::array<double, 4> cuts{};
  std::vector<double> sorted;
  std::vector<double> known;
  for (std::size_t i = 0; i < gold.size(); ++i) {
    if (std::isnan(gold[i])) continue;
    sorted.push_back(expected[i]);
    known.push_back(gold[i]);
  }
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < 4; ++k) {
    const auto below = static_cast<std::size_t>(std::count_if(
        known.begin(), known.end(), [&](double value) { return value < static_cast<double>(k + 2); }));
    const double low = below == 0 ? 1.0 : sorted[below - 1];
    const double high = below == sorted.size() ? 5.0 : sorted[below];
    cuts[k] = (low + high) / 2;
  }
  return cuts;
}

}  // namespace

JudgeQuality measure(const std::vector<Instance>& instances, const std::vector<LocalVerdict>& verdicts) {
  if (instances.size() != verdicts.size())
    fail(ErrorCode::internal, "{} verdicts for {} instances", verdicts.size(), instances.size());
  const Gold gold = gold_of(instances);
  std::vector<double> said1, said2, probability;
  std::vector<float> known_probability, known_label;
  JudgeQuality quality;
  quality.instances = instances.size();
  double close = 0;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    said1.push_back(verdicts[i].type1_value);
    said2.push_back(verdicts[i].type2_value);
    probability.push_back(verdicts[i].type1);
    if (!std::isnan(gold.type1[i])) {
      ++quality.type1_rated;
      known_probability.push_back(static_cast<float>(verdicts[i].type1));
      known_label.push_back(static_cast<float>(gold.type1[i]));
    }
    if (!std::isnan(gold.type2[i])) {
      ++quality.type2_rated;
      close += std::abs(said2[i] - gold.type2[i]) <= 1 ? 1 : 0;
    }
  }
  const auto kappa = [](const std::vector<double>& a, const std::vector<double>& b,
                        learn::Weighting weighting, const std::vector<double>& scale) {
    return [&a, &b, weighting, &scale](std::span<const std::size_t> rows) {
      std::vector<double> x, y;
      for (const std::size_t row : rows) {
        x.push_back(a[row]);
        y.push_back(b[row]);
      }
      return learn::cohen_kappa(x, y, weighting, scale);
    };
  };
  using learn::Weighting;
  quality.type1_accuracy = learn::accuracy(said1, gold.type1);
  quality.type1_kappa = learn::cohen_kappa(said1, gold.type1, Weighting::identity, kTwo);
  quality.type1_kappa_interval =
      learn::bootstrap(instances.size(), kResamples, 1, kappa(said1, gold.type1, Weighting::identity, kTwo));
  quality.type1_auc = learn::area_under_curve(probability, gold.type1);
  if (!known_label.empty())
    quality.type1_calibration_error = learn::calibration_error(known_probability, known_label);
  quality.type2_accuracy = learn::accuracy(said2, gold.type2);
  if (quality.type2_rated > 0) quality.type2_within_one = close / static_cast<double>(quality.type2_rated);
  quality.type2_kappa = learn::cohen_kappa(said2, gold.type2, Weighting::quadratic, kFive);
  quality.type2_kappa_interval = learn::bootstrap(instances.size(), kResamples, 2,
                                                  kappa(said2, gold.type2, Weighting::quadratic, kFive));
  return quality;
}

Trained train_local(const std::vector<Instance>& rated, SentenceModel sentences,
                    const TrainOptions& options) {
  if (rated.size() < kFewest) {
    fail(ErrorCode::invalid_input, "training the local judge takes at least {} rated instances, there are {}",
         kFewest, rated.size());
  }
  Table table;
  table.gold = gold_of(rated);
  for (const auto& [values, tier] :
       {std::pair(&table.gold.type1, "Type I"), std::pair(&table.gold.type2, "Type II")}) {
    const auto known =
        std::count_if(values->begin(), values->end(), [](double value) { return !std::isnan(value); });
    if (static_cast<std::size_t>(known) < kFewest) {
      fail(ErrorCode::invalid_input, "training the local judge takes at least {} {} ratings, there are {}",
           kFewest, tier, known);
    }
  }
  for (const auto& instance : rated) {
    table.rows.push_back(features_of(instance, &sentences));
    table.folds.push_back(fold_of(instance, options));
  }
  Trained trained;
  LocalJudge& judge = trained.judge;
  judge.sentences = std::move(sentences);
  const Asked first = ask(table, table.gold.type1, options);
  judge.type1 = first.question;
  judge.type1_cut = best_cut(first.held_out, table.gold.type1);
  std::vector<double> expected(rated.size(), 1.0);
  std::array<std::vector<double>, 4> at_least;
  for (std::size_t k = 0; k < 4; ++k) {
    std::vector<double> answers;
    for (const double value : table.gold.type2)
      answers.push_back(std::isnan(value)                     ? learn::kMissing
                        : value >= static_cast<double>(k + 2) ? 1.0
                                                              : 0.0);
    Asked asked = ask(table, answers, options);
    judge.type2[k] = asked.question;
    at_least[k] = std::move(asked.held_out);
    for (std::size_t i = 0; i < rated.size(); ++i) {
      if (k > 0) at_least[k][i] = std::min(at_least[k][i], at_least[k - 1][i]);
      expected[i] += at_least[k][i];
    }
  }
  judge.type2_cuts = matching_cuts(expected, table.gold.type2);
  judge.means.assign(feature_names().size(), 0.0F);
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      judge.means[c] += row[c] / static_cast<float>(table.rows.size());
  }
  for (std::size_t i = 0; i < rated.size(); ++i) {
    LocalVerdict verdict;
    verdict.type1 = first.held_out[i];
    verdict.type1_value = verdict.type1 >= judge.type1_cut ? 1 : 0;
    verdict.type2_value = 1;
    for (const double cut : judge.type2_cuts) verdict.type2_value += expected[i] >= cut ? 1 : 0;
    trained.held_out.push_back(verdict);
  }
  return trained;
}

}  // namespace mustcite::annotate
