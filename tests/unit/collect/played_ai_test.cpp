// AAAI and IJCAI, played whole and with one paper less. Pages are written by us after the sites' structure.
#include "unit/collect/played_layout.hpp"

namespace mustcite::collect {
namespace {

TEST(PlayedLayouts, OjsIssuesAndArticles) {
  expect_counts_to_be_checked(
      {"aaai", 2020, {{Source::aaai_ojs, "2020"}}, [](const std::string& address, std::size_t papers) {
         if (holds(address, "issue/archive")) {
           return std::string(
               "<div class=obj_issue_summary><a class=title href=/index.php/AAAI/issue/view/5>Vol. 34 No. "
               "1</a></div>");
         }
         if (holds(address, "issue/view")) {
           return "<div class=sections><div class=section><h2>AAAI Technical Track: Vision</h2>" +
                  repeated(papers,
                           [](std::size_t i) {
                             return fmt::format(
                                 "<div class=obj_article_summary><h3 class=title><a "
                                 "href=/index.php/AAAI/article/view/{0}>{1}</a></h3><div class=authors>Ada "
                                 "Oak, Şule "
                                 "Yıldız</div><a class='obj_galley_link pdf' "
                                 "href=/index.php/AAAI/article/view/{0}/9>PDF</a></div>",
                                 i, markup_title(i));
                           }) +
                  "</div></div>";
         }
         const std::size_t paper = std::stoul(address.substr(address.rfind('/') + 1));
         return "<h1 class=page_title>x</h1><section class='item abstract'><h2 class=label>Abstract</h2>" +
                abstract_of(paper) + "</section>";
       }});
}

std::string oai_record(std::size_t i, int volume = 33) {
  return fmt::format(
      "<record><header><identifier>oai:ojs.aaai.org:article/{0}</identifier><setSpec>AAAI:ML</setSpec></"
      "header>"
      "<metadata><oai_dc:dc><dc:title>{1}</dc:title><dc:creator>Oak, Ada</dc:creator><dc:creator>Yıldız, "
      "Şule</dc:creator><dc:description>{2}</dc:description><dc:identifier>https://ojs.aaai.org/index.php/"
      "AAAI/"
      "article/view/{0}</dc:identifier><dc:source>Proceedings; Vol. {3} No. 01: AAAI-19; "
      "1-9</dc:source><dc:relation>https://ojs.aaai.org/index.php/AAAI/article/view/{0}/7</dc:relation></"
      "oai_dc:dc>"
      "</metadata></record>",
      i, markup_title(i), abstract_of(i), volume);
}

std::string oai(const std::string& verb, const std::string& inside) {
  return "<OAI-PMH><" + verb + ">" + inside + "</" + verb + "></OAI-PMH>";
}

const std::string kSets =
    oai("ListSets",
        "<set><setSpec>AAAI</setSpec><setName>Proceedings</setName></set><set><setSpec>AAAI:ML</"
        "setSpec><setName>AAAI Technical Track: Machine Learning</setName></set>");

TEST(PlayedLayouts, OaiInPages) {
  expect_counts_to_be_checked(
      {"aaai", 2019, {{Source::aaai_oai, "2019"}}, [](const std::string& address, std::size_t papers) {
         if (holds(address, "ListSets")) return kSets;
         // Another year's paper comes with them.
         if (holds(address, "resumptionToken"))
           return oai("ListRecords",
                      repeated(papers, [](std::size_t i) { return i == 0 ? "" : oai_record(i); }));
         return oai("ListRecords",
                    oai_record(0) + oai_record(100, 20) + "<resumptionToken>t1</resumptionToken>");
       }});
}

/// The article that breaks every answer it is in: the archive ends in an error, so does its set, and all
/// others are found record by record.
TEST(PlayedLayouts, OaiAroundARecordThatTheSiteCannotGive) {
  const PlayedLayout layout{
      "aaai", 2019, {{Source::aaai_oai, "2019"}}, [](const std::string& address, std::size_t papers) {
        if (holds(address, "ListSets")) return kSets;
        if (holds(address, "ListIdentifiers")) {
          return oai("ListIdentifiers", repeated(papers + 1, [](std::size_t i) {
                       return fmt::format(
                           "<header><identifier>oai:ojs.aaai.org:article/{}</identifier></header>", i);
                     }));
        }
        if (holds(address, "GetRecord")) {
          const std::size_t article = std::stoul(address.substr(address.rfind("%2F") + 3));
          return article < papers ? oai("GetRecord", oai_record(article)) : std::string("500");
        }
        if (holds(address, "resumptionToken") || holds(address, "set=")) return std::string("500");
        return oai("ListRecords", oai_record(0) + "<resumptionToken>t1</resumptionToken>");
      }};
  testing::SimulatedSite site([&](const std::string& address, std::size_t, httplib::Response& answer) {
    const std::string page = layout.play(address, kPlayedPapers);
    if (page == "500") {
      answer.status = 500;
    } else {
      answer.set_content(page, "text/xml");
    }
  });
  const testing::TempFolder folder;
  Options options;
  options.editions = {{"aaai", 2019, layout.places, {}, kPlayedPapers, kPlayedPapers, ""}};
  options.fetch.cache = folder / "cache";
  options.fetch.limit = {std::chrono::milliseconds(0), 1};
  options.fetch.first_pause = std::chrono::milliseconds(1);
  options.fetch.retries = 1;
  options.fetch.guard.gateway = site.gateway();
  store::Catalog catalog(folder / "catalog.sqlite", store::Catalog::Mode::create);
  Ledger ledger(folder / "collect.sqlite");
  TrackFilter tracks(folder / "tracks.tsv", "");
  SilentProgress progress;
  const EditionReport report = run(catalog, ledger, tracks, options, progress).editions.at(0);
  EXPECT_TRUE(report.is_whole()) << report.problem;
  EXPECT_EQ(report.main, kPlayedPapers);
  ASSERT_EQ(report.problems.size(), 3U) << "the archive, the set, and the one record";
  EXPECT_EQ(report.problems[2].item, "oai:ojs.aaai.org:article/3");
  ledger.each("aaai", 2019, [](const Provenance& one) {
    EXPECT_EQ(one.track, "AAAI Technical Track: Machine Learning") << "the set's name, not its code";
  });
}

TEST(PlayedLayouts, AaaiLibraryContents) {
  expect_counts_to_be_checked(
      {"aaai",
       2008,
       {{Source::aaai_library, "Library/AAAI/aaai08contents.php"}},
       [](const std::string& address, std::size_t papers) {
         if (holds(address, "/2008/")) {
           const std::size_t paper = paper_in(address, ".php");
           return "<h1>x</h1><p>" + abstract_of(paper) + std::string(60, '.') + "</p><a href='/Papers/" +
                  std::to_string(paper) + ".pdf'>PDF</a>";
         }
         return "<div id=box6><h4>Search</h4>" +
                repeated(papers,
                         [](std::size_t i) {
                           return fmt::format(
                               "<p class=left><a "
                               "href='http://www.aaai.org/Library/AAAI/2008/aaai08-00{}.php'>{}</a> / "
                               "3<br><i>Ada Oak, Şule Yıldız</i></p>",
                               i, markup_title(i));
                         }) +
                "</div>";
       }});
}

TEST(PlayedLayouts, AaaiListsOfAcceptedPapersLeadToNoFiles) {
  const PlayedLayout layout{"aaai",
                            2013,
                            {{Source::aaai_library, "Conferences/AAAI/2013/aaai13accepts.php"}},
                            [](const std::string&, std::size_t papers) {
                              return "<div id=box6><h4>Main Technical Track</h4>" +
                                     repeated(papers, [](std::size_t i) {
                                       return "<p>" + markup_title(i) + "<br><i>Ada Oak, Şule Yıldız</i></p>";
                                     });
                            }};
  const testing::TempFolder whole;
  EXPECT_TRUE(collect_played(layout, kPlayedPapers, whole).is_whole());
  const testing::TempFolder lacking;
  EXPECT_FALSE(collect_played(layout, kPlayedPapers - 1, lacking).mismatches.empty());
}

TEST(PlayedLayouts, AaaiPagesOfToday) {
  expect_counts_to_be_checked(
      {"aaai",
       2022,
       {{Source::aaai_pages, "aaai-36-2022"}},
       [](const std::string& address, std::size_t papers) {
         if (holds(address, "/proceeding/"))
           return std::string("<main class=content><ul><li><a href=/issue/one/>Track 1</a></li></ul></main>");
         if (holds(address, "/issue/")) {
           return "<main id=genesis-content><div class=track-wrap><h2>AAAI Technical Track on "
                  "Vision</h2><ul>" +
                  repeated(papers,
                           [](std::size_t i) {
                             return fmt::format(
                                 "<li><h5><a href='/papers/0638{0}-slug/'>{1}</a></h5><p>Ada Oak, Şule "
                                 "Yıldız</p><a "
                                 "class=wp-block-button href='/x/{0}.pdf'>PDF</a></li>",
                                 i, markup_title(i));
                           }) +
                  "</ul></div></main>";
         }
         return "<main id=genesis-content><h1>x</h1><h4>Abstract:</h4><p>" +
                abstract_of(paper_in(address, "-slug") % 10) +
                "</p><div class=pdf-button><a href='/x/a.pdf'>PDF</a></div></main>";
       }});
}

TEST(PlayedLayouts, IjcaiSince2017) {
  expect_counts_to_be_checked(
      {"ijcai", 2024, {{Source::ijcai, "2024"}}, [](const std::string& address, std::size_t papers) {
         if (!address.ends_with("/2024/")) {
           const std::size_t paper = std::stoul(address.substr(address.rfind('/') + 1)) - 1;
           return "<h1>IJCAI</h1><h1>x</h1><h2>Ada Oak, Şule Yıldız</h2><hr><div class=col-md-12>" +
                  abstract_of(paper) + "</div><div class=col-md-12><div class=keywords>k</div></div>";
         }
         return "<div class=section><div class=section_title><h3>Main Track</h3></div>" +
                repeated(papers, [](std::size_t i) {
                  return fmt::format(
                      "<div class=paper_wrapper id=paper{0}><div class=title>{1}</div><div class=authors>Ada "
                      "Oak, Şule "
                      "Yıldız</div><div class=details><a href=000{0}.pdf>PDF</a> | <a "
                      "href=/proceedings/2024/{0}> "
                      "Details</a></div></div>",
                      i + 1, markup_title(i));
                });
       }});
}

TEST(PlayedLayouts, IjcaiOf2016) {
  expect_counts_to_be_checked(
      {"ijcai", 2016, {{Source::ijcai_old, "2016"}}, [](const std::string& address, std::size_t papers) {
         if (holds(address, "/Abstract/")) {
           const std::size_t paper = std::stoul(address.substr(address.rfind('/') + 1));
           return "<div class=content><p>" + markup_title(paper) +
                  " / 2<br><i>Ada Oak, Şule Yıldız</i></p><p>" + abstract_of(paper) + "</p></div>";
         }
         return "<h3>Main Track</h3>" + repeated(papers, [](std::size_t i) {
                  return fmt::format(
                      "<p>{1} / 2<br><i>Ada Oak, Şule Yıldız</i> <a "
                      "href=/Proceedings/16/Papers/00{0}.pdf>PDF</a> <a "
                      "href=/Abstract/16/00{0}>Abstract</a></p>",
                      i, markup_title(i));
                });
       }});
}

TEST(PlayedLayouts, IjcaiListsOfTitles) {
  // 2007 to 2013, 2005, and the two volumes before 2003.
  expect_counts_to_be_checked(
      {"ijcai",
       2009,
       {{Source::ijcai_old, "2009"}},
       [](const std::string&, std::size_t papers) {
         return "<div id=content><p><a href=org.pdf>Organizing Committee</a></p><h2>IJCAI-09 "
                "Contents</h2><h3>Agents</h3>" +
                repeated(papers,
                         [](std::size_t i) {
                           return fmt::format(
                               "<p><a href='/papers09/Papers/IJCAI09-00{}.pdf'>{}</a> / "
                               "3<br><i>Ada Oak, Şule Yıldız</i></p>",
                               i, markup_title(i));
                         }) +
                "</div>";
       },
       false});
  expect_counts_to_be_checked({"ijcai",
                               2005,
                               {{Source::ijcai_old, "2005"}},
                               [](const std::string&, std::size_t papers) {
                                 return "<div id=content><p class=docsection>Agents</p>" +
                                        repeated(
                                            papers,
                                            [](std::size_t i) {
                                              return fmt::format(
                                                  "<p class=doctitle><a href='/papers/{}.pdf'>{}</a></p><p "
                                                  "class=docauthors>Ada Oak, Şule "
                                                  "Yıldız</p>",
                                                  i, markup_title(i));
                                            }) +
                                        "</div>";
                               },
                               false});
  expect_counts_to_be_checked({"ijcai",
                               1999,
                               {{Source::ijcai_old, "1999"}},
                               [](const std::string& address, std::size_t papers) {
                                 const bool first = holds(address, "1999-1");
                                 const std::size_t from = first ? 0 : 1;
                                 std::string page = "<div id=content><p><b>CONSTRAINT SATISFACTION</b></p>";
                                 for (std::size_t i = from; i < (first ? 1 : papers); ++i)
                                   page += fmt::format(
                                       "<p><a href='/PDF/99-{}.pdf'>{}</a><br>Ada Oak, Şule Yıldız</p>", i,
                                       markup_title(i));
                                 return page + "</div>";
                               },
                               false});
}

}  // namespace
}  // namespace mustcite::collect
