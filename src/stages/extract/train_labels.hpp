#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/learn/crf_train.hpp"
#include "core/schema/paper.hpp"
#include "stages/extract/labelled_strings.hpp"

/// Trains and judges the labeller of printed references.
namespace mustcite::extract {

struct LabelTraining {
  /// Folder of labelled strings (GROBID's and AnyStyle's XML).
  std::filesystem::path strings;
  /// Strings rendered from the papers.
  std::size_t rendered = 8000;
  /// How a part is held out to measure.
  enum class HoldOut {
    none,
    strings,  ///< a fifth of GROBID's strings, chosen by content, with nothing alike left to train on
    files     ///< a fifth of GROBID's files
  };
  HoldOut hold_out = HoldOut::strings;
  learn::CrfOptions learner;
  std::uint64_t seed = 1;
};

/// How often a field is right. A field is right when it is the labelled one but for marks and white space at
/// its ends (exact), or at least nine tenths alike by edit distance (soft).
struct FieldScore {
  std::size_t labelled = 0;  ///< strings that have the field
  std::size_t found = 0;     ///< strings where the labeller finds one
  std::size_t exact = 0;
  std::size_t soft = 0;
  [[nodiscard]] double f1() const noexcept { return f1_of(exact); }
  [[nodiscard]] double soft_f1() const noexcept { return f1_of(soft); }

 private:
  [[nodiscard]] double f1_of(std::size_t right) const noexcept {
    return labelled + found == 0 ? 1
                                 : 2.0 * static_cast<double>(right) / static_cast<double>(labelled + found);
  }
};

/// read == trained + held_out + short_ones + repeated, always.
struct LabelReport {
  std::size_t read = 0;
  std::size_t trained = 0;
  std::size_t held_out = 0;
  std::size_t short_ones = 0;  ///< four tokens or less, or without any field
  std::size_t repeated = 0;    ///< the same content again, or in both parts
  std::size_t rendered = 0;
  std::size_t features = 0;
  std::size_t bytes = 0;                     ///< of the model folder
  std::map<std::string, FieldScore> scores;  ///< `authors`, `title`, `venue`, `year` on the held-out part
};

/// Trains from the strings and the papers and writes the model folder `out` (labels.crf, names.bin,
/// model.json); an empty `out` writes nothing. With a hold-out the model has not seen the held-out part, and
/// the report judges it.
LabelReport train_labels(const LabelTraining& training, std::span<const Paper> papers,
                         const std::filesystem::path& out, Progress& progress);

/// Judges a labeller on labelled strings. `mistakes`, when given, gets one line for each wrong field.
[[nodiscard]] std::map<std::string, FieldScore> score_labels(const ReferenceLabeller& labeller,
                                                             std::span<const LabelledString> strings,
                                                             std::vector<std::string>* mistakes = nullptr);

}  // namespace mustcite::extract
