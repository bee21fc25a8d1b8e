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

/// A list of another layout: `entry` with {0} for the number, between `before` and `after`.
void measure_list(const char* name, std::size_t count, const std::string& before, const char* entry,
                  const std::string& after, const std::function<std::size_t(const std::string& page)>& read) {
  const std::string page =
      before +
      repeated(count, [&](std::size_t i) { return fmt::format(fmt::runtime(entry), i, kAbstract); }) + after;
  measure(name, page, count, [&] { return read(page); });
}

void more_lists() {
  measure_list("ECVA list of a year", 2387,
               "<button class=accordion>ECCV 2024 Papers</button><div class=accordion-content><dl>",
               "<dt class=ptitle><br><a href=papers/eccv_2024/papers_ECCV/html/{0}_ECCV_2024_paper.php>Trees "
               "{0}</a></dt><dd>Ada Oak*, Bo Elm¹</dd><dd>[<a href='papers/{0}.pdf'>pdf</a>] [<a "
               "href=\"https://link.springer.com/chapter/10.1007/978-3-{0}\">DOI</a>]</dd>\n",
               "</dl></div>", [](const std::string& page) {
                 return read_ecva_list(page, "https://www.ecva.net/papers.php", 2024).records.size();
               });
  measure_list(
      "ACL Anthology page", 864, "<h2 id=title>Long Papers</h2>",
      "<p class=d-sm-flex><a href='/2024.acl-long.{0}9.pdf'>pdf</a><strong><a class=align-middle "
      "href='/2024.acl-long.{0}9/'>Trees {0}</a></strong><a href='/people/a/oak/'>Ada Oak</a></p><div "
      "class=abstract-collapse id=abstract-{0}><div class=card-body>{1}</div></div>\n",
      "", [](const std::string& page) { return read_acl_page(page).records.size(); });
  measure_list(
      "OJS issue", 260, "<div class=sections><div class=section><h2>Vision</h2>",
      "<div class=obj_article_summary><h3 class=title><a href=/index.php/AAAI/article/view/{0}>Trees "
      "{0}</a></h3><div class=authors>Ada Oak, Bo Elm</div><a class='obj_galley_link pdf' "
      "href=/index.php/AAAI/article/view/{0}/9>PDF</a></div>\n",
      "</div></div>",
      [](const std::string& page) { return read_ojs_issue(page, "https://ojs.aaai.org/").records.size(); });
  measure_list("OAI-PMH page", 100, "<OAI-PMH><ListRecords>",
               "<record><header><identifier>oai:x:article/{0}</identifier><setSpec>AAAI:ML</setSpec></header>"
               "<metadata><oai_dc:dc><dc:title>Trees {0}</dc:title><dc:creator>Oak, Ada</dc:creator>"
               "<dc:description>{1}</dc:description><dc:source>P; Vol. 33 No. 01: A; 1-9</dc:source>"
               "</oai_dc:dc></metadata></record>\n",
               "</ListRecords></OAI-PMH>",
               [](const std::string& page) { return read_oai_records(page).records.size(); });
  measure_list("AAAI library contents", 357, "<div id=box6><h4>Search</h4>",
               "<p class=left><a href='http://www.aaai.org/Library/AAAI/2008/aaai08-{0}.php'>Trees {0}</a> / "
               "3<br><i>Ada Oak, Bo Elm</i></p>\n",
               "</div>", [](const std::string& page) {
                 return read_aaai_library(page, "https://www.aaai.org/Library/AAAI/x.php").records.size();
               });
  measure_list(
      "IJCAI year", 1048, "<div class=section_title><h3>Main Track</h3></div>",
      "<div class=paper_wrapper id=paper{0}><div class=title>Trees {0}</div><div class=authors>Ada Oak"
      "</div><div class=details><a href={0}.pdf>PDF</a> | <a href=/proceedings/2024/{0}>Details</a>"
      "</div></div>\n",
      "", [](const std::string& page) {
        return read_ijcai_list(page, "https://www.ijcai.org/proceedings/2024/").records.size();
      });
  measure_list("JMLR volume", 421, "<div id=content><dl>",
               "<dt>Trees {0}</dt><dd><b><i>Ada Oak, Bo Elm</i></b>; ({0}):1&minus;48, 2024.<br>[<a "
               "href='24-{0}.html'>abs</a>][<a href=/papers/volume25/24-{0}.pdf>pdf</a>]</dd>\n",
               "</dl></div>", [](const std::string& page) {
                 return read_jmlr_volume(page, "https://jmlr.org/papers/v25/").records.size();
               });
  measure_list(
      "auai.org table", 100, "<table>",
      "<tr><td><b>ID: {0}</b><a href='papers/{0}.pdf'>pdf</a></td><td><div class=collapse><b>Trees {0}"
      "</b> +<div>{1}</div></div><i>Ada Oak, X; Bo Elm, Y</i></td></tr>\n",
      "</table>", [](const std::string& page) {
        return read_auai_table(page, "https://www.auai.org/uai2016/x.php").records.size();
      });
  measure_list("ICML before PMLR", 160, "",
               "<a name=\"{0}\"></a><p>paper ID: {0}</p><h3>Trees {0}</h3><p><i>Ada Oak and Bo Elm</i></p>"
               "<p>{1}</p><p>[<a href=\"papers/{0}.pdf\">Full paper</a>]</p><hr>\n",
               "", [](const std::string& page) {
                 return read_icml_abstracts(page, "https://icml.cc/Conferences/2008/x.html").records.size();
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
  const std::string bib = repeated(2610, [](std::size_t i) {
    return fmt::format(
        "@InProceedings{{pmlr-v235-oak{0}a,\n  title = {{Trees of Kind {0}}},\n  author = {{Oak, Ada and "
        "Elm, "
        "Bo}},\n  abstract = {{{1}}}\n}}\n",
        i, kAbstract);
  });
  measure("PMLR BibTeX", bib, 2610, [&] { return read_pmlr_bib(bib).size(); });
  const std::string poster =
      "{\"results\":[" +
      repeated(2260,
               [](std::size_t i) {
                 return fmt::format(
                     "{}{{\"id\":{},\"name\":\"Trees\",\"abstract\":\"Plain text of some length, as "
                     "abstracts are.\",\"authors\":[{{\"fullname\":\"Ada Oak\"}}]}}",
                     i == 0 ? "" : ",", i);
               }) +
      "]}";
  measure("virtual site JSON", poster, 2260, [&] { return read_virtual_site(poster).records.size(); });
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
  more_lists();
  whole_files();
  single_pages();
  return 0;
}
