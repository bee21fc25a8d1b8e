#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace mustcite::collect {

/// One paper as its site describes it, before cleaning. Empty: the page does not say.
struct Record {
  std::string id;  ///< the site's own: unique within the venue and year
  std::string title;
  std::vector<std::string> authors;  ///< in order; one entry may hold several names
  std::string abstract;
  std::string track;   ///< section or track as printed
  std::string volume;  ///< the book it stands in, where one list holds several
  std::string page_url;
  std::string pdf_url;
  std::string doi;
  std::string arxiv_id;
  std::string openreview_id;
  int month = 0;
  std::string withdrawn;  ///< why the paper counts no more (retracted, removed); it is listed as excluded

  bool operator==(const Record&) const = default;
};

/// Something on a page that was not taken, with its reason.
struct Problem {
  std::string item;
  std::string reason;
  bool operator==(const Problem&) const = default;
};

/// What a page, or all pages of an edition, list. `records` and `problems` are all that was seen: nothing is
/// dropped without a line here.
struct Listing {
  std::vector<Record> records;
  std::vector<Problem> problems;
  std::optional<std::size_t> stated;  ///< how many papers the site itself says there are
  std::vector<std::string> more;      ///< addresses of further pages of this list
};

}  // namespace mustcite::collect
