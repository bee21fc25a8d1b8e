#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/pdf/content.hpp"
#include "stages/extract/native/flow.hpp"
#include "stages/extract/native/reference_list.hpp"

namespace mustcite::extract::native {

struct Heading {
  std::size_t line = 0;    ///< first line in the flow
  std::size_t lines = 1;   ///< a long heading takes several
  std::size_t tokens = 0;  ///< 0: the whole line; else a run-in heading of so many words ("Abstract—We …")
  std::string text;
  int level = 1;
};

/// Headings in order. With `content` the outline and the section destinations say where to look first;
/// without, type and numbers alone decide.
[[nodiscard]] std::vector<Heading> find_headings(const Flow& flow, const ReferenceList& list,
                                                 const pdf::Content* content);

}  // namespace mustcite::extract::native
