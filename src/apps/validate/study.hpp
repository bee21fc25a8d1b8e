#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stages/annotate/instance.hpp"

namespace mustcite::validate {

/// What raters are asked; stands in every label made from their answers. Narrow: Q1 is about a direct
/// comparison in the experiments, not about the judge's wider Type I.
inline constexpr const char* kQuestions = "narrow-questions-1";

struct Answer {
  int type1 = 0;
  int type2 = 0;
  std::string note;
};

/// A rater, the secret part of the address of their page, and what they rate (positions in the sample, in
/// order).
struct Rater {
  std::string name;
  std::string token;
  std::vector<std::size_t> items;
};

/// A validation study: a folder with study.json, instances.jsonl and answers.sqlite. Answers are on disk when
/// `save` returns. Not thread-safe.
class Study {
 public:
  /// Makes the folder. Each instance goes to `per_item` raters (2 to 6, at most all), spread so that loads
  /// differ by at most one. Throws usage for too few raters, and when the folder exists.
  static void create(const std::filesystem::path& folder, const std::vector<annotate::Instance>& instances,
                     const std::vector<std::string>& raters, std::size_t per_item, std::uint64_t seed);
  /// Throws not_found or corrupt.
  explicit Study(const std::filesystem::path& folder);
  ~Study();

  [[nodiscard]] const std::vector<annotate::Instance>& instances() const noexcept { return instances_; }
  [[nodiscard]] const std::vector<Rater>& raters() const noexcept { return raters_; }
  [[nodiscard]] const std::string& adjudicator_token() const noexcept { return adjudicator_token_; }
  /// The rater of a token; the adjudicator's token gives one whose items are those that raters disagree on.
  [[nodiscard]] std::optional<Rater> rater_of(const std::string& token) const;

  [[nodiscard]] std::optional<Answer> answer(const std::string& rater, std::size_t item) const;
  [[nodiscard]] std::map<std::string, Answer> answers_of(std::size_t item) const;
  [[nodiscard]] std::size_t answered(const std::string& rater) const;
  /// Throws invalid_input for values off the scale.
  void save(const std::string& rater, std::size_t item, const Answer& answer);
  /// Takes the rater's latest change back: the answer before it, if any, holds again. The item, or nothing.
  std::optional<std::size_t> undo(const std::string& rater);

  /// The sample with all answers as labels, one line an instance.
  [[nodiscard]] std::string export_jsonl() const;
  /// One line an answer: instance_id,rater,type1,type2,note.
  [[nodiscard]] std::string export_csv() const;
  /// Takes answers of a CSV (as exported). Returns how many were taken; throws invalid_input naming a bad
  /// line.
  std::size_t import_csv(const std::string& text);
  /// The same from instances with labels (as exported): every label needs both answers.
  std::size_t import_jsonl(const std::filesystem::path& file);

 private:
  struct Store;
  /// Positions of the instances by id.
  [[nodiscard]] std::map<std::string, std::size_t> items_by_id() const;
  /// Saves an answer unless the very same holds already; whether it was saved.
  bool take(const std::string& rater, std::size_t item, const Answer& answer);

  std::vector<annotate::Instance> instances_;
  std::vector<Rater> raters_;
  std::string adjudicator_token_;
  std::unique_ptr<Store> store_;
};

inline constexpr const char* kAdjudicator = "adjudicated";

}  // namespace mustcite::validate
