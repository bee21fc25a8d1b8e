#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/schema/paper.hpp"

namespace mustcite::importing {

/// An abstract without its paper, as Semantic Scholar ships them.
struct AbstractOnly {
  PaperId id;
  std::string text;
};

/// Something that was read and cannot be taken.
struct Refused {
  std::string item;  ///< id or first bytes
  std::string reason;
  bool is_citation = false;
};

/// One thing read from a file, on its way to the catalog.
struct Item {
  std::variant<Paper, Citation, AbstractOnly, Refused> content;
  std::uint64_t line = 0;
  /// Repairs worth a line in the ledger, e.g. "abstract of 200,000 bytes cut to 100,000".
  std::vector<std::string> notes;
  bool repaired_utf8 = false;
  /// The paper is one of a private bibliography: it never changes a paper the catalog knows under its title.
  bool yields_to_known_title = false;
};

/// Where the reader of a format puts what it read. Called from one thread.
class Output {
 public:
  virtual ~Output() = default;
  virtual void put(Item item) = 0;
  /// Compressed bytes read so far, for progress.
  virtual void consumed(std::uint64_t bytes) = 0;
};

}  // namespace mustcite::importing
