#pragma once

#include <string>
#include <string_view>

namespace mustcite::audit::latex {

/// How the arguments of a citation command are laid out.
enum class CiteShape {
  none,      ///< no citation
  plain,     ///< \citep*[…][…]{a,b}
  several,   ///< \autocites(…)[…]{a}[…]{b}
  volume,    ///< \volcite[…]{volume}[…]{a}
  field,     ///< \citefield{a}[…]{field}
  alias,     ///< \defcitealias{a}{text}
  silent     ///< \nocite{a,b}
};

/// The shape of a citation command: those of LaTeX, natbib, biblatex, apacite and their kin by name, and any other
/// command whose name contains "cite" as plain. `name` comes without backslash and star.
[[nodiscard]] CiteShape cite_shape(std::string_view name);

/// A citation command of a well-known package.
[[nodiscard]] bool is_known_cite(std::string_view name);

/// Commands that give the draft its structure: a draft's own redefinition of them is not followed.
[[nodiscard]] bool is_structural(std::string_view name);

/// Number of braced arguments that are no text (\label, \includegraphics, …); -1 when the command is not listed.
[[nodiscard]] int arguments_without_text(std::string_view name);

/// Heading level of \part … \paragraph, or -1.
[[nodiscard]] int heading_level(std::string_view name);

/// UTF-8 text of a command that stands for a character or a word (\ss, \ldots, \LaTeX); nullptr when it is none.
[[nodiscard]] const char* symbol(std::string_view name);

/// The combining mark of an accent command (\', \", \c, \v, …) in UTF-8; nullptr when it is none.
[[nodiscard]] const char* accent(std::string_view name);

/// Environments whose content is not LaTeX text.
[[nodiscard]] bool is_verbatim_environment(std::string_view name);
/// Braced arguments behind \begin{name} that are no text.
[[nodiscard]] int environment_arguments(std::string_view name);

/// Conditionals of TeX that end with \fi: \iffalse, \ifx, … (\iff is a symbol, \ifthenelse takes arguments).
[[nodiscard]] bool is_tex_conditional(std::string_view name);

}  // namespace mustcite::audit::latex
