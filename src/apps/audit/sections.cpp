#include <algorithm>
#include <array>
#include <utility>

#include "apps/audit/draft.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::audit {

const char* section_kind_name(SectionKind kind) noexcept {
  constexpr std::array<const char*, 11> kNames{"other",       "abstract",   "introduction", "related_work",     "background", "method",
                                               "experiments", "discussion", "conclusion",   "acknowledgements", "appendix"};
  return kNames[static_cast<std::size_t>(kind)];
}

SectionKind section_kind(std::string_view heading) {
  // The first match decides, so that "Experimental setup and methods" is about experiments.
  static constexpr std::array<std::pair<std::string_view, SectionKind>, 35> kWords{{
      {"abstract", SectionKind::abstract},
      {"related work", SectionKind::related_work},
      {"relatedwork", SectionKind::related_work},
      {"literature", SectionKind::related_work},
      {"prior work", SectionKind::related_work},
      {"previous work", SectionKind::related_work},
      {"related", SectionKind::related_work},
      {"introduction", SectionKind::introduction},
      {"motivation", SectionKind::introduction},
      {"acknowledg", SectionKind::acknowledgements},
      {"appendix", SectionKind::appendix},
      {"supplement", SectionKind::appendix},
      {"experiment", SectionKind::experiments},
      {"evaluation", SectionKind::experiments},
      {"result", SectionKind::experiments},
      {"baseline", SectionKind::experiments},
      {"ablation", SectionKind::experiments},
      {"dataset", SectionKind::experiments},
      {"benchmark", SectionKind::experiments},
      {"empirical", SectionKind::experiments},
      {"implementation detail", SectionKind::experiments},
      {"simulation", SectionKind::experiments},
      {"background", SectionKind::background},
      {"preliminar", SectionKind::background},
      {"notation", SectionKind::background},
      {"problem", SectionKind::background},
      {"setup", SectionKind::experiments},
      {"method", SectionKind::method},
      {"approach", SectionKind::method},
      {"model", SectionKind::method},
      {"algorithm", SectionKind::method},
      {"discussion", SectionKind::discussion},
      {"limitation", SectionKind::discussion},
      {"conclu", SectionKind::conclusion},
      {"future work", SectionKind::conclusion},
  }};
  const std::string folded = text::fold(heading);
  for (const auto& [word, kind] : kWords) {
    if (folded.find(word) != std::string::npos) return kind;
  }
  return SectionKind::other;
}

}  // namespace mustcite::audit
