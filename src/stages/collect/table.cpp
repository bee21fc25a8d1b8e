#include "stages/collect/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"

namespace mustcite::collect {
namespace {

/// Papers of one year: of the main conference, and with every track of the places read. 0: unknown.
struct Count {
  int year;
  std::size_t main;
  std::size_t all;
};

void add(std::vector<Edition>& table, const char* venue, int year, std::vector<Place> parts, std::size_t main,
         std::size_t all = 0, std::vector<Place> alternatives = {}, std::string note = {}) {
  table.push_back(
      {venue, year, std::move(parts), std::move(alternatives), main, all == 0 ? main : all, std::move(note)});
}

void add_neurips(std::vector<Edition>& table) {
  constexpr std::array<Count, 26> counts{
      {{2000, 152, 0},  {2001, 197, 0},    {2002, 207, 0},  {2003, 198, 0},  {2004, 207, 0},  {2005, 207, 0},
       {2006, 204, 0},  {2007, 217, 0},    {2008, 250, 0},  {2009, 262, 0},  {2010, 292, 0},  {2011, 306, 0},
       {2012, 370, 0},  {2013, 360, 0},    {2014, 411, 0},  {2015, 403, 0},  {2016, 569, 0},  {2017, 679, 0},
       {2018, 1009, 0}, {2019, 1428, 0},   {2020, 1898, 0}, {2021, 2508, 0}, {2022, 2834, 0}, {2023, 3540, 0},
       {2024, 4493, 0}, {2025, 5823, 5887}}};
  for (int year = 1987; year < 2000; ++year)
    add(table, "neurips", year, {{Source::neurips, std::to_string(year)}}, 0);
  for (const Count& count : counts) {
    const std::string year = std::to_string(count.year);
    std::vector<Place> parts{{Source::neurips, year}};
    std::vector<Place> alternatives;
    if (count.year == 2021) parts.push_back({Source::neurips_datasets, year});
    if (count.year >= 2021) alternatives = {{Source::openreview, "NeurIPS.cc/" + year}};
    add(table, "neurips", count.year, std::move(parts), count.main, count.all, std::move(alternatives),
        count.year == 2021 ? "2334 papers and 174 of the datasets track, on a host of its own" : "");
  }
}

struct Volume {
  int year;
  int number;
  std::size_t main;
};

template <std::size_t N>
void add_pmlr(std::vector<Edition>& table, const char* venue, const std::array<Volume, N>& volumes,
              const std::string& openreview, int openreview_since) {
  for (const Volume& volume : volumes) {
    std::vector<Place> alternatives;
    if (volume.year >= openreview_since)
      alternatives = {{Source::openreview, fmt::format("{}/{}", openreview, volume.year)}};
    add(table, venue, volume.year, {{Source::pmlr, fmt::format("v{}", volume.number)}}, volume.main, 0,
        std::move(alternatives));
  }
}

void add_pmlr_venues(std::vector<Edition>& table) {
  constexpr int kNever = 9999;
  constexpr std::array<Volume, 14> icml{{{2013, 28, 283},
                                         {2014, 32, 310},
                                         {2015, 37, 270},
                                         {2016, 48, 322},
                                         {2017, 70, 434},
                                         {2018, 80, 621},
                                         {2019, 97, 773},
                                         {2020, 119, 1084},
                                         {2021, 139, 1183},
                                         {2022, 162, 1233},
                                         {2023, 202, 1828},
                                         {2024, 235, 2610},
                                         {2025, 267, 3330},
                                         {2026, 306, 6341}}};
  constexpr std::array<Volume, 19> aistats{{{2007, 2, 0},
                                            {2009, 5, 84},
                                            {2010, 9, 126},
                                            {2011, 15, 107},
                                            {2012, 22, 158},
                                            {2013, 31, 71},
                                            {2014, 33, 122},
                                            {2015, 38, 126},
                                            {2016, 51, 164},
                                            {2017, 54, 167},
                                            {2018, 84, 216},
                                            {2019, 89, 360},
                                            {2020, 108, 423},
                                            {2021, 130, 455},
                                            {2022, 151, 492},
                                            {2023, 206, 496},
                                            {2024, 238, 547},
                                            {2025, 258, 583},
                                            {2026, 300, 587}}};
  constexpr std::array<Volume, 16> colt{{{2011, 19, 42},
                                         {2012, 23, 45},
                                         {2013, 30, 50},
                                         {2014, 35, 59},
                                         {2015, 40, 76},
                                         {2016, 49, 69},
                                         {2017, 65, 75},
                                         {2018, 75, 93},
                                         {2019, 99, 126},
                                         {2020, 125, 125},
                                         {2021, 134, 140},
                                         {2022, 178, 162},
                                         {2023, 195, 169},
                                         {2024, 247, 169},
                                         {2025, 291, 181},
                                         {2026, 336, 196}}};
  constexpr std::array<Volume, 8> uai{{{2019, 115, 119},
                                       {2020, 124, 140},
                                       {2021, 161, 206},
                                       {2022, 180, 230},
                                       {2023, 216, 243},
                                       {2024, 244, 201},
                                       {2025, 286, 229},
                                       {2026, 337, 0}}};
  add_pmlr(table, "icml", icml, "ICML.cc", 2023);
  add_pmlr(table, "aistats", aistats, "AISTATS.org", 2026);
  add_pmlr(table, "colt", colt, "", kNever);
  add_pmlr(table, "uai", uai, "", kNever);
}

void add_uai(std::vector<Edition>& table) {
  add(table, "uai", 2015, {{Source::auai, "uai2015/acceptedPapers.shtml"}}, 99);
  add(table, "uai", 2016, {{Source::auai, "uai2016/proceedings.php"}}, 85);
  add(table, "uai", 2017, {{Source::auai, "uai2017/accepted.php"}}, 87);
  add(table, "uai", 2018, {{Source::auai, "uai2018/accepted.php"}}, 104);
}

void add_iclr(std::vector<Edition>& table) {
  add(table, "iclr", 2013, {{Source::openreview, "ICLR.cc/2013"}}, 24);
  add(table, "iclr", 2014, {{Source::iclr_sites, "2014/conference-proceedings/"}}, 35, 0, {},
      "no abstracts on the page");
  for (const auto& [year, main] : {std::pair{2015, 31}, std::pair{2016, 80}}) {
    add(table, "iclr", year,
        {{Source::iclr_wiki, fmt::format("www/doku.php%3Fid=iclr{}:accepted-main.html", year)}},
        static_cast<std::size_t>(main), 0, {}, "no abstracts on the page");
  }
  constexpr std::array<Count, 10> counts{{{2017, 198, 0},
                                          {2018, 336, 0},
                                          {2019, 501, 0},
                                          {2020, 687, 0},
                                          {2021, 860, 0},
                                          {2022, 1095, 0},
                                          {2023, 1574, 0},
                                          {2024, 2260, 0},
                                          {2025, 3703, 0},
                                          {2026, 5352, 0}}};
  for (const Count& count : counts) {
    const std::string year = std::to_string(count.year);
    const Place openreview{Source::openreview, "ICLR.cc/" + year};
    const Place virtual_site{Source::virtual_site, "iclr.cc"};
    if (count.year == 2024 || count.year == 2025) {
      add(table, "iclr", count.year, {{Source::iclr_proceedings, year}}, count.main, 0,
          {openreview, virtual_site});
    } else {
      add(table, "iclr", count.year, {openreview}, count.main, 0,
          count.year >= 2020 ? std::vector{virtual_site} : std::vector<Place>{},
          "OpenReview wants an account");
    }
  }
}

struct Book {
  const char* venue;
  int year;
  const char* key;
  std::size_t main;
};

void add_vision(std::vector<Edition>& table) {
  constexpr std::array<Book, 21> books{
      {{"cvpr", 2013, "CVPR2013", 471},
       {"cvpr", 2014, "CVPR2014", 540},
       {"cvpr", 2015, "CVPR2015", 602},
       {"cvpr", 2016, "CVPR2016", 643},
       {"cvpr", 2017, "CVPR2017", 783},
       {"cvpr", 2018, "CVPR2018 2018-06-19 2018-06-20 2018-06-21", 979},
       {"cvpr", 2019, "CVPR2019 2019-06-18 2019-06-19 2019-06-20", 1294},
       {"cvpr", 2020, "CVPR2020 2020-06-16 2020-06-17 2020-06-18", 1466},
       {"cvpr", 2021, "CVPR2021", 1660},
       {"cvpr", 2022, "CVPR2022", 2071},
       {"cvpr", 2023, "CVPR2023", 2353},
       {"cvpr", 2024, "CVPR2024", 2713},
       {"cvpr", 2025, "CVPR2025", 2871},
       {"cvpr", 2026, "CVPR2026", 4068},
       {"iccv", 2013, "ICCV2013", 454},
       {"iccv", 2015, "ICCV2015", 526},
       {"iccv", 2017, "ICCV2017", 621},
       {"iccv", 2019, "ICCV2019 2019-10-29 2019-10-30 2019-10-31 2019-11-01", 1075},
       {"iccv", 2021, "ICCV2021", 1612},
       {"iccv", 2023, "ICCV2023", 2156},
       {"iccv", 2025, "ICCV2025", 2701}}};
  for (const Book& book : books) add(table, book.venue, book.year, {{Source::cvf, book.key}}, book.main);
  for (const auto& [year, main] : {std::pair{2018, 776}, {2020, 1358}, {2022, 1645}, {2024, 2387}}) {
    add(table, "eccv", year, {{Source::ecva, std::to_string(year)}}, static_cast<std::size_t>(main));
  }
}

struct Collections {
  const char* venue;
  int year;
  const char* key;
  std::size_t main;
  std::size_t all;
};

void add_acl(std::vector<Edition>& table) {
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

void add_aaai(std::vector<Edition>& table) {
  for (const int year : {2000, 2002, 2004, 2005, 2006, 2007, 2008}) {
    add(table, "aaai", year,
        {{Source::aaai_library, fmt::format("Library/AAAI/aaai{:02}contents.php", year % 100)}}, 0, 0, {},
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
    add(table, "aaai", count.year, {{Source::aaai_ojs, std::to_string(count.year)}}, count.main, count.all,
        std::move(alternatives));
  }
}

void add_ijcai(std::vector<Edition>& table) {
  add(table, "ijcai", 2016, {{Source::ijcai_old, "16"}}, 0, 0, {},
      "the layout of the list is known from its links only");
  constexpr std::array<Count, 9> counts{{{2017, 660, 781},
                                         {2018, 709, 870},
                                         {2019, 799, 964},
                                         {2020, 592, 778},
                                         {2021, 586, 723},
                                         {2022, 678, 862},
                                         {2023, 644, 846},
                                         {2024, 0, 1048},
                                         {2025, 0, 1276}}};
  for (const Count& count : counts) {
    add(table, "ijcai", count.year, {{Source::ijcai, std::to_string(count.year)}}, count.main, count.all);
  }
  add(table, "ijcai", 2026, {{Source::ijcai_accepted, "main-track"}}, 713, 0, {{Source::ijcai, "2026"}},
      "the list of accepted papers: the proceedings were not out");
}

void add_jmlr(std::vector<Edition>& table) {
  constexpr std::array<std::size_t, 27> counts{11,  30,  56,  56,  55,  73,  100, 91,  95,
                                               100, 118, 105, 119, 118, 120, 117, 236, 234,
                                               84,  184, 252, 290, 351, 400, 421, 308, 50};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const int year = 2000 + static_cast<int>(i);
    add(table, "jmlr", year, {{Source::jmlr, std::to_string(i + 1)}}, year == 2026 ? 0 : counts[i], 0, {},
        year == 2026 ? "a volume that still grows" : "");
  }
}

std::vector<Edition> make_table() {
  std::vector<Edition> table;
  add_neurips(table);
  add_pmlr_venues(table);
  add_uai(table);
  add_iclr(table);
  add_vision(table);
  add_acl(table);
  add_aaai(table);
  add_ijcai(table);
  add_jmlr(table);
  std::sort(table.begin(), table.end(), [](const Edition& a, const Edition& b) {
    return a.venue != b.venue ? a.venue < b.venue : a.year < b.year;
  });
  return table;
}

}  // namespace

const std::vector<Edition>& editions() {
  static const std::vector<Edition> table = make_table();
  return table;
}

std::vector<Edition> editions_of(const std::string& venue, int first, int last) {
  std::vector<Edition> found;
  std::string years;
  for (const Edition& edition : editions()) {
    if (edition.venue != venue) continue;
    years += fmt::format("{}{}", years.empty() ? "" : ", ", edition.year);
    if (edition.year >= first && edition.year <= last) found.push_back(edition);
  }
  if (years.empty()) {
    std::string names;
    for (const VenueName& known : venues()) names += (names.empty() ? "" : ", ") + known.name;
    fail(ErrorCode::usage, "there is no venue '{}'; known are {}", venue, names);
  }
  if (found.empty()) fail(ErrorCode::usage, "{} has no edition in these years; known are {}", venue, years);
  return found;
}

}  // namespace mustcite::collect
