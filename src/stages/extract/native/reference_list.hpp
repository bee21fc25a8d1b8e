#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/pdf/content.hpp"
#include "stages/extract/document.hpp"
#include "stages/extract/native/flow.hpp"

namespace mustcite::extract::native {

inline constexpr std::size_t kNoLine = static_cast<std::size_t>(-1);

/// Where the reference list stands in the flow, and which of its lines begin an entry.
struct ReferenceList {
  std::size_t heading = kNoLine;          ///< line of the heading; kNoLine: there is none
  std::size_t begin = kNoLine;            ///< first line of the first entry; kNoLine: no list
  std::size_t end = kNoLine;              ///< behind the last line
  std::vector<bool> skipped;              ///< by line - begin: figures, tables and notes between the entries
  std::vector<std::size_t> starts;        ///< ascending
  std::vector<std::string> destinations;  ///< of each start; empty without destinations
  /// First line of another labelled list behind this one, as supplements have; kNoLine: none. Numbers between
  /// the two lists mean entries of the second one.
  std::size_t second = kNoLine;
  std::string signal;  ///< "destinations", "labels", "indents" or "gaps"
  [[nodiscard]] bool found() const noexcept { return begin != kNoLine; }
  [[nodiscard]] bool holds(std::size_t line) const noexcept {
    return found() && line >= begin && line < end && !skipped[line - begin];
  }
};

/// A label printed before an entry, and where the entry goes on behind it.
struct Label {
  enum class Form { none, bracketed, parenthesised, dotted, bare, alpha };
  Form form = Form::none;
  int number = 0;
  std::string text;
  std::size_t end = 0;
};
/// The label that a line of this text begins with in the given form.
[[nodiscard]] Label label_at_start(const std::string& line, Label::Form form);

/// Finds heading and extent of the list by words, type and labels. `starts` is not set.
[[nodiscard]] ReferenceList find_list(const Flow& flow);

/// Entry starts from the `cite.*` destinations. False when there are fewer than two or they hit no lines;
/// `list` is kept then. The list's extent is widened to hold them.
bool segment_by_destinations(const Flow& flow, const pdf::Content& content, ReferenceList& list);

/// Entry starts from labels, then hanging indents, then gaps and words. Precondition: list.found().
void segment_by_print(const Flow& flow, ReferenceList& list);

/// The entries with label, raw text, place and simple fields. `style` is set from the labels.
[[nodiscard]] std::vector<ReferenceEntry> make_entries(const Flow& flow, const ReferenceList& list,
                                                       ReferenceStyle& style);

}  // namespace mustcite::extract::native
