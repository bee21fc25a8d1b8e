// How fast are pages parsed? Pages of real size and shape are made for each layout, read until a second has
// passed, and the answer is checked. Prints rows of a Markdown table.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <functional>
#include <string>

#include "core/base/error.hpp"
#include "stages/collect/clean.hpp"
#include "stages/collect/venues/openreview_rules.hpp"
#include "stages/collect/venues/readers.hpp"

namespace {

using namespace mustcite;
using namespace mustcite::collect;
using Clock = std::chrono::steady_clock;

const std::string kText =
    "We study how trees grow when light is scarce, and show that $O(n \\log n)$ leaves suffice &amp; that "
    "roots of any depth "
    "do; experiments on twelve forests confirm it, with margins that hold for every season, soil and species "
    "we could find. ";
const std::string kAbstract = kText + kText + kText + kText + kText;

std::string repeated(std::size_t count, const std::function<std::string(std::size_t)>& part) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part(i);
  return text;
}

void measure(const char* name, const std::string& page, std::size_t expected,
             const std::function<std::size_t()>& read) {
  if (const std::size_t got = read(); got != expected)
    fail(ErrorCode::internal, "{}: {} records instead of {}", name, got, expected);
  std::size_t rounds = 0;
  const auto begin = Clock::now();
  while (Clock::now() - begin < std::chrono::seconds(1)) {
    (void)read();
    ++rounds;
  }
  const double seconds =
      std::chrono::duration<double>(Clock::now() - begin).count() / static_cast<double>(rounds);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("| {} | {:.2f} MB, {} records | {:.1f} ms | {:.0f} | {:.0f} MB/s | {} MB |\n", name,
             static_cast<double>(page.size()) / 1e6, expected, seconds * 1e3,
             static_cast<double>(expected) / seconds, static_cast<double>(page.size()) / 1e6 / seconds,
             usage.ru_maxrss / 1024);
}

void lists() {
  const std::string neurips =
      "<ul class=\"paper-list\">" +
      repeated(4493,
               [](std::size_t i) {
                 return fmt::format(
                     "<li class=\"conference\" data-track=\"conference\"><div class=\"paper-content\"><a "
                     "title=\"paper title\" "
                     "href=\"/paper_files/paper/2024/hash/{:032x}-Abstract-Conference.html\">Trees of Kind "
                     "{}</a><span "
                     "class=\"paper-authors\">Ada Oak, Bo Elm, Cy Fir</span></div></li>\n",
                     i, i);
               }) +
      "</ul>";
  measure("NeurIPS year list", neurips, 4493, [&] {
    return read_neurips_list(neurips, "https://proceedings.neurips.cc/paper_files/paper/2024").records.size();
  });
  const std::string pmlr = repeated(2610, [](std::size_t i) {
    return fmt::format(
        "<div class=\"paper\"><p class=\"title\">Trees of Kind {0}</p><p class=\"details\"><span "
        "class=\"authors\">Ada&nbsp;Oak, "
        "Bo&nbsp;Elm</span>;<span class=\"info\"><i>Proc</i>, PMLR 235:1-30</span></p><p class=\"links\">[<a "
        "href=\"oak{0}a.html\">abs</a>]"
        "[<a "
        "href=\"https://raw.githubusercontent.com/mlresearch/v235/main/assets/oak{0}a/oak{0}a.pdf\">Download "
        "PDF</a>]</p></div>\n",
        i);
  });
  measure("PMLR volume page", pmlr, 2610,
          [&] { return read_pmlr_volume(pmlr, "https://proceedings.mlr.press/v235/").records.size(); });
  const std::string citeproc = "---\n" + repeated(2610, [](std::size_t i) {
                                 return fmt::format(
                                     "- title: 'Trees of Kind {0}'\n  abstract: {1}\n  id: oak{0}a\n  "
                                     "author:\n  - given: Ada\n    family: Oak\n",
                                     i, kAbstract);
                               });
  measure("PMLR citeproc", citeproc, 2610, [&] { return read_pmlr_citeproc(citeproc).size(); });
  const std::string cvf =
      "<div id=content><dl>" +
      repeated(2716,
               [](std::size_t i) {
                 return fmt::format(
                     "<dt class=\"ptitle\"><br><a "
                     "href=\"/content/CVPR2024/html/Oak_{0}_CVPR_2024_paper.html\">Trees "
                     "{0}</a></dt><dd><form class=\"authsearch\">"
                     "<input type=\"hidden\" name=\"query_author\" value=\"Ada Oak\"></form></dd><dd>[<a "
                     "href=\"/content/CVPR2024/papers/Oak_{0}.pdf\">pdf</a>]"
                     "<div class=\"bibref\">@InProceedings{{Oak, author = {{Oak, Ada}}}}</div></dd>\n",
                     i);
               }) +
      "</dl></div>";
  measure("CVF list", cvf, 2716, [&] {
    return read_cvf_list(cvf, "https://openaccess.thecvf.com/CVPR2024?day=all").records.size();
  });
}

