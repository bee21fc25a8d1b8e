#include "engine/rank/train.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/error.hpp"
#include "engine/late/retriever.hpp"
#include "engine/rank/bibliography_features.hpp"
#include "engine/rank/cross_reranker.hpp"
#include "engine/rank/query_texts.hpp"
#include "engine/rank/training_set.hpp"
#include "engine/rank/views.hpp"

namespace mustcite::rank {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCalibrationBlock = 100;  ///< fewer examples say too little about a probability
constexpr std::size_t kShown = 20;  ///< results a reader sees: the error of calibration is that of these

const std::map<std::string, std::string>& default_params() {
  static const std::map<std::string, std::string> params{
      {"objective", "binary:logistic"}, {"max_depth", "4"},        {"eta", "0.08"}, {"subsample", "0.8"},
      {"colsample_bytree", "0.5"},      {"min_child_weight", "8"}, {"lambda", "5"}, {"max_bin", "64"}};
  return params;
}

class Training {
 public:
  Training(const Resources& resources, const TrainOptions& options, Progress& progress)
      : resources_(resources), options_(options), progress_(progress) {}

  Model run(TrainReport& report) {
    queries_ = training_queries(resources_, options_, report);
    model_.without = options_.without;
    read_vectors();
    if (!options_.bibliography) {
      model_.without.insert(bibliography_views().begin(), bibliography_views().end());
      model_.without.insert("authors");
      for (const FeatureInfo& feature : bibliography_features()) model_.without.insert(feature.group);
    }
    model_.depth = options_.depth;
    model_.blend = options_.blend;
    model_.features = feature_columns(model_.without, Stage::trees);
    model_.linear_features = feature_columns(model_.without, Stage::linear);
    model_.linear = fit_linear_stage(resources_, model_, queries_, options_, progress_);
    for (const TrainingQuery& query : queries_) newest_ = std::max(newest_, query.year);
    lists_ = label_shortlists(resources_, model_, queries_, newest_, options_, progress_);
    // Held-out queries keep every row; the final trees see the same sample of them as of the others.
    const bool older =
        std::any_of(queries_.begin(), queries_.end(), [&](const auto& q) { return q.year != newest_; });
    progress_.begin("growing trees",
                    static_cast<std::uint64_t>(options_.rounds) * options_.tiers.size() * (older ? 2 : 1));
    for (const Tier tier : options_.tiers) {
      TierModel& part = model_.tiers[tier];
      if (older) report.held_out[tier] = calibrate(tier, part);
      const learn::Examples examples = examples_for(tier, true);
      report.examples = examples.rows();
      part.trees = grow(examples);
    }
    progress_.finish();
    model_.training_record = record(report).dump();
    return std::move(model_);
  }

 private:
  /// Which encoders the model stands on; the views of those that are not there are left out.
  void read_vectors() {
    if (const auto* const cross = resources_.cross()) {
      model_.cross.recipe = cross->name();
      model_.cross.digest = cross->model().encoder.digest;
      model_.cross.folder = std::filesystem::absolute(cross->model().encoder.folder).lexically_normal();
      model_.cross.depth = cross->depth();
    }
    std::vector<dense::TextParts> parts;
    for (const TrainingQuery& query : queries_) parts.push_back(texts_of(query.query));
    if (const auto* const dense = resources_.dense()) {
      model_.dense = {dense->vectors().info().recipe.name, dense->vectors().info().model_digest};
      dense->prepare(parts);
    } else {
      model_.without.insert(dense_views().begin(), dense_views().end());
    }
    if (const auto* const late = resources_.late()) {
      model_.late = {late->index().info().recipe.text.name, late->index().info().model_digest};
      late->prepare(parts);
    } else {
      model_.without.insert(late_views().begin(), late_views().end());
    }
  }

  /// Rows of one tier: of all queries, or of those older than the newest year.
  learn::Examples examples_for(Tier tier, bool newest) const {
    learn::Examples examples;
    examples.columns = model_.width();
    for (std::size_t q = 0; q < queries_.size(); ++q) {
      const bool whole = queries_[q].year == newest_;
      if (whole && !newest) continue;
      const LabelledShortlist& list = lists_[q];
      const std::vector<std::size_t> rows = whole ? sampled(list) : all_rows(list);
      for (const std::size_t i : rows) {
        const auto row = list.values.begin() + static_cast<std::ptrdiff_t>(i * examples.columns);
        examples.values.insert(examples.values.end(), row,
                               row + static_cast<std::ptrdiff_t>(examples.columns));
        examples.labels.push_back(counts(list.labels[i], tier) ? 1.0F : 0.0F);
        examples.weights.push_back(whole ? weight_of(list, i) : list.weights[i]);
      }
    }
    return examples;
  }

