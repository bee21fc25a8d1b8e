#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/schema/paper.hpp"
#include "engine/rank/model.hpp"
#include "engine/rank/resources.hpp"

/// How the ranker learns. Its queries are the citing papers of several years, each answered as of its own
/// year.
namespace mustcite::rank {

struct TrainOptions {
  /// Years of the training queries. 0: the four newest years of the evidence.
  int first_year = 0;
  int last_year = 0;
  std::vector<Tier> tiers{Tier::must, Tier::type3, Tier::experiments, Tier::all};
  /// Feature groups (see feature_groups) left out: views of that name propose nothing either.
  std::set<std::string> without;
  /// The newest citing paper that the encoder behind Resources::dense was trained on: queries of these years
  /// are left out, so that its scores are those of papers it has not seen. 0: it was trained on none of them.
  int encoder_trained_until = 0;
  /// Learn for drafts that have a bibliography: of each training query a share of what it cites is known
  /// (drawn by `seed` between the two), the rest is to be found. Without it the views that look at a
  /// bibliography are left out.
  bool bibliography = false;
  double least_known = 0.75;
  double most_known = 0.95;
  std::size_t bibliography_draws = 6;  ///< times that each training query is drawn anew
  std::size_t depth = 1000;            ///< documents that the linear stage lets through
  int rounds = 200;                    ///< trees a tier
  float blend = 0.5F;                  ///< part of the linear score in the final one
  /// Added to and overriding the default parameters of XGBoost.
  std::map<std::string, std::string> params;
  std::size_t linear_queries = 700;     ///< at most, evenly spaced: the linear stage has few weights
  std::size_t sampled_by_linear = 200;  ///< negatives a query for the linear stage
  std::size_t hard = 100;               ///< best negatives a query for the trees: all of them
  std::size_t easy = 100;               ///< of the others, each weighing for those left out
  /// Share of right ones among the held-out pairs at or above TierModel::missing_at.
  double missing_precision = 1.0 / 3;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  ///< for features; the model does not depend on it
  int boost_threads = 1;    ///< for the trees; part of the recipe, as sums of gradients depend on it
};

/// Rank quality over the queries of one tier.
struct TierQuality {
  std::size_t queries = 0;
  double recall_100 = 0;
  double recall_depth = 0;  ///< within the linear stage's cut
  double ndcg_10 = 0;
  double calibration_error = 0;  ///< of the first 20 of each query
  learn::PrecisionCut missing;   ///< TierModel::missing_at; its recall is of all targets, found or not
};

/// queries == trained_on + without_abstract + without_target + seen_by_encoder, always.
struct TrainReport {
  std::size_t queries = 0;  ///< citing papers of the years
  std::size_t trained_on = 0;
  std::size_t without_abstract = 0;
  std::size_t without_target =
      0;  ///< nothing that they cite is an older document (with a bibliography: only one is)
  std::size_t seen_by_encoder = 0;  ///< the encoder was trained on papers of their year
  std::size_t examples = 0;         ///< rows the trees saw, per tier
  /// On the newest training year, by trees that saw the older years only; their scores make the calibration
  /// curves.
  std::map<Tier, TierQuality> held_out;
  std::size_t bytes = 0;  ///< of the model folder
};

/// Trains a model and publishes its folder. Throws invalid_input when the evidence holds no training query.
TrainReport train(const Resources& resources, const std::filesystem::path& folder,
                  const TrainOptions& options, Progress& progress);

}  // namespace mustcite::rank
