#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/audit/report.hpp"

namespace mustcite::audit {

/// The answers in `.mustcite-ignore`. One finding a line: its kind, the key or paper id, for `disagrees` optionally the
/// field, then `#` and the reason:
///
///     missing pa77d5455b459        # covered by the survey we cite
///     disagrees vaswani2017 year   # we cite the arXiv version on purpose
///     unmentioned *                # the list is shared by several papers
///
/// A line without a reason is not obeyed and reported. Lines that start with `#` are comments.
class IgnoreList {
 public:
  IgnoreList() = default;
  /// `file` is named in notes.
  static IgnoreList parse(std::string_view content, const std::string& file);

  /// The reason when a line answers the finding (and remembers that the line was of use); nullptr otherwise.
  [[nodiscard]] const std::string* answer(const Finding& finding);
  /// Lines that were not understood, and lines that answered nothing.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct Line {
    FindingKind kind = FindingKind::problem;
    std::string subject;
    std::string field;
    std::string reason;
    std::uint32_t number = 0;
    bool used = false;
  };
  std::string file_;
  std::vector<Line> lines_;
  std::vector<std::string> broken_;
};

}  // namespace mustcite::audit
