#pragma once

#include <string_view>

namespace mustcite::text {

/// What becomes of a LaTeX command in running text.
enum class LatexKind {
  unknown,
  symbol,       ///< replaced by `text`
  keep,         ///< its argument stays
  keep_second,  ///< its second argument stays (\href, \textcolor)
  drop,         ///< it and its arguments go (\cite, \label)
  typeface,     ///< a switch such as \em: it goes
  space,        ///< replaced by a space
  quote,        ///< its argument in quotation marks
  maths,        ///< a command of mathematics: stays as written
  ensure_maths  ///< \ensuremath: its argument becomes maths
};

struct LatexCommand {
  LatexKind kind = LatexKind::unknown;
  std::string_view text;
};

/// `name` without backslash.
[[nodiscard]] LatexCommand latex_command(std::string_view name) noexcept;

/// The combining mark of an accent command (`'`, `"`, `v`, …), or 0.
[[nodiscard]] char32_t latex_accent(std::string_view name) noexcept;

/// True for commands that set words in a typeface, also inside maths (\textbf, \underline).
[[nodiscard]] bool sets_words(std::string_view name) noexcept;

}  // namespace mustcite::text
