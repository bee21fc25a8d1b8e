#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apps/audit/latex/scanner.hpp"

namespace mustcite::audit::latex {

/// A command the draft defines: a body with #1 … #9.
struct Macro {
  std::string body;
  int arguments = 0;
  bool first_is_optional = false;
  std::string default_value;
};

/// The draft's own commands, as far as an audit needs them: those without pattern arguments. A definition that cannot
/// be followed leaves the command unknown, and its arguments are then read as text.
class MacroTable {
 public:
  /// Reads the definition behind one of \newcommand, \renewcommand, \providecommand, \DeclareRobustCommand,
  /// \newrobustcmd, \def, \gdef, \edef, \xdef, \let, \NewDocumentCommand and their kin. False when `command` is none of them.
  bool define(std::string_view command, Scanner& scanner);

  [[nodiscard]] const Macro* find(std::string_view name) const;
  /// The command that `name` was \let to; `name` itself otherwise.
  [[nodiscard]] std::string target(const std::string& name) const;

  /// Reads the arguments of a call and pushes the body onto the scanner. Bytes pushed; 0 for an empty body.
  static std::size_t expand(const Macro& macro, Scanner& scanner);

 private:
  void define_command(Scanner& scanner);
  void define_document_command(Scanner& scanner);
  void define_plain(Scanner& scanner);
  void define_alias(Scanner& scanner);
  void keep(const std::string& name, Macro macro);

  std::unordered_map<std::string, Macro> macros_;
  std::unordered_map<std::string, std::string> aliases_;
};

}  // namespace mustcite::audit::latex
