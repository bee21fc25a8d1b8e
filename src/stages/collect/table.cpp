#include "stages/collect/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "stages/collect/table_rows.hpp"

namespace mustcite::collect {
namespace {

void add_neurips(std::vector<Edition>& table) {
  constexpr std::array<Count, 39> counts{
      {{1987, 90, 0},   {1988, 94, 0},   {1989, 101, 0},    {1990, 143, 0},  {1991, 144, 0},  {1992, 127, 0},
       {1993, 158, 0},  {1994, 140, 0},  {1995, 152, 0},    {1996, 152, 0},  {1997, 150, 0},  {1998, 151, 0},
       {1999, 150, 0},  {2000, 152, 0},  {2001, 197, 0},    {2002, 207, 0},  {2003, 198, 0},  {2004, 207, 0},
       {2005, 207, 0},  {2006, 204, 0},  {2007, 217, 0},    {2008, 250, 0},  {2009, 262, 0},  {2010, 292, 0},
       {2011, 306, 0},  {2012, 370, 0},  {2013, 360, 0},    {2014, 411, 0},  {2015, 403, 0},  {2016, 569, 0},
       {2017, 679, 0},  {2018, 1009, 0}, {2019, 1428, 0},   {2020, 1898, 0}, {2021, 2508, 0}, {2022, 2834, 0},
       {2023, 3540, 0}, {2024, 4493, 0}, {2025, 5823, 5887}}};
  for (const Count& count : counts) {
    const std::string year = std::to_string(count.year);
    std::vector<Place> parts{{Source::neurips, year}};
    std::vector<Place> alternatives;
    if (count.year == 2021) parts.push_back({Source::neurips_datasets, year});
    if (count.year >= 2021) alternatives = {{Source::openreview, "NeurIPS.cc/" + year}};
    add(table, "neurips", count.year, std::move(parts), count.main, count.all, std::move(alternatives),
        count.year == 2021 ? "2334 papers and 174 of the datasets track, on a host of its own" : "");
  }
  add(table, "neurips", 2026, {{Source::openreview, "NeurIPS.cc/2026"}}, 0, 0,
      {{Source::virtual_site, "neurips.cc"}}, "the proceedings are not out; OpenReview wants an account");
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
    if (volume.year >= openreview_since && openreview == "ICML.cc")
      alternatives.push_back({Source::virtual_site, "icml.cc"});
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
  add_before_pmlr(table);
  add_iclr(table);
  add_vision(table);
  add_anthology(table);
  add_artificial_intelligence(table);
  add_jmlr(table);
  std::sort(table.begin(), table.end(), [](const Edition& a, const Edition& b) {
    return a.venue != b.venue ? a.venue < b.venue : a.year < b.year;
  });
  return table;
}

}  // namespace

void add(std::vector<Edition>& table, const char* venue, int year, std::vector<Place> parts, std::size_t main,
         std::size_t all, std::vector<Place> alternatives, std::string note) {
  table.push_back(
      {venue, year, std::move(parts), std::move(alternatives), main, all == 0 ? main : all, std::move(note)});
}

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
  if (found.empty()) {
    std::string why;
    for (const Gap& gap : gaps()) {
      if (gap.venue == venue && gap.first <= last && first <= gap.last)
        why += fmt::format("; {}-{}: {}", gap.first, gap.last, gap.reason);
    }
    fail(ErrorCode::usage, "{} has no edition in these years; known are {}{}", venue, years, why);
  }
  return found;
}

}  // namespace mustcite::collect
