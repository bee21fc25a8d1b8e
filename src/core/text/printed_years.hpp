#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace mustcite::text {

/// A year as bibliographies print it: "2010", "2010a".
struct PrintedYear {
  int year = 0;
  char letter = 0;  ///< 0: none
  std::size_t begin = 0;
  std::size_t end = 0;  ///< behind the letter
};

/// All years from 1600 to 2099 that are not part of a longer number, an id, a date in digits or a page range,
/// in order.
[[nodiscard]] std::vector<PrintedYear> printed_years(std::string_view text);

/// The last of them from 1900 on; 0 when there is none.
[[nodiscard]] int last_printed_year(std::string_view text);

}  // namespace mustcite::text
