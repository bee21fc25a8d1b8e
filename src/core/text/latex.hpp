#pragma once

#include <string>
#include <string_view>

namespace mustcite::text {

enum class LatexSource {
  /// Text of a site or a PDF in which LaTeX may occur: braces, ties and dashes are taken for LaTeX only where
  /// nothing else is likely.
  prose,
  /// A field of a BibTeX file: all of it is LaTeX.
  bibtex
};

/// LaTeX turned into text: accents and symbols become characters, markup commands leave their text,
/// citations, labels and footnotes go. Maths stays as written, `$` and all, unless it only sets plain words
/// in a typeface. Unknown commands leave their argument; without one they stay. Time is linear, recursion
/// bounded. The result may need NFC (accents are appended as combining marks).
[[nodiscard]] std::string latex_to_text(std::string_view text, LatexSource source);

}  // namespace mustcite::text
