#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/learn/crf_train.hpp"
#include "engine/paragraph/paragraph.hpp"

/// Trains and judges the discourse tagger.
namespace mustcite::paragraph {

struct TaggerTraining {
  learn::CrfOptions learner = default_learner();
  /// Of the linear model that stands beside it in the report.
  int linear_passes = 12;
  std::uint64_t seed = 1;

  [[nodiscard]] static learn::CrfOptions default_learner();
};

/// How often one class, or all of them, is right.
struct ClassScore {
  std::size_t labelled = 0;
  std::size_t found = 0;
  std::size_t right = 0;
  [[nodiscard]] double precision() const noexcept;
  [[nodiscard]] double recall() const noexcept;
  [[nodiscard]] double f1() const noexcept;
};

struct TagScores {
  std::array<ClassScore, kDiscourses> classes;
  [[nodiscard]] double accuracy() const noexcept;
  /// Mean F1 over the classes that have a labelled sentence.
  [[nodiscard]] double macro_f1() const noexcept;
};

struct TaggerReport {
  std::size_t paragraphs = 0;  ///< trained on
  std::size_t sentences = 0;
  std::size_t test_paragraphs = 0;
  std::size_t test_sentences = 0;
  std::size_t features = 0;  ///< kept in the model
  std::size_t bytes = 0;     ///< of the model
  TagScores majority;        ///< always the class most frequent in training
  TagScores linear;          ///< logistic regression, one class against the rest, on the same features
  TagScores chain;           ///< the model
};

/// Trains on tagged paragraphs, judges on others (none: nothing is judged), and writes the model folder `out`
/// (labels.crf, model.json); an empty `out` writes nothing. Throws invalid_input when no paragraph has tags.
TaggerReport train_tagger(std::span<const Paragraph> train, std::span<const Paragraph> test,
                          const TaggerTraining& training, const std::filesystem::path& out,
                          Progress& progress);

/// `found` against `labelled`, one entry a sentence.
[[nodiscard]] TagScores score_tags(std::span<const std::uint8_t> labelled,
                                   std::span<const std::uint8_t> found);

}  // namespace mustcite::paragraph
