#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace mustcite::annotate {

/// What the wording of a citing sentence hints at. One list of phrases each, written by us.
enum class Cue {
  compares,    ///< set against the cited work: "outperforms", "baseline"
  uses,        ///< taken over: "we use", "following"
  extends,     ///< made more of: "extends", "builds on"
  data,        ///< data or task: "dataset", "evaluate on"
  ours,        ///< speaks of the citing work: "we", "our"
  theory,      ///< bounds and rates set side by side
  nearest,     ///< "most related", "closest to"
  background,  ///< named in passing: "such as", "have been studied"
  others,      ///< speaks of other people's work
  future       ///< left for later
};
inline constexpr std::size_t kCues = 10;
[[nodiscard]] const char* cue_name(Cue cue) noexcept;

/// Which cues a sentence holds. `folded` is lower case with a space at both ends.
[[nodiscard]] std::array<bool, kCues> find_cues(std::string_view folded);

}  // namespace mustcite::annotate
