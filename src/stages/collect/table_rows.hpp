#pragma once

#include <string>
#include <vector>

#include "stages/collect/table.hpp"

// How the table is put together: each file of it adds rows.
namespace mustcite::collect {

/// Papers of one year: of the main conference, and with every track of the places read. 0: unknown.
struct Count {
  int year;
  std::size_t main;
  std::size_t all;
};

/// One row; `all` is `main` where it is not given.
void add(std::vector<Edition>& table, const char* venue, int year, std::vector<Place> parts, std::size_t main,
         std::size_t all = 0, std::vector<Place> alternatives = {}, std::string note = {});

/// ACL, EMNLP, NAACL.
void add_anthology(std::vector<Edition>& table);
/// AAAI and IJCAI.
void add_artificial_intelligence(std::vector<Edition>& table);
/// ICML, AISTATS, COLT and UAI before and beside PMLR's volumes.
void add_before_pmlr(std::vector<Edition>& table);

}  // namespace mustcite::collect
