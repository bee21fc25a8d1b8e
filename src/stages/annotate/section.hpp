#pragma once

#include <string_view>

namespace mustcite::annotate {

/// What a section is for, as far as its heading tells.
enum class SectionRole {
  abstract,
  introduction,
  related,
  background,
  method,
  experiments,
  discussion,
  conclusion,
  appendix,
  other
};
inline constexpr int kSectionRoles = 10;

/// The role of a heading as printed, e.g. "5.2 Experimental Results" or "2 RELATED WORK".
[[nodiscard]] SectionRole section_role(std::string_view heading);
[[nodiscard]] const char* role_name(SectionRole role) noexcept;

/// The first number of a heading ("5.2 Results" gives 5; Roman numerals too); 0 without one.
[[nodiscard]] int section_number(std::string_view heading) noexcept;

}  // namespace mustcite::annotate