void whole_files() {
  const std::string xml =
      "<collection id=\"2024.acl\"><volume id=\"long\"><meta><booktitle>Long Papers</booktitle></meta>" +
      repeated(2005,
               [](std::size_t i) {
                 return fmt::format(
                     "<paper id=\"{0}\"><title>Trees of <fixed-case>K</fixed-case>ind "
                     "{0}</title><author><first>Ada</first><last>Oak</last></author>"
                     "<author><first>Bo</first><last>Elm</last></author><abstract>{1}</abstract><url "
                     "hash=\"0\">2024.acl-long.{0}</url></paper>\n",
                     i + 1, kAbstract);
               }) +
      "</volume></collection>";
  measure("ACL Anthology XML of a year", xml, 2005, [&] { return read_acl_xml(xml).records.size(); });
  const std::string notes =
      "{\"notes\":[" +
      repeated(1000,
               [](std::size_t i) {
                 return fmt::format(
                     "{}{{\"id\":\"a{}\",\"forum\":\"a{}\",\"content\":{{\"title\":{{\"value\":\"Trees\"}},"
                     "\"authors\":{{\"value\":[\"Ada Oak\"]}},\"abstract\":{{\"value\":\"{}\"}},"
                     "\"venueid\":{{\"value\":\"ICLR.cc/2024/Conference\"}}}}}}",
                     i == 0 ? "" : ",", i, i,
                     "Plain text of some length, again and again, as abstracts are.");
               }) +
      "],\"count\":1000}";
  measure("OpenReview notes", notes, 1000, [&] { return read_openreview_notes(notes).notes.size(); });
}

void single_pages() {
  const std::string page =
      "<!doctype html><html><head><meta name=\"citation_title\" content=\"Trees\"><meta "
      "name=\"citation_author\" content=\"Oak, Ada\"></head><body>" +
      repeated(60,
               [](std::size_t) {
                 return std::string("<li class=\"nav\"><a href=\"/x\" class=\"link\">Menu</a></li>\n");
               }) +
      "<section><h2>Abstract</h2><p class=\"paper-abstract\"><p>" + kAbstract +
      "</p></p></section><div id=\"abstract\" class=\"abstract\">" + kAbstract + "</div></body></html>";
  measure("a paper's page", page, 1, [&] {
    Record record;
    read_neurips_paper(page, record);
    return record.abstract.empty() ? 0U : 1U;
  });
  Record record;
  record.id = "1";
  record.title = "Trees &amp; $O(n)$ H\\`elene";
  record.authors = {"Ada Oak, Bo Elm and Cy Fir"};
  record.abstract = kAbstract;
  Edition edition;
  edition.venue = "icml";
  edition.year = 2024;
  measure("cleaning a record", record.abstract, 1,
          [&] { return clean_record(edition, record).reject ? 0U : 1U; });
}

}  // namespace

int main() {
  fmt::print("| what | size | time | records/s | speed | peak memory so far |\n|---|---|---|---|---|---|\n");
  lists();
  whole_files();
  single_pages();
  return 0;
}
