#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/learn/calibration.hpp"
#include "core/learn/logistic.hpp"
#include "stages/annotate/features.hpp"
#include "stages/annotate/instance.hpp"
#include "stages/annotate/sentence_model.hpp"

namespace mustcite::annotate {

/// What the local judge says of one citation, as probabilities.
struct LocalVerdict {
  double type1 = 0;               ///< of a 1
  std::array<double, 5> type2{};  ///< of 1 to 5; they add up to 1
  int type1_value = 0;
  int type2_value = 1;
};

/// A classifier of ours that needs no language model: linear models over the features of a citation,
/// calibrated. Type II is asked as four questions (at least 2, 3, 4, 5?). Immutable and thread-safe.
class LocalJudge {
 public:
  /// One question: a linear score and what it means.
  struct Question {
    learn::LinearModel linear;
    learn::Platt calibration;
  };

  /// Reads a model folder (docs/methods/judge-local.md). Throws not_found or corrupt.
  static LocalJudge load(const std::filesystem::path& folder);
  /// Writes model.json and sentences.bin, published at once.
  void save(const std::filesystem::path& folder, const std::string& training_record_json) const;

  [[nodiscard]] LocalVerdict judge(const Instance& instance) const;
  /// The same from a row of `features_of`.
  [[nodiscard]] LocalVerdict judge_row(std::span<const float> row) const;

  /// The features that moved the Type I and the Type II score most, with their pull, strongest first.
  struct Pull {
    std::string feature;
    double value = 0;
    double type1 = 0;
    double type2 = 0;
  };
  [[nodiscard]] std::vector<Pull> explain(const Instance& instance) const;

  /// Names this very model: goes into every label it gives.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  SentenceModel sentences;
  Question type1;
  double type1_cut = 0.5;                                ///< probability from which a 1 is said
  std::array<Question, 4> type2;                         ///< at least 2, 3, 4, 5
  std::array<double, 4> type2_cuts{1.5, 2.5, 3.5, 4.5};  ///< expected value from which 2, 3, 4, 5 is said
  std::vector<float> means;  ///< of the training rows: what a pull is measured against

 private:
  std::string name_;
};

}  // namespace mustcite::annotate
