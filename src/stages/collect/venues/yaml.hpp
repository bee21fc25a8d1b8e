#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mustcite::collect {

/// A value of the YAML that bibliographies are kept in.
struct Yaml {
  struct Entry;
  std::string scalar;
  std::vector<Entry> map;
  std::vector<Yaml> list;

  /// The value of a key; an empty one when there is none.
  [[nodiscard]] const Yaml& operator[](std::string_view key) const;
};

struct Yaml::Entry {
  std::string key;
  Yaml value;
};

/// Reads the part of YAML that such files use: nested maps and lists by indentation, plain, quoted, folded
/// and literal scalars over several lines, flow lists of scalars. It is tolerant where YAML is not: a plain
/// scalar may hold ": " or begin with any sign, a line that fits nowhere is left out. (Strict parsers lose
/// whole papers of PMLR to an unquoted colon.) Linear but for the nesting, which is bounded.
[[nodiscard]] Yaml read_yaml(std::string_view text);

}  // namespace mustcite::collect
