#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/learn/calibration.hpp"
#include "core/learn/logistic.hpp"
#include "core/learn/trees.hpp"
#include "core/schema/paper.hpp"

namespace mustcite::rank {

/// What one tier needs: trees over the features, and the curve from the final score to a probability.
struct TierModel {
  learn::Trees trees;
  learn::Calibration calibration;
  /// From this probability on a paper that a draft lacks counts as missing: of such pairs of the
  /// held-out year the share TrainOptions::missing_precision was right. 2: no probability is high enough.
  double missing_at = 2;
};

/// A trained ranker, as it lies in a model folder: `model.json` (format, features, linear stage, training
/// record) and one `trees-<tier>.bin` per tier.
struct Model {
  std::set<std::string> without;  ///< feature groups left out in training
  std::vector<std::size_t>
      features;  ///< columns of feature_list() that the trees see, then the three of the linear stage
  std::vector<std::size_t> linear_features;
  learn::LinearModel linear;  ///< over `linear_features`
  std::size_t depth = 1000;   ///< documents that the linear stage lets through
  float blend = 0.5F;         ///< part of the linear score in the final one: see `score`
  std::map<Tier, TierModel> tiers;
  /// An encoder whose vectors the trees saw: name of the recipe and digest of the model. Empty: none.
  struct Encoder {
    std::string recipe;
    std::string digest;
  };
  Encoder dense;  ///< one vector a text
  Encoder late;   ///< token vectors
  /// A cross-encoder whose scores the trees saw: of the first `depth` documents of the linear stage. `recipe`
  /// is the name of its folder.
  struct Cross : Encoder {
    std::filesystem::path folder;  ///< where it lay when it was trained
    std::size_t depth = 0;
  } cross;
  std::string name;             ///< of the folder
  std::string training_record;  ///< JSON: snapshot digest, years, parameters, counts, metrics

  /// Columns that the trees see: `features`, then score, place and distance to the first ten of the linear
  /// stage, then those of the cross-encoder where there is one: score, distance from the mean in standard
  /// deviations, place.
  [[nodiscard]] std::size_t width() const noexcept {
    return features.size() + 3 + (cross.recipe.empty() ? 0 : 3);
  }
  [[nodiscard]] std::vector<std::string> column_names() const;
  /// Whether a query must be encoded.
  [[nodiscard]] bool encodes() const noexcept { return !dense.recipe.empty() || !late.recipe.empty(); }
};

/// Final score of shortlisted rows of `width()` values: the trees' margin plus `blend` times the linear
/// score, which steadies the trees where examples are few.
void final_scores(const Model& model, const learn::Trees& trees, std::span<const float> rows,
                  std::span<float> out);

/// Columns of the feature list that remain without some groups; only those of the linear stage when asked.
enum class Stage { linear, trees };
[[nodiscard]] std::vector<std::size_t> feature_columns(const std::set<std::string>& without, Stage stage);

/// Writes the folder, published by one rename.
void save_model(const Model& model, const std::filesystem::path& folder);

/// Throws not_found when there is no model, corrupt when it is damaged or made for another feature list: the
/// message names the first difference and `mustcite train ranker`.
[[nodiscard]] Model load_model(const std::filesystem::path& folder);

}  // namespace mustcite::rank
