#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/learn/agreement.hpp"
#include "stages/annotate/local_judge.hpp"

namespace mustcite::annotate {

/// Labels by pair of ids, as a tab-separated file holds them: citing_id, cited_id, type1, type2 with a
/// header.
struct PairLabel {
  int type1 = 0;
  int type2 = 1;
};
using PairLabels = std::map<std::pair<std::string, std::string>, PairLabel>;
/// Throws invalid_input naming the line.
[[nodiscard]] PairLabels read_pair_labels(const std::filesystem::path& file);

/// Sentences with a function annotated, in the stand-off form of the citation function corpus: NAME.txt with
/// NAME.ann beside it. Uses, Extends and Compares or Contrasts of methods and results count as central,
/// Background and the like as not; what the annotators left open is skipped.
[[nodiscard]] std::vector<SentenceModel::Example> read_citation_functions(
    const std::filesystem::path& folder);

/// Weak evidence: sentences of works that a paper mentions at least four times (label 1) or once (label 0).
/// Papers in `without` are left out as citing ones: those that the judge is measured on.
[[nodiscard]] std::vector<SentenceModel::Example> weak_sentences(const store::Catalog& catalog,
                                                                 const std::set<std::string>& without);

struct TrainOptions {
  double regularisation = 40;  ///< of the linear models, see learn::LogisticOptions
  std::size_t folds = 10;      ///< calibration and cuts come from scores of held-out folds
  std::uint64_t seed = 1;
};

/// How well verdicts fit the ratings of their instances: Type I against the majority (ties count as 1), Type
/// II against the median. Intervals are the central 95 % of 2,000 bootstrap resamples.
struct JudgeQuality {
  std::size_t instances = 0;
  std::size_t type1_rated = 0;
  std::size_t type2_rated = 0;
  double type1_accuracy = learn::kMissing;
  double type1_kappa = learn::kMissing;
  learn::Interval type1_kappa_interval;
  double type1_auc = learn::kMissing;
  double type1_calibration_error = learn::kMissing;
  double type2_accuracy = learn::kMissing;
  double type2_within_one = learn::kMissing;
  double type2_kappa = learn::kMissing;  ///< quadratic
  learn::Interval type2_kappa_interval;
};
[[nodiscard]] JudgeQuality measure(const std::vector<Instance>& instances,
                                   const std::vector<LocalVerdict>& verdicts);

/// Trains on rated instances, those of one citing paper in one fold. `held_out` are the verdicts for each of
/// them by models that saw no other citation of the same paper. Throws invalid_input with fewer than 50
/// instances.
struct Trained {
  LocalJudge judge;
  std::vector<LocalVerdict> held_out;
};
[[nodiscard]] Trained train_local(const std::vector<Instance>& rated, SentenceModel sentences,
                                  const TrainOptions& options);

}  // namespace mustcite::annotate
