#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/schema/paper.hpp"
#include "stages/import/item.hpp"

namespace mustcite::importing {

/// What is too large or too odd to be true. Documented in docs/verbs/import.md.
struct Limits {
  static constexpr std::size_t title_characters = 2000;
  static constexpr std::size_t abstract_bytes = 100'000;
  static constexpr std::size_t id_bytes = 300;
  static constexpr std::size_t name_bytes = 300;  ///< of an author, a venue, a track, a section, a marker
  static constexpr std::size_t authors = 5000;
  static constexpr std::size_t address_bytes = 2000;
  static constexpr std::size_t context_bytes = 20'000;
  static constexpr std::size_t contexts = 1000;
  static constexpr int mentions = 100'000;
  static constexpr int earliest_year = 1600;
};

/// Cleans every text of the paper, cuts what is too long (noted in `notes`), and says why the paper cannot be
/// taken.
[[nodiscard]] std::optional<std::string> clean_paper(Paper& paper, int latest_year,
                                                     std::vector<std::string>& notes);
[[nodiscard]] std::optional<std::string> clean_citation(Citation& citation, int latest_year,
                                                        std::vector<std::string>& notes);

/// Cleans and checks the content of an item in place; content that cannot be taken becomes Refused.
void check(Item& item, int latest_year);

}  // namespace mustcite::importing
