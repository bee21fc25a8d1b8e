#pragma once

#include <cstdint>
#include <vector>

#include "core/base/progress.hpp"
#include "core/learn/boost.hpp"
#include "engine/rank/ranker.hpp"
#include "engine/rank/train.hpp"

/// Shared by train.cpp, combination_fit.cpp and training_set.cpp only.
namespace mustcite::rank {

/// Which tiers a citation counts for: bits.
enum TargetBits : std::uint8_t { kCited = 1, kType3 = 2, kExperiments = 4 };
[[nodiscard]] bool counts(std::uint8_t bits, Tier tier) noexcept;

/// A citing paper as a query, with what it cites among the older documents.
struct TrainingQuery {
  Query query;
  int year = 0;
  std::vector<std::pair<DocId, std::uint8_t>> targets;  ///< ascending; TargetBits
};

/// Fills the counts of the report.
[[nodiscard]] std::vector<TrainingQuery> training_queries(const Resources& resources,
                                                          const TrainOptions& options, TrainReport& report);

/// The shortlist of one query with its labels.
struct LabelledShortlist {
  std::vector<float> values;         ///< all rows when `whole`, else the sampled ones
  std::vector<std::uint8_t> labels;  ///< TargetBits per row
  std::vector<float> weights;        ///< per row: how many rows it stands for
};

/// Rows for the linear stage: cited candidates, and some of the others.
[[nodiscard]] learn::LinearModel fit_linear_stage(const Resources& resources, const Model& model,
                                                  const std::vector<TrainingQuery>& queries,
                                                  const TrainOptions& options, Progress& progress);

/// Shortlists of all queries. Those of `whole_year` keep every row.
[[nodiscard]] std::vector<LabelledShortlist> label_shortlists(const Resources& resources, const Model& model,
                                                              const std::vector<TrainingQuery>& queries,
                                                              int whole_year, const TrainOptions& options,
                                                              Progress& progress);

}  // namespace mustcite::rank
