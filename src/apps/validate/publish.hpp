#pragma once

#include <cstdint>
#include <string>

#include "apps/validate/study.hpp"
#include "core/base/date.hpp"
#include "core/store/catalog.hpp"

namespace mustcite::validate {

/// The judge of labels that people gave.
inline constexpr const char* kPeople = "people";

/// Every citation is two questions: questions == agreed + adjudicated + open + not_in_catalog, always.
struct Published {
  std::uint64_t questions = 0;
  std::uint64_t agreed = 0;       ///< two raters or more, all of one mind
  std::uint64_t adjudicated = 0;  ///< the adjudicator decided
  std::uint64_t open = 0;         ///< raters differ, or fewer than two have answered
  std::uint64_t not_in_catalog = 0;
};

/// Makes the outcome of a study labels of the catalog: judge `people`, model the study's name, definition the
/// questions that were asked. They stand beside the labels of judges, who answer the wide question, and are
/// never mixed with them. Publishing again renews them.
Published publish(const Study& study, const std::string& name, store::Catalog& catalog, Date date);

}  // namespace mustcite::validate
