// The table's rows for the ACL Anthology.
#include <fmt/format.h>

#include <array>

#include "stages/collect/table_rows.hpp"

namespace mustcite::collect {
namespace {

struct Collections {
  const char* venue;
  int year;
  const char* key;
  std::size_t main;
  std::size_t all;
};

void add_known(std::vector<Edition>& table) {
  constexpr std::array<Collections, 27> years{{
      {"acl", 2017, "P17:1,2,3,4,5", 302, 352},
      {"acl", 2018, "P18:1,2,3,4,5", 381, 435},
      {"acl", 2019, "P19:1,2,3,4", 660, 763},
      {"acl", 2020, "2020.acl:main,demos,srw,tutorials", 778, 871},
      {"acl", 2021, "2021.acl:long,short,srw,demo,tutorials 2021.findings:acl", 710, 1252},
      {"acl", 2022, "2022.acl:long,short,srw,demo,tutorials 2022.findings:acl", 700, 1105},
      {"acl", 2023, "2023.acl:long,short,demo,srw,industry,tutorials 2023.findings:acl", 1075, 2150},
      {"acl", 2024, "2024.acl:long,short,demos,srw,tutorials 2024.findings:acl", 940, 2005},
      {"acl", 2025, "2025.acl:long,short,industry 2025.findings:acl", 1699, 3195},
      {"emnlp", 2017, "D17:1,2,3", 323, 351},
      {"emnlp", 2018, "D18:1,2,3", 549, 584},
      {"emnlp", 2019, "D19:1,2,3", 681, 732},
      {"emnlp", 2020, "2020.emnlp:main,demos,tutorials 2020.findings:emnlp", 751, 1234},
      {"emnlp", 2021, "2021.emnlp:main,demo,tutorials 2021.findings:emnlp", 847, 1319},
      {"emnlp", 2022, "2022.emnlp:main,tutorials,demos,industry 2022.findings:emnlp", 828, 1489},
      {"emnlp", 2023, "2023.emnlp:main,tutorial,demo,industry 2023.findings:emnlp", 1047, 2242},
      {"emnlp", 2024, "2024.emnlp:main,demo,industry,tutorials 2024.findings:emnlp", 1268, 2450},
      {"emnlp", 2025, "2025.emnlp:main,industry 2025.findings:emnlp", 1809, 0},
      {"naacl", 2013, "N13:1,2,3,4", 140, 168},
      {"naacl", 2015, "N15:1,2,3,4", 186, 239},
      {"naacl", 2016, "N16:1,2,3,4", 181, 224},
      {"naacl", 2018, "N18:1,2,3,4,5,6", 330, 403},
      {"naacl", 2019, "N19:1,2,3,4,5", 423, 500},
      {"naacl", 2021, "2021.naacl:main,demos,srw,tutorials,industry", 477, 560},
      {"naacl", 2022, "2022.naacl:main,srw,demo,tutorials,industry 2022.findings:naacl", 442, 747},
      {"naacl", 2024, "2024.naacl:long,short,demo,srw,tutorials,industry 2024.findings:naacl", 562, 958},
      {"naacl", 2025, "2025.naacl:long,short,industry,srw,tutorial,demo 2025.findings:naacl", 718, 1377},
  }};
  for (const Collections& year : years) {
    add(table, year.venue, year.year, {{Source::acl_xml, year.key}}, year.main, year.all,
        {{Source::acl_pages, year.key}});
    table.back().expected_all = year.all;
  }
}

/// Older collections hold a conference each; what their volumes are is told by their titles.
void add_whole_collections(std::vector<Edition>& table, const char* venue, char letter,
                           const std::vector<int>& years) {
  for (const int year : years) {
    const std::string key = fmt::format("{}{:02}:*", letter, year % 100);
    add(table, venue, year, {{Source::acl_xml, key}}, 0, 0, {}, "few abstracts before 2017");
  }
}

std::vector<int> range(int first, int last) {
  std::vector<int> years;
  for (int year = first; year <= last; ++year) years.push_back(year);
  return years;
}

}  // namespace

void add_anthology(std::vector<Edition>& table) {
  add_known(table);
  add_whole_collections(table, "acl", 'P', range(2000, 2016));
  add_whole_collections(table, "emnlp", 'D', range(2006, 2016));
  add_whole_collections(table, "naacl", 'N', {2001, 2003, 2004, 2006, 2007, 2009, 2010, 2012});
}

}  // namespace mustcite::collect
