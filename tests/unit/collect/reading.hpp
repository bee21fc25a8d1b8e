#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "stages/collect/clean.hpp"
#include "stages/collect/pages.hpp"
#include "stages/collect/venues/readers.hpp"

namespace mustcite::collect {

/// What the catalog gets of a record of this edition.
inline Cleaned cleaned(const char* venue, int year, const Record& record) {
  Edition edition;
  edition.venue = venue;
  edition.year = year;
  return clean_record(edition, record);
}

/// Whether the act notices that a page is not of the layout it knows.
inline bool notices_another_layout(const std::function<void()>& act) {
  try {
    act();
  } catch (const LayoutChanged&) {
    return true;
  }
  return false;
}

/// `page` with its first `what` gone.
inline std::string without(std::string page, const std::string& what) {
  const std::size_t at = page.find(what);
  if (at != std::string::npos) page.erase(at, what.size());
  return page;
}

/// `page` with every `from` become `to`.
inline std::string with(std::string page, const std::string& from, const std::string& to) {
  for (std::size_t at = page.find(from); at != std::string::npos; at = page.find(from, at + to.size()))
    page.replace(at, from.size(), to);
  return page;
}

using Names = std::vector<std::string>;

}  // namespace mustcite::collect
