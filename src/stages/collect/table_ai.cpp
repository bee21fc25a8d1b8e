// The table's rows for AAAI and IJCAI.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "stages/collect/table_rows.hpp"

namespace mustcite::collect {
namespace {

void add_aaai(std::vector<Edition>& table) {
  // Number of the conference and, where a saved page could be counted, the entries of its contents page.
  struct Library {
    int year;
    int number;
    std::size_t all;
  };
  constexpr std::array<Library, 7> library{{{2000, 17, 215},
                                            {2002, 18, 0},
                                            {2004, 19, 0},
                                            {2005, 20, 321},
                                            {2006, 21, 0},
                                            {2007, 22, 0},
                                            {2008, 23, 356}}};
  for (const Library& one : library) {
    add(table, "aaai", one.year,
        {{Source::aaai_library, fmt::format("Library/AAAI/aaai{:02}contents.php", one.year % 100)}}, 0,
        one.all, {{Source::aaai_pages, fmt::format("aaai-{:02}-{}", one.number, one.year)}},
        "only with --from-dir: the site asks for twelve hours between two requests");
  }
  constexpr std::array<Count, 17> counts{{{2010, 262, 333},
                                          {2011, 248, 329},
                                          {2012, 294, 383},
                                          {2013, 202, 277},
                                          {2014, 398, 474},
                                          {2015, 538, 674},
                                          {2016, 548, 691},
                                          {2017, 639, 786},
                                          {2018, 937, 1102},
                                          {2019, 1147, 1343},
                                          {2020, 1610, 1865},
                                          {2021, 1694, 1961},
                                          {2022, 1369, 1624},
                                          {2023, 1720, 2023},
                                          {2024, 2542, 2865},
                                          {2025, 3189, 3486},
                                          {2026, 4475, 4920}}};
  for (const Count& count : counts) {
    std::vector<Place> alternatives{{Source::aaai_oai, std::to_string(count.year)}};
    const int yy = count.year % 100;
    if (count.year == 2010) alternatives.push_back({Source::aaai_library, "Library/AAAI/aaai10contents.php"});
    if (count.year == 2011 || count.year == 2013 || count.year == 2014) {
      alternatives.push_back(
          {Source::aaai_library, fmt::format("Conferences/AAAI/{}/aaai{}accepts.php", count.year, yy)});
    }
    if (count.year <= 2022)
      alternatives.push_back({Source::aaai_pages, fmt::format("aaai-{}-{}", count.year - 1986, count.year)});
    add(table, "aaai", count.year, {{Source::aaai_ojs, std::to_string(count.year)}}, count.main, count.all,
        std::move(alternatives));
  }
}

void add_ijcai(std::vector<Edition>& table) {
  for (int year = 1977; year <= 2001; year += 2) {
    add(table, "ijcai", year, {{Source::ijcai_old, std::to_string(year)}}, 0, 0, {},
        "scanned papers, no abstracts");
  }
  constexpr std::array<Count, 8> old{{{2003, 0, 297},
                                      {2005, 0, 350},
                                      {2007, 0, 478},
                                      {2009, 0, 342},
                                      {2011, 0, 490},
                                      {2013, 0, 496},
                                      {2015, 0, 656},
                                      {2016, 0, 658}}};
  for (const Count& count : old) {
    add(table, "ijcai", count.year, {{Source::ijcai_old, std::to_string(count.year)}}, 0, count.all, {},
        "the layout of the list is known from its links only");
  }
  constexpr std::array<Count, 9> counts{{{2017, 660, 781},
                                         {2018, 709, 870},
                                         {2019, 799, 964},
                                         {2020, 592, 778},
                                         {2021, 586, 723},
                                         {2022, 678, 862},
                                         {2023, 644, 846},
                                         {2024, 790, 1048},
                                         {2025, 1013, 1276}}};
  for (const Count& count : counts) {
    add(table, "ijcai", count.year, {{Source::ijcai, std::to_string(count.year)}}, count.main, count.all, {},
        count.year >= 2024 ? "main: by the papers' numbers, up to the first special track" : "");
  }
  add(table, "ijcai", 2026, {{Source::ijcai_accepted, "main-track"}}, 713, 0, {{Source::ijcai, "2026"}},
      "the list of accepted papers: the proceedings were not out");
}

}  // namespace

void add_artificial_intelligence(std::vector<Edition>& table) {
  add_aaai(table);
  add_ijcai(table);
}

}  // namespace mustcite::collect
