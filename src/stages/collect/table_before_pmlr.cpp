// The table's rows for ICML, AISTATS, COLT and UAI where PMLR has no volume of their year.
#include <array>

#include "stages/collect/table_rows.hpp"

namespace mustcite::collect {
namespace {

struct Page {
  int year;
  const char* key;
  std::size_t main;
  std::size_t all;
  const char* note;
};

void add_icml(std::vector<Edition>& table) {
  add(table, "icml", 2003, {{Source::aaai_library, "Library/ICML/icml03contents.php"}}, 117, 0, {},
      "only with --from-dir: the site asks for twelve hours between two requests");
  add(table, "icml", 2006, {{Source::paper_links, "icml.cc/Conferences/2006/proceedings.html"}}, 140, 0, {},
      "no abstracts on the page");
  constexpr std::array<Page, 8> pages{
      {{2004, "Conferences/2004/proceedings.html", 118, 0, ""},
       {2005, "Conferences/2005/proceedings.html", 133, 0, "no abstracts on the page"},
       {2007, "Conferences/2007/proceedings.html", 150, 0, ""},
       {2008, "Conferences/2008/abstracts.shtml.html", 158, 0, ""},
       {2009, "Conferences/2009/abstracts.html", 160, 0, ""},
       {2010, "Conferences/2010/abstracts.html", 159, 0, ""},
       {2011, "Conferences/2011/papers.php.html", 152, 160, "8 of other conferences, invited"},
       {2012, "2012/papers.1.html", 243, 247, "4 not for the proceedings"}}};
  for (const Page& page : pages)
    add(table, "icml", page.year, {{Source::icml_sites, page.key}}, page.main, page.all, {}, page.note);
}

void add_reissues(std::vector<Edition>& table) {
  constexpr std::array<Count, 6> reissues{
      {{1995, 0, 0}, {1997, 57, 0}, {1999, 0, 0}, {2001, 46, 0}, {2003, 44, 0}, {2005, 56, 0}}};
  int number = 0;
  for (const Count& one : reissues) {
    add(table, "aistats", one.year, {{Source::pmlr, "r" + std::to_string(number++)}}, one.main, 0, {},
        "reissued by PMLR");
  }
}

void add_colt(std::vector<Edition>& table) {
  constexpr std::array<Page, 3> pages{
      {{2008, "www.learningtheory.org/colt2008/", 0, 0, ""},
       {2009, "www.learningtheory.org/colt2009/", 0, 0, ""},
       {2010, "www.learningtheory.org/colt2010/conference-website/papers.html", 0, 0, ""}}};
  for (const Page& page : pages)
    add(table, "colt", page.year, {{Source::paper_links, page.key}}, 0, 0, {}, "no abstracts on the page");
}

void add_uai(std::vector<Edition>& table) {
  add(table, "uai", 2015, {{Source::auai, "uai2015/acceptedPapers.shtml"}}, 99);
  add(table, "uai", 2016, {{Source::auai, "uai2016/proceedings.php"}}, 85);
  add(table, "uai", 2017, {{Source::auai, "uai2017/accepted.php"}}, 87);
  add(table, "uai", 2018, {{Source::auai, "uai2018/accepted.php"}}, 104);
}

}  // namespace

void add_before_pmlr(std::vector<Edition>& table) {
  add_icml(table);
  add_reissues(table);
  add_colt(table);
  add_uai(table);
}

}  // namespace mustcite::collect
