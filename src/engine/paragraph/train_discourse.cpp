#include "engine/paragraph/train_discourse.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/io/file.hpp"
#include "core/learn/sparse_logistic.hpp"

namespace mustcite::paragraph {
namespace {

std::vector<learn::CrfSequence> sequences_of(std::span<const Paragraph> paragraphs) {
  std::vector<learn::CrfSequence> sequences;
  for (const auto& paragraph : paragraphs) {
    if (paragraph.tags.empty()) continue;
    sequences.push_back(discourse_features(paragraph.sentences));
    for (const Discourse tag : paragraph.tags)
      sequences.back().labels.push_back(static_cast<std::uint8_t>(tag));
  }
  return sequences;
}

std::vector<std::uint8_t> labels_of(std::span<const learn::CrfSequence> sequences) {
  std::vector<std::uint8_t> labels;
  for (const auto& sequence : sequences)
    labels.insert(labels.end(), sequence.labels.begin(), sequence.labels.end());
  return labels;
}

std::uint8_t most_frequent(std::span<const std::uint8_t> labels) {
  std::array<std::size_t, kDiscourses> counts{};
  for (const auto label : labels) ++counts[label];
  return static_cast<std::uint8_t>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

/// Columns of the features that training sentences have at least as often as the chain asks.
std::unordered_map<std::uint32_t, std::uint32_t> columns_of(std::span<const learn::CrfSequence> sequences,
                                                            std::uint32_t least) {
  std::vector<std::uint32_t> all;
  for (const auto& sequence : sequences)
    all.insert(all.end(), sequence.features.begin(), sequence.features.end());
  std::sort(all.begin(), all.end());
  std::unordered_map<std::uint32_t, std::uint32_t> columns;
  for (std::size_t at = 0; at < all.size();) {
    const auto end = static_cast<std::size_t>(
        std::upper_bound(all.begin() + static_cast<std::ptrdiff_t>(at), all.end(), all[at]) - all.begin());
    if (end - at >= least) columns.emplace(all[at], static_cast<std::uint32_t>(columns.size()));
    at = end;
  }
  return columns;
}

/// The same features without the chain: one logistic regression a class.
class Linear {
 public:
  Linear(std::span<const learn::CrfSequence> train, const TaggerTraining& training)
      : columns_(columns_of(train, training.learner.least_count)) {
    learn::SparseLogisticOptions options;
    options.columns = columns_.size();
    options.passes = training.linear_passes;
    options.seed = training.seed;
    for (std::size_t label = 0; label < kDiscourses; ++label) {
      learn::SparseExamples examples;
      for (const auto& sequence : train) {
        for (std::size_t i = 0; i < sequence.size(); ++i)
          examples.add(row(sequence, i), sequence.labels[i] == label ? 1.0F : 0.0F);
      }
      models_.push_back(learn::fit_sparse_logistic(examples, options));
    }
  }

  [[nodiscard]] std::vector<std::uint8_t> labels(std::span<const learn::CrfSequence> sequences) const {
    std::vector<std::uint8_t> labels;
    for (const auto& sequence : sequences) {
      for (std::size_t i = 0; i < sequence.size(); ++i) labels.push_back(best(row(sequence, i)));
    }
    return labels;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> row(const learn::CrfSequence& sequence,
                                               std::size_t position) const {
    std::vector<std::uint32_t> row;
    for (const auto feature : sequence.at(position)) {
      if (const auto column = columns_.find(feature); column != columns_.end()) row.push_back(column->second);
    }
    std::sort(row.begin(), row.end());
    return row;
  }

  [[nodiscard]] std::uint8_t best(const std::vector<std::uint32_t>& row) const {
    std::size_t best = 0;
    float highest = 0;
    for (std::size_t label = 0; label < models_.size(); ++label) {
      float score = models_[label].intercept;
      for (const auto column : row) score += models_[label].weights[column];
      if (label == 0 || score > highest) {
        best = label;
        highest = score;
      }
    }
    return static_cast<std::uint8_t>(best);
  }

  std::unordered_map<std::uint32_t, std::uint32_t> columns_;
  std::vector<learn::LinearModel> models_;
};

std::vector<std::string> label_names() {
  std::vector<std::string> names;
  for (std::size_t label = 0; label < kDiscourses; ++label)
    names.emplace_back(name_of(static_cast<Discourse>(label)));
  return names;
}

std::vector<std::uint8_t> decode(const learn::CrfModel& model,
                                 std::span<const learn::CrfSequence> sequences) {
  std::vector<std::uint8_t> labels;
  for (const auto& sequence : sequences) {
    const auto found = model.decode(sequence);
    labels.insert(labels.end(), found.begin(), found.end());
  }
  return labels;
}

std::string record_of(const TaggerReport& report, const TaggerTraining& training) {
  nlohmann::ordered_json json{{"paragraphs", report.paragraphs},
                              {"sentences", report.sentences},
                              {"features", report.features},
                              {"rounds", training.learner.rounds},
                              {"regularisation", training.learner.regularisation},
                              {"seed", training.seed}};
  return json.dump(1) + "\n";
}

double ratio(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

learn::CrfOptions TaggerTraining::default_learner() {
  learn::CrfOptions options;
  options.regularisation = 4;
  options.rounds = 20;
  options.averaged = 8;
  options.least_count = 3;
  options.least_weight = 0.05F;
  return options;
}

double ClassScore::precision() const noexcept {
  return ratio(right, found);
}
double ClassScore::recall() const noexcept {
  return ratio(right, labelled);
}
double ClassScore::f1() const noexcept {
  return ratio(2 * right, labelled + found);
}

double TagScores::accuracy() const noexcept {
  std::size_t right = 0;
  std::size_t labelled = 0;
  for (const auto& score : classes) {
    right += score.right;
    labelled += score.labelled;
  }
  return ratio(right, labelled);
}

double TagScores::macro_f1() const noexcept {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& score : classes) {
    if (score.labelled == 0) continue;
    sum += score.f1();
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

TagScores score_tags(std::span<const std::uint8_t> labelled, std::span<const std::uint8_t> found) {
  if (labelled.size() != found.size())
    fail(ErrorCode::invalid_input, "judging {} tags by {} labels", found.size(), labelled.size());
  TagScores scores;
  for (std::size_t i = 0; i < labelled.size(); ++i) {
    ++scores.classes.at(labelled[i]).labelled;
    ++scores.classes.at(found[i]).found;
    if (labelled[i] == found[i]) ++scores.classes[labelled[i]].right;
  }
  return scores;
}

TaggerReport train_tagger(std::span<const Paragraph> train, std::span<const Paragraph> test,
                          const TaggerTraining& training, const std::filesystem::path& out,
                          Progress& progress) {
  const auto sequences = sequences_of(train);
  if (sequences.empty())
    fail(ErrorCode::invalid_input, "none of {} paragraphs has tagged sentences: give CORWA's training file",
         train.size());
  const auto trained_labels = labels_of(sequences);
  TaggerReport report;
  report.paragraphs = sequences.size();
  report.sentences = trained_labels.size();
  auto options = training.learner;
  options.seed = training.seed;
  progress.begin("training", static_cast<std::uint64_t>(options.rounds));
  const auto model = learn::train_crf(sequences, label_names(), options,
                                      [&](const learn::CrfRound&) { progress.advance(1); });
  progress.finish();
  const std::string bytes = model.to_bytes();
  report.features = model.features();
  report.bytes = bytes.size();
  const auto tests = sequences_of(test);
  if (!tests.empty()) {
    const auto labelled = labels_of(tests);
    report.test_paragraphs = tests.size();
    report.test_sentences = labelled.size();
    report.chain = score_tags(labelled, decode(learn::CrfModel::from_bytes(bytes), tests));
    report.linear = score_tags(labelled, Linear(sequences, training).labels(tests));
    report.majority =
        score_tags(labelled, std::vector<std::uint8_t>(labelled.size(), most_frequent(trained_labels)));
  }
  if (!out.empty()) {
    io::StagedDirectory staged(out);
    io::write_file_atomically(staged.path() / "labels.crf", bytes);
    io::write_file_atomically(staged.path() / "model.json", record_of(report, training));
    staged.publish();
  }
  return report;
}

}  // namespace mustcite::paragraph
