#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/learn/crf.hpp"
#include "stages/extract/document.hpp"
#include "stages/extract/name_words.hpp"
#include "stages/extract/reference_tokens.hpp"

/// Which part of a printed reference is its title, which its authors, which its venue?
namespace mustcite::extract {

/// What a part of a printed reference is. `book` is the container of a contribution, or a whole book.
enum class FieldLabel : std::uint8_t {
  other,
  author,
  editor,
  title,
  book,
  journal,
  series,
  date,
  volume,  ///< volume, number, issue
  pages,
  publisher,  ///< institutions as well
  location,
  id,  ///< identifiers and addresses
  note
};
inline constexpr std::size_t kFieldLabels = 14;
/// `author`, `title`, …
[[nodiscard]] const char* field_label_name(FieldLabel label) noexcept;

/// Bytes [begin, end) of a printed reference.
struct LabelledField {
  FieldLabel label = FieldLabel::other;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  float confidence = 1;  ///< mean marginal probability of its tokens
};

/// The labels of the field: every field but `other` has one for its first token and one for the rest.
[[nodiscard]] std::vector<std::string> token_label_names();

/// Labels of tokens from labelled fields. Marks between fields belong to the field before them; opening
/// brackets and quotation marks to the one behind.
[[nodiscard]] std::vector<std::uint8_t> token_labels(std::string_view raw,
                                                     std::span<const ReferenceToken> tokens,
                                                     std::span<const LabelledField> fields);

/// Fields from labels of tokens, without the marks around them. `probabilities` may be empty.
[[nodiscard]] std::vector<LabelledField> labelled_fields(std::string_view raw,
                                                         std::span<const ReferenceToken> tokens,
                                                         std::span<const std::uint8_t> labels,
                                                         std::span<const float> probabilities);

/// What a labelling says of the work.
struct LabelledWork {
  std::string authors;  ///< as printed
  std::string title;
  std::string venue;  ///< the journal, else the book of a contribution
  int year = 0;
  float confidence = 0;  ///< of title and authors
};
/// A book without a contribution is the work itself.
[[nodiscard]] LabelledWork labelled_work(std::string_view raw, std::span<const LabelledField> fields);

/// Labels printed references with trained weights. Read-only and thread-safe.
class ReferenceLabeller {
 public:
  ReferenceLabeller(learn::CrfModel model, NameWords names);
  /// Reads `labels.crf` and `names.bin` of a model folder. Throws not_found, corrupt.
  static ReferenceLabeller load(const std::filesystem::path& folder);
  void save(const std::filesystem::path& folder) const;

  [[nodiscard]] std::vector<LabelledField> label(std::string_view raw) const;
  /// Sets title, authors, venue and year of an entry from its raw text, where the labeller finds them, and of
  /// its parts. Identifiers stay; so do surnames and year letter, which mentions are matched with.
  void read_fields(ReferenceEntry& entry) const;

  [[nodiscard]] const learn::CrfModel& model() const noexcept { return model_; }

 private:
  void read_fields(Reference& fields) const;

  learn::CrfModel model_;
  NameWords names_;
};

}  // namespace mustcite::extract