  static std::vector<std::size_t> all_rows(const LabelledShortlist& list) {
    std::vector<std::size_t> rows(list.labels.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }

  /// Of a whole shortlist: cited ones, the best of the others, and evenly spaced ones of the rest.
  std::vector<std::size_t> sampled(const LabelledShortlist& list) const {
    std::vector<std::size_t> rows, easy;
    std::size_t hard = 0;
    for (std::size_t i = 0; i < list.labels.size(); ++i) {
      if (list.labels[i] != 0 || hard < options_.hard) {
        rows.push_back(i);
        hard += list.labels[i] == 0 ? 1 : 0;
      } else {
        easy.push_back(i);
      }
    }
    for (std::size_t k = 0; k < std::min(options_.easy, easy.size()); ++k) {
      rows.push_back(easy[k * easy.size() / std::min(options_.easy, easy.size())]);
    }
    return rows;
  }

  float weight_of(const LabelledShortlist& list, std::size_t row) const {
    const auto others =
        static_cast<std::size_t>(std::count(list.labels.begin(), list.labels.end(), std::uint8_t{0}));
    const std::size_t cited = list.labels.size() - others;
    if (row < cited + options_.hard || others <= options_.hard + options_.easy) return 1.0F;
    return static_cast<float>(others - options_.hard) / static_cast<float>(options_.easy);
  }

  learn::Trees grow(const learn::Examples& examples) {
    learn::BoostOptions boost;
    boost.params = default_params();
    for (const auto& [name, value] : options_.params) boost.params[name] = value;
    boost.rounds = options_.rounds;
    boost.threads = options_.boost_threads;
    boost.seed = options_.seed;
    return learn::Booster::train(examples, boost, [&](int) { progress_.advance(1); }).trees();
  }

  /// Scores of held-out queries with what is true.
  struct HeldOut {
    std::vector<float> scores, labels;
    std::vector<bool> shown;  ///< among the first kShown of its query
  };

  /// Trees of the older years answer the newest one: its scores give the curve from score to probability.
  TierQuality calibrate(Tier tier, TierModel& part) {
    const learn::Trees trees = grow(examples_for(tier, false));
    TierQuality quality;
    HeldOut whole, halves[2];
    for (std::size_t q = 0; q < queries_.size(); ++q) {
      if (queries_[q].year != newest_) continue;
      const LabelledShortlist& list = lists_[q];
      std::vector<float> margins(list.labels.size());
      final_scores(model_, trees, list.values, margins);
      judge(queries_[q], list, margins, tier, quality);
      for (HeldOut* const part_of : {&whole, &halves[q % 2]}) {
        part_of->scores.insert(part_of->scores.end(), margins.begin(), margins.end());
        for (const std::uint8_t bits : list.labels)
          part_of->labels.push_back(counts(bits, tier) ? 1.0F : 0.0F);
        for (const std::uint32_t place : places(margins)) part_of->shown.push_back(place <= kShown);
      }
    }
    const double queries = static_cast<double>(std::max<std::size_t>(quality.queries, 1));
    quality.recall_100 /= queries;
    quality.recall_depth /= queries;
    quality.ndcg_10 /= queries;
    if (halves[0].scores.empty() || halves[1].scores.empty()) return quality;
    part.calibration = learn::Calibration::isotonic(whole.scores, whole.labels, kCalibrationBlock);
    // What the curve is worth is judged by curves that have not seen the judged half of the queries.
    std::vector<float> probabilities, labels, shown_probabilities, shown_labels;
    for (const std::size_t judged : {0, 1}) {
      const HeldOut& half = halves[judged];
      const HeldOut& other = halves[1 - judged];
      const auto curve = learn::Calibration::isotonic(other.scores, other.labels, kCalibrationBlock);
      for (std::size_t i = 0; i < half.scores.size(); ++i) {
        probabilities.push_back(curve(half.scores[i]));
        if (!half.shown[i]) continue;
        shown_probabilities.push_back(probabilities.back());
        shown_labels.push_back(half.labels[i]);
      }
      labels.insert(labels.end(), half.labels.begin(), half.labels.end());
    }
    quality.calibration_error = learn::calibration_error(shown_probabilities, shown_labels);
    quality.missing = learn::cut_for_precision(probabilities, labels, options_.missing_precision);
    double targets = 0;
    for (const TrainingQuery& query : queries_) {
      if (query.year != newest_) continue;
      for (const auto& target : query.targets) targets += counts(target.second, tier) ? 1 : 0;
    }
    const double right = quality.missing.precision * static_cast<double>(quality.missing.taken);
    quality.missing.recall = targets > 0 ? right / targets : 0;
    part.missing_at = quality.missing.at;
    return quality;
  }

  static void judge(const TrainingQuery& query, const LabelledShortlist& list,
                    const std::vector<float>& margins, Tier tier, TierQuality& quality) {
    const auto total = static_cast<std::size_t>(
        std::count_if(query.targets.begin(), query.targets.end(),
                      [&](const auto& target) { return counts(target.second, tier); }));
    if (total == 0) return;
    ++quality.queries;
    std::vector<std::size_t> order = all_rows(list);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return margins[a] > margins[b]; });
    double gain = 0, ideal = 0, found = 0, found_100 = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!counts(list.labels[order[i]], tier)) continue;
      found += 1;
      found_100 += i < 100 ? 1 : 0;
      gain += i < 10 ? 1 / std::log2(static_cast<double>(i) + 2) : 0;
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(total, 10); ++i)
      ideal += 1 / std::log2(static_cast<double>(i) + 2);
    quality.recall_100 += found_100 / static_cast<double>(total);
    quality.recall_depth += found / static_cast<double>(total);
    quality.ndcg_10 += gain / ideal;
  }

  nlohmann::json record(const TrainReport& report) const {
    nlohmann::json json;
    json["snapshot"] = resources_.snapshot().digest();
    json["documents"] = resources_.snapshot().size();
    int first = newest_;
    for (const TrainingQuery& query : queries_) first = std::min(first, query.year);
    json["years"] = {first, newest_};
    json["bibliography"] = options_.bibliography;
    if (options_.encoder_trained_until > 0) json["encoder_trained_until"] = options_.encoder_trained_until;
    json["missing_precision"] = options_.missing_precision;
    json["queries"] = report.trained_on;
    json["examples"] = report.examples;
    json["seed"] = options_.seed;
    json["rounds"] = options_.rounds;
    json["blend"] = options_.blend;
    auto params = default_params();
    for (const auto& [name, value] : options_.params) params[name] = value;
    json["params"] = params;
    for (const auto& [tier, quality] : report.held_out) {
      json["held_out"][tier_name(tier)] = {{"year", newest_},
                                           {"queries", quality.queries},
                                           {"recall_100", quality.recall_100},
                                           {"recall_depth", quality.recall_depth},
                                           {"ndcg_10", quality.ndcg_10},
                                           {"calibration_error", quality.calibration_error},
                                           {"missing_at", quality.missing.at},
                                           {"missing_precision", quality.missing.precision},
                                           {"missing_recall", quality.missing.recall},
                                           {"missing_taken", quality.missing.taken}};
    }
    return json;
  }

  const Resources& resources_;
  const TrainOptions& options_;
  Progress& progress_;
  std::vector<TrainingQuery> queries_;
  std::vector<LabelledShortlist> lists_;
  Model model_;
  int newest_ = 0;
};

}  // namespace

TrainReport train(const Resources& resources, const fs::path& folder, const TrainOptions& options,
                  Progress& progress) {
  const std::vector<std::string> groups = feature_groups();
  for (const std::string& group : options.without) {
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) {
      std::string known;
      for (const std::string& other : groups) known += (known.empty() ? "" : ", ") + other;
      fail(ErrorCode::usage, "there is no feature group '{}' to leave out; known ones: {}", group, known);
    }
  }
  TrainReport report;
  const Model model = Training(resources, options, progress).run(report);
  save_model(model, folder);
  for (const auto& entry : fs::directory_iterator(folder)) report.bytes += entry.file_size();
  return report;
}

}  // namespace mustcite::rank
