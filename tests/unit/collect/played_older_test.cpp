// JMLR, UAI, ICLR and ICML on sites of their own, played whole and with one paper less. Pages are written by
// us after the sites' structure.
#include "unit/collect/played_layout.hpp"

namespace mustcite::collect {
namespace {

TEST(PlayedLayouts, JmlrVolumesOldAndNew) {
  // Closed and unclosed terms, rows; abstracts in a paragraph of their own and as bare text.
  for (const char* entry :
       {"<dl><dt>{1}</dt><dd><b><i>Ada Oak, Şule Yıldız</i></b>; 1(Oct):1&minus;48, 2000.<br>[<a "
        "href='14-24{0}.html'>abs</a>][<a href=/papers/volume1/14-24{0}.pdf>pdf</a>]</dd></dl>",
        "<dl><dt>{1}<dd><b><i>Ada Oak, Şule Yıldız</b></i>; (1):1--48<br>[<a href= 14-24{0}.html "
        ">abs</a>][<a target=_blank href=/papers/volume1/14-24{0}.pdf>pdf</a>]</dl>",
        "<table><tr><td><b>{1}</b><br><i>Ada Oak, Şule Yıldız</i> [<a "
        "href='14-24{0}.html'>abs</a>][<a href=/papers/volume1/14-24{0}.pdf>pdf</a>]</td></tr></"
        "table>"}) {
    for (const char* abstract :
         {"<p class=abstract>{}</p>", "<h3>Abstract</h3>{}<font color=gray>[abs]</font>"}) {
      expect_counts_to_be_checked(
          {"jmlr", 2000, {{Source::jmlr, "1"}}, [=](const std::string& address, std::size_t papers) {
             if (holds(address, ".html"))
               return "<h2>x</h2>" +
                      fmt::format(fmt::runtime(abstract), abstract_of(paper_in(address, ".html") % 10));
             return "<div id=content>" + repeated(papers, [&](std::size_t i) {
                      return fmt::format(fmt::runtime(entry), i, markup_title(i));
                    });
           }});
    }
  }
}

TEST(PlayedLayouts, AuaiTablesAndHeadings) {
  expect_counts_to_be_checked(
      {"uai", 2016, {{Source::auai, "uai2016/proceedings.php"}}, [](const std::string&, std::size_t papers) {
         return "<table>" + repeated(papers, [](std::size_t i) {
                  return fmt::format(
                      "<tr><td><b>ID: {0}</b> <a href='proceedings/papers/{0}.pdf'>(pdf)</a></td><td><div "
                      "class=collapse tabindex=1><b>{1}</b> +<div>{2}</div></div><i>Ada Oak, Univ. of X; "
                      "Şule Yıldız, Y "
                      "Labs</i></td></tr>",
                      i + 1, markup_title(i), abstract_of(i));
                });
       }});
  expect_counts_to_be_checked(
      {"uai", 2018, {{Source::auai, "uai2018/accepted.php"}}, [](const std::string&, std::size_t papers) {
         return "<table>" + repeated(papers, [](std::size_t i) {
                  return fmt::format(
                      "<tr><td><h5>ID: {0}<br><a "
                      "href='http://auai.org/uai2018/proceedings/papers/{0}.pdf'>link</a></h5>"
                      "</td><td><h4><p class=text-info>Best Paper</p></h4><h4>{1}</h4>Ada Oak, Univ. of X; "
                      "Şule Yıldız, "
                      "Y Labs<div class=collapse>{2}</div></td></tr>",
                      i + 1, markup_title(i), abstract_of(i));
                });
       }});
}

TEST(PlayedLayouts, IclrBeforeOpenReview) {
  expect_counts_to_be_checked({"iclr",
                               2014,
                               {{Source::iclr_sites, "2014/conference-proceedings/"}},
                               [](const std::string&, std::size_t papers) {
                                 return repeated(papers, [](std::size_t i) {
                                   return fmt::format(
                                       "<p><span style=font-weight:bold><a "
                                       "href=http://arxiv.org/abs/1312.000{}>{}</a></span></p><p><span "
                                       "style=font-style:italic>Ada Oak; Şule Yıldız</span></p>",
                                       i, markup_title(i));
                                 });
                               },
                               false});
  expect_counts_to_be_checked(
      {"iclr",
       2015,
       {{Source::iclr_wiki, "www/doku.php%3Fid=iclr2015:accepted-main.html"}},
       [](const std::string&, std::size_t papers) {
         const std::string list = repeated(papers, [](std::size_t i) {
           return fmt::format(
               "<li><div class=li><a href=http://arxiv.org/abs/1412.000{}>{}</a><br>Ada Oak, Şule "
               "Yıldız</div></li>",
               i, markup_title(i));
         });
         return "<h3>Main Conference - Oral Presentations</h3><ol>" + list +
                "</ol><h3>Main Conference - Poster Presentations</h3><ol>" + list + "</ol>";
       },
       false});
}

PlayedLayout icml(int year, const char* key, Play play, bool abstracts = true) {
  return {"icml", year, {{Source::icml_sites, key}}, std::move(play), abstracts};
}

/// One page of entries; {0} is the number, {1} the title, {2} the abstract.
Play entries(std::string before, std::string entry) {
  return [before = std::move(before), entry = std::move(entry)](const std::string&, std::size_t papers) {
    return "<html>" + before + repeated(papers, [&](std::size_t i) {
             return fmt::format(fmt::runtime(entry), i + 10, markup_title(i), abstract_of(i));
           });
  };
}

TEST(PlayedLayouts, IcmlOf2012LeavesOutWhatIsNotForTheProceedings) {
  const Play play = [](const std::string&, std::size_t papers) {
    return repeated(papers, [](std::size_t i) {
      return fmt::format(
          "<div class=paper id=paper-{0}><h2>{1}</h2><p class=authors>Ada Oak, Şule Yıldız<p "
          "class=type>Accepted<p class=abstract><strong>Abstract:</strong> {2}<p><a "
          "href=papers/{0}.pdf>ICML version (pdf)</a></div>",
          i + 10, markup_title(i), abstract_of(i));
    });
  };
  expect_counts_to_be_checked(icml(2012, "2012/papers.1.html", play));
  const Listing listing = read_icml_2012(
      "<div class=paper id=paper-7><h2>Talk</h2><p class=authors>A B - X; C D - Y<p class=type>Not for "
      "proceedings</div>",
      "https://icml.cc/2012/papers.1.html");
  EXPECT_EQ(listing.records.at(0).withdrawn, "marked as not for the proceedings");
  EXPECT_EQ(listing.records.at(0).authors, (std::vector<std::string>{"A B", "C D"}));
}

TEST(PlayedLayouts, IcmlOf2011WithAnInvitedTrack) {
  const std::string entry =
      "<a name='{0}'><h3 style='x'>{1} </h3>\n<span class='name'>Ada Oak, Şule Yıldız</span>\n<p "
      "style='x'><span style='font-weight:bold;'>Abstract:</span>{2} </p>\n<p>[<a "
      "href='papers/{0}_icmlpaper.pdf'>download</a>] [<a href='x'>discuss</a>]</p>\n";
  expect_counts_to_be_checked(
      icml(2011, "Conferences/2011/papers.php.html", entries("<h2>Papers</h2>", entry)));
  const Listing listing = read_icml_abstracts(
      fmt::format(fmt::runtime(entry), 1, "One", "Text.") +
          "<a name=\"cross\"><h2>Cross</h2></a><h3>Of Another Conference</h3><span class='name'>A B</span>",
      "https://icml.cc/Conferences/2011/papers.php.html");
  ASSERT_EQ(listing.problems.size() + listing.records.size(), 2U);
  EXPECT_EQ(listing.records.at(0).page_url, "https://icml.cc/Conferences/2011/papers.php.html#1");
  EXPECT_EQ(listing.records.at(0).abstract, "Text.");
}

TEST(PlayedLayouts, IcmlOf2010) {
  expect_counts_to_be_checked(icml(
      2010, "Conferences/2010/abstracts.html",
      entries(
          "<h3>Program</h3>",
          "<a name=\"{0}\"></a><p>Paper ID: {0}</p><h3>{1}</h3><p><em>Ada Oak (Univ. of X); Şule Yıldız (Y "
          "Labs)</em></p><p class=\"abstracts\">{2}</p><p class=\"discussion\">[<a "
          "href=\"papers/{0}.pdf\">Full "
          "Paper</a>]</p><hr><br />")));
}

TEST(PlayedLayouts, IcmlOf2009WithAMenu) {
  expect_counts_to_be_checked(icml(
      2009, "Conferences/2009/abstracts.html",
      entries(
          "<div id=left><h3><a name=\"10\"></a>For Participants</h3><p>Travel</p></div><div id=right_column>",
          "<h3><a name=\"{0}\"></a>{1}</h3>\n<p><i>Ada Oak and Şule Yıldız</i></p><p>paper ID: {0} "
          "</p><p>{2}</p>[<a href=\"papers/{0}.pdf\">Full paper</a>] [<a href=x>Discussion</a>] \n<hr/>")));
}

TEST(PlayedLayouts, IcmlOf2008) {
  expect_counts_to_be_checked(
      icml(2008, "Conferences/2008/abstracts.shtml.html",
           entries("<div class=content>",
                   "<a name=\"{0}\"></a><p>paper ID: {0}</p><h3>{1}</h3><p><i>Ada Oak and Şule "
                   "Yıldız</i><br></p><p>{2}</p><p>[<a href=\"papers/{0}.pdf\">Full paper</a>]</p><hr>")));
}

std::string cyberchair(const std::string& address) {
  return "<table><tr><th>Unsup ervised</th></tr><tr><td>Ada Oak - <i>X</i><br></td></tr><tr><td><pre>" +
         abstract_of(paper_in(address, ".htm") - 10) + "</pre></td></tr></table>";
}

TEST(PlayedLayouts, IcmlOf2007) {
  expect_counts_to_be_checked(
      icml(2007, "Conferences/2007/proceedings.html", [](const std::string& address, std::size_t papers) {
        if (holds(address, "/abstracts/")) return cyberchair(address);
        return entries("<div class=section id=all><h1>Papers</h1>",
                       "<div class=\"section\" id=\"s{0}\"><h2>{1}</h2><p><a class=reference "
                       "href=\"proceedings/abstracts/{0}.htm\">[Abstract]</a> <a "
                       "href=\"proceedings/papers/{0}.pdf\">[Paper]</a></p><blockquote><p>Ada Oak - Univ. of "
                       "X</p><p>Şule Yıldız - Y Labs</p></blockquote></div>")(address, papers);
      }));
}

TEST(PlayedLayouts, IcmlOf2005And2004) {
  expect_counts_to_be_checked(icml(2005, "Conferences/2005/proceedings.html",
                                   entries("<table>",
                                           "<tr class=\"proc_2005_link\"><td><a "
                                           "href=\"proceedings/papers/0{0}_A_Oak.pdf\">{1}</a></td></tr><tr "
                                           "class=\"proc_2005_authors\"><td>Ada Oak, Şule Yıldız</td></tr>"),
                                   false));
  expect_counts_to_be_checked(
      icml(2004, "Conferences/2004/proceedings.html", [](const std::string& address, std::size_t papers) {
        if (holds(address, "/abstracts/")) return cyberchair(address);
        return entries("<table class=proceedings>",
                       "<tr class=\"proc_2004_title\"><td>{1}</td></tr><tr><td><a "
                       "href=\"proceedings/abstracts/{0}.htm\">[Abstract]</a> <a "
                       "href=\"proceedings/papers/{0}.pdf\">[Paper]</a></td></tr><tr "
                       "class=\"proc_2004_authors\"><td>Ada Oak, Şule Yıldız</td></tr>")(address, papers);
      }));
}

TEST(PlayedLayouts, PagesOfLinksToPapers) {
  for (const char* entry : {"<li><a href=\"papers/{0}Oak.pdf\">{1}</a>, <em>Ada Oak, Şule Yıldız</em> <a "
                            "href=papers/{0}.ps>[ps]</a></li>",
                            "<p><a href=papers/{0}Oak.pdf>{1}</a>. Ada Oak, Şule Yıldız</p>"}) {
    expect_counts_to_be_checked({"colt",
                                 2010,
                                 {{Source::paper_links, "www.learningtheory.org/colt2010/papers.html"}},
                                 entries("<p><a href=book.pdf>pdf</a></p>", entry),
                                 false});
  }
}

}  // namespace
}  // namespace mustcite::collect
