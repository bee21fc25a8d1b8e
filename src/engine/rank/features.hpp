#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/rank/candidates.hpp"

namespace mustcite::rank {

/// One column of the feature table.
struct FeatureInfo {
  std::string name;   ///< e.g. "bm25.n"
  std::string group;  ///< a view's name, or popularity, age, venue, names, agreement, length, authors, or one
                      ///< of bibliography_features()
  bool linear;  ///< also seen by the linear stage
};

/// Every column, in order. A model names the columns it was trained on; the version changes whenever the
/// meaning of a column does, so that an old model is refused instead of misread.
inline constexpr int kFeatureVersion = 3;
[[nodiscard]] const std::vector<FeatureInfo>& feature_list();
/// Groups that training can leave out, views first.
[[nodiscard]] std::vector<std::string> feature_groups();

/// Feature values of candidates, one column after another (NaN: not known).
struct FeatureTable {
  std::size_t rows = 0;
  std::vector<float> values;  ///< feature_list().size() columns of `rows` values

  [[nodiscard]] std::span<const float> column(std::size_t i) const {
    return {values.data() + i * rows, rows};
  }
  [[nodiscard]] std::span<float> column(std::size_t i) { return {values.data() + i * rows, rows}; }
};

[[nodiscard]] FeatureTable compute_features(const QueryContext& context, const Candidates& candidates);

/// Places (from 1) of the scores in falling order, ties by position; scores at the minimum share the last
/// place.
[[nodiscard]] std::vector<std::uint32_t> places(std::span<const float> scores);

}  // namespace mustcite::rank
