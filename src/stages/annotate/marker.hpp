#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace mustcite::annotate {

/// One place in a citing sentence where the cited work is named.
struct MarkerPlace {
  std::size_t begin = 0;  ///< byte offsets into the sentence
  std::size_t end = 0;
  std::size_t group = 1;    ///< works named in the same brackets, this one included
  bool is_textual = false;  ///< part of the sentence, as in "Fox et al. (2008) show"
};

/// Where the marker stands in a sentence: a number in square brackets (ranges such as [3-7] count), a tag
/// such as [BF+13], or a family name near its year ("Fox 2008/2009a" means either year). Empty when it is not
/// found.
[[nodiscard]] std::vector<MarkerPlace> find_marker(std::string_view sentence, std::string_view cited_as);

}  // namespace mustcite::annotate
