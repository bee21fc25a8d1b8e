#include "apps/audit/latex/macros.hpp"

#include <algorithm>
#include <array>

#include "apps/audit/latex/commands.hpp"

namespace mustcite::audit::latex {
namespace {

constexpr std::size_t kMostMacros = 20'000;
constexpr std::size_t kMostBody = 16'384;

/// `\name` or `{\name}` as written by \newcommand; empty when it is something else.
std::string defined_name(Scanner& scanner) {
  std::string name;
  if (!scanner.argument(name)) return {};
  const std::size_t slash = name.find('\\');
  if (slash == std::string::npos) return {};
  name.erase(0, slash + 1);
  while (!name.empty() && (name.back() == ' ' || name.back() == '\n')) name.pop_back();
  return name;
}

int small_number(std::string_view text) {
  for (const char c : text) {
    if (c >= '0' && c <= '9') return c - '0';
  }
  return 0;
}

}  // namespace

bool MacroTable::define(std::string_view command, Scanner& scanner) {
  constexpr std::array<std::string_view, 6> kCommands{"newcommand", "renewcommand", "providecommand",
                                                      "DeclareRobustCommand", "newrobustcmd", "renewrobustcmd"};
  constexpr std::array<std::string_view, 4> kDocument{"NewDocumentCommand", "RenewDocumentCommand",
                                                      "ProvideDocumentCommand", "DeclareDocumentCommand"};
  constexpr std::array<std::string_view, 4> kPlain{"def", "gdef", "edef", "xdef"};
  const auto is_in = [&](const auto& names) { return std::find(names.begin(), names.end(), command) != names.end(); };
  if (is_in(kCommands)) {
    define_command(scanner);
  } else if (is_in(kDocument)) {
    define_document_command(scanner);
  } else if (is_in(kPlain)) {
    define_plain(scanner);
  } else if (command == "let") {
    define_alias(scanner);
  } else {
    return false;
  }
  return true;
}

void MacroTable::define_command(Scanner& scanner) {
  scanner.star();
  const std::string name = defined_name(scanner);
  Macro macro;
  std::string text;
  if (scanner.bracket(text)) macro.arguments = small_number(text);
  if (scanner.bracket(macro.default_value)) macro.first_is_optional = true;
  if (scanner.argument(macro.body, kMostBody)) keep(name, std::move(macro));
}

void MacroTable::define_document_command(Scanner& scanner) {
  const std::string name = defined_name(scanner);
  std::string specification;
  Macro macro;
  if (!scanner.argument(specification) || !scanner.argument(macro.body, kMostBody)) return;
  bool plain = true;
  bool first = true;
  for (std::size_t i = 0; i < specification.size(); ++i) {
    const char c = specification[i];
    if (c == ' ' || c == '+') continue;
    if (c == 'm') {
      ++macro.arguments;
    } else if ((c == 'o' || c == 'O') && first) {
      ++macro.arguments;
      macro.first_is_optional = true;
      if (c == 'O' && i + 1 < specification.size() && specification[i + 1] == '{') {
        const std::size_t end = specification.find('}', i);
        if (end == std::string::npos) return;
        macro.default_value = specification.substr(i + 2, end - i - 2);
        i = end;
      }
    } else {
      plain = false;
    }
    first = false;
  }
  if (plain && macro.arguments <= 9) keep(name, std::move(macro));
}

void MacroTable::define_plain(Scanner& scanner) {
  const std::string name = defined_name(scanner);
  scanner.skip_to_argument();
  if (scanner.empty() || scanner.at_end()) return;
  const std::string_view text = scanner.rest();
  const std::size_t brace = std::min(text.find('{'), text.size());
  const std::string_view pattern = text.substr(0, brace);
  if (brace > 64 || brace == text.size() || pattern.find('\n') != std::string_view::npos) return;
  Macro macro;
  bool plain = true;
  for (std::size_t i = 0; i < pattern.size(); i += 2) {
    if (pattern[i] == '#' && i + 1 < pattern.size() && pattern[i + 1] == '1' + macro.arguments) {
      ++macro.arguments;
    } else {
      plain = false;
      break;
    }
  }
  scanner.skip(brace);
  if (scanner.argument(macro.body, kMostBody) && plain) keep(name, std::move(macro));
}

void MacroTable::define_alias(Scanner& scanner) {
  const std::string name = defined_name(scanner);
  scanner.skip_to_argument();
  if (!scanner.empty() && !scanner.at_end() && scanner.rest().front() == '=') scanner.skip(1);
  scanner.skip_to_argument();
  if (name.empty() || scanner.empty() || scanner.at_end() || scanner.rest().front() != '\\') return;
  const std::string other = scanner.command_name();
  if (const Macro* macro = find(other)) {
    keep(name, Macro(*macro));
  } else if (other != name && !is_structural(name) && aliases_.size() < kMostMacros) {
    aliases_[name] = target(other);
  }
}

void MacroTable::keep(const std::string& name, Macro macro) {
  if (name.empty() || is_structural(name) || (macros_.size() >= kMostMacros && !macros_.contains(name))) return;
  const std::string self = "\\" + name;
  // Commands of citation packages that a draft wraps in itself, or replaces by something that cites nothing, keep
  // their meaning.
  if (is_known_cite(name) && (macro.body.find("cite") == std::string::npos || macro.body.find(self) != std::string::npos)) {
    return;
  }
  if (macro.body == self) return;
  aliases_.erase(name);
  macros_[name] = std::move(macro);
}

const Macro* MacroTable::find(std::string_view name) const {
  const auto found = macros_.find(std::string(name));
  return found == macros_.end() ? nullptr : &found->second;
}

std::string MacroTable::target(const std::string& name) const {
  const auto found = aliases_.find(name);
  return found == aliases_.end() ? name : found->second;
}

std::size_t MacroTable::expand(const Macro& macro, Scanner& scanner) {
  std::vector<std::string> values;
  std::string value;
  if (macro.first_is_optional && macro.arguments > 0) {
    values.push_back(scanner.bracket(value) ? value : macro.default_value);
  }
  while (static_cast<int>(values.size()) < macro.arguments) {
    if (!scanner.argument(value, std::size_t{1} << 16)) value.clear();
    values.push_back(value);
  }
  std::string body;
  for (std::size_t i = 0; i < macro.body.size(); ++i) {
    const char c = macro.body[i];
    if (c == '#' && i + 1 < macro.body.size() && macro.body[i + 1] >= '1' && macro.body[i + 1] <= '9') {
      const auto index = static_cast<std::size_t>(macro.body[++i] - '1');
      if (index < values.size()) body += values[index];
    } else {
      body += c;
    }
  }
  const std::size_t size = body.size();
  if (!body.empty() && !scanner.empty()) scanner.push_body(std::move(body));
  return size;
}

}  // namespace mustcite::audit::latex
