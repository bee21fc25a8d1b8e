// CVF, ECVA and the ACL Anthology, played whole and with one paper less. Pages are written by us after the
// sites' structure.
#include "unit/collect/played_layout.hpp"

namespace mustcite::collect {
namespace {

/// A paper's page of CVF and ECVA.
std::string vision_page(std::size_t paper) {
  return fmt::format(
      "<div id=papertitle>x</div><div id=authors><b><i>Ada Oak, Şule Yıldız</i></b></div><div "
      "id=abstract>\"{}\"</div>",
      abstract_of(paper));
}

/// `path`: of the paper's page, with {} for its number.
std::string cvf_page(const std::string& address, std::size_t papers, const char* path, std::size_t from = 0) {
  if (holds(address, "/html/")) return vision_page(paper_in(address, "_Oak"));
  std::string page = "<div id=content><dl>";
  for (std::size_t i = from; i < papers; ++i) {
    const std::string url = fmt::format(fmt::runtime(path), i);
    page += fmt::format(
        "<dt class=ptitle><br><a href='{}'>{}</a></dt><dd><form class=authsearch><input name=query_author "
        "value='Ada Oak'></form><form class=authsearch><input name=query_author value='Şule "
        "Yıldız'></form></dd><dd>[<a href='papers/{}.pdf'>pdf</a>]</dd>",
        url, markup_title(i), i);
  }
  return page + "</dl></div>";
}

TEST(PlayedLayouts, CvfOfAllPathForms) {
  struct Book {
    const char* venue;
    int year;
    const char* key;
    const char* path;
  };
  for (const Book& book :
       {Book{"cvpr", 2013, "CVPR2013", "content_cvpr_2013/html/{}_Oak_2013_CVPR_paper.html"},
        Book{"iccv", 2015, "ICCV2015", "content_iccv_2015/html/{}_Oak_ICCV_2015_paper.html"},
        Book{"cvpr", 2019, "CVPR2019", "content_CVPR_2019/html/{}_Oak_CVPR_2019_paper.html"},
        Book{"cvpr", 2024, "CVPR2024", "/content/CVPR2024/html/{}_Oak_CVPR_2024_paper.html"}}) {
    expect_counts_to_be_checked({book.venue,
                                 book.year,
                                 {{Source::cvf, book.key}},
                                 [path = book.path](const std::string& address, std::size_t papers) {
                                   return cvf_page(address, papers, path);
                                 }});
  }
}

TEST(PlayedLayouts, CvfByDays) {
  const char* path = "content_cvpr_2018/html/{}_Oak_CVPR_2018_paper.html";
  const Play play = [path](const std::string& address, std::size_t papers) {
    // The paper of the first day is listed again on the second.
    if (holds(address, "day=2018-06-19")) return cvf_page(address, 1, path);
    if (holds(address, "day=2018-06-20") || holds(address, "/html/")) return cvf_page(address, papers, path);
    return std::string(
        "<div id=content><dl><dd><a href='CVPR2018?day=2018-06-19'>1</a></dd><dd><a "
        "href='CVPR2018?day=2018-06-20'>2</a></dd></dl></div>");
  };
  expect_counts_to_be_checked({"cvpr", 2018, {{Source::cvf, "CVPR2018 2018-06-19 2018-06-20"}}, play});
  expect_counts_to_be_checked({"cvpr", 2018, {{Source::cvf, "CVPR2018"}}, play});
}

TEST(PlayedLayouts, EcvaWithBothFormsOfNames) {
  for (const auto& [year, names] :
       {std::pair{2018, "Oak, Ada and Yıldız, Şule"}, {2024, "Ada Oak*, Şule Yıldız¹"}}) {
    expect_counts_to_be_checked(
        {"eccv",
         year,
         {{Source::ecva, std::to_string(year)}},
         [year = year, names = std::string(names)](const std::string& address, std::size_t papers) {
           if (holds(address, "/html/")) return vision_page(paper_in(address, "_ECCV_"));
           return fmt::format(
                      "<button class=accordion>ECCV {0} Papers</button><div class=accordion-content><dl>",
                      year) +
                  repeated(
                      papers,
                      [&](std::size_t i) {
                        return fmt::format(
                            "<dt class=ptitle><br><a "
                            "href=papers/eccv_{0}/papers_ECCV/html/{1}_ECCV_{0}_paper.php>{2}</a></"
                            "dt><dd>{3}</"
                            "dd><dd>[<a href='papers/eccv_{0}/papers_ECCV/papers/0000{1}.pdf'>pdf</a>]</dd>",
                            year, i, markup_title(i), names);
                      }) +
                  "</dl></div>";
         }});
  }
}

std::string anthology_xml(std::size_t papers, const char* collection, const char* volume, const char* id) {
  return fmt::format(
             "<collection id='{}'><volume id='{}'><meta><booktitle>Proceedings: Long "
             "Papers</booktitle></meta>"
             "<frontmatter/>",
             collection, volume) +
         repeated(papers,
                  [&](std::size_t i) {
                    return fmt::format(
                        "<paper "
                        "id='{0}'><title>{1}</title><author><first>Ada</first><last>Oak</last></"
                        "author><author><first>Şule</first><last>Yıldız</last></author><abstract>{2}</"
                        "abstract><url>{3}{0}</url></paper>",
                        i + 1, markup_title(i), abstract_of(i), id);
                  }) +
         "</volume></collection>";
}

TEST(PlayedLayouts, AnthologyXmlOldAndNew) {
  expect_counts_to_be_checked(
      {"acl", 2017, {{Source::acl_xml, "P17:1"}}, [](const std::string&, std::size_t papers) {
         return anthology_xml(papers, "P17", "1", "P17-100");
       }});
  expect_counts_to_be_checked(
      {"acl", 2024, {{Source::acl_xml, "2024.acl:long"}}, [](const std::string&, std::size_t papers) {
         return anthology_xml(papers, "2024.acl", "long", "2024.acl-long.");
       }});
  expect_counts_to_be_checked(
      {"acl", 2012, {{Source::acl_xml, "P12:*"}}, [](const std::string&, std::size_t papers) {
         return anthology_xml(papers, "P12", "1", "P12-100");
       }});
}

TEST(PlayedLayouts, AnthologyPages) {
  expect_counts_to_be_checked(
      {"acl", 2024, {{Source::acl_pages, "2024.acl:short"}}, [](const std::string&, std::size_t papers) {
         return fmt::format("<h2 id=title>Short Papers</h2><span class=badge>{} papers</span>", papers) +
                repeated(papers, [](std::size_t i) {
                  return fmt::format(
                      "<p class=d-sm-flex><a href='/2024.acl-short.{0}.pdf'>pdf</a><strong><a "
                      "class=align-middle "
                      "href='/2024.acl-short.{0}/'>{1}</a></strong><a href='/people/a/ada-oak/'>Ada Oak</a> "
                      "| <a "
                      "href='/people/s/sule/'>Şule Yıldız</a></p><div class=abstract-collapse "
                      "id=abstract-{0}><div class=card-body>{2}</div></div>",
                      i + 1, markup_title(i), abstract_of(i));
                });
       }});
}

}  // namespace
}  // namespace mustcite::collect
