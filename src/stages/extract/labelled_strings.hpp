#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stages/extract/reference_labels.hpp"

namespace mustcite::extract {

/// A printed reference whose parts are known.
struct LabelledString {
  std::string raw;
  std::vector<LabelledField> fields;  ///< ascending, without overlap; what lies between is unlabelled
  std::string source;                 ///< file name
};

/// Adds text to a labelled string: white space is folded, fields are trimmed.
class LabelledStringWriter {
 public:
  void add(std::string_view text, FieldLabel label);
  /// Closes the field that is open: the next text of the same label is another field.
  void close();
  /// The last byte written; 0 before the first.
  [[nodiscard]] char last() const noexcept { return string_.raw.empty() ? '\0' : string_.raw.back(); }
  [[nodiscard]] LabelledString take(std::string source);

 private:
  LabelledString string_;
  bool open_ = false;
};

/// References of GROBID's training files: `<bibl>` with author, title (level a, m, j, s), date and the like.
/// Throws invalid_input for what is no XML.
[[nodiscard]] std::vector<LabelledString> read_grobid_strings(std::string_view xml,
                                                              const std::string& source);
/// Sequences of AnyStyle's training files: `<sequence>` with author, title, container-title, date and the
/// like.
[[nodiscard]] std::vector<LabelledString> read_anystyle_strings(std::string_view xml,
                                                                const std::string& source);

/// All .xml files of the folder, by name, each in the form it is in.
[[nodiscard]] std::vector<LabelledString> read_labelled_strings(const std::filesystem::path& folder);

/// A key under which repeated strings meet, whatever their style: the title's letters and digits, else those
/// of the first sixty bytes.
[[nodiscard]] std::string content_key(const LabelledString& string);

}  // namespace mustcite::extract
