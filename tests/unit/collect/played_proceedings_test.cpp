// NeurIPS, ICLR's proceedings, PMLR and OpenReview, played whole and with one paper less. Pages are written
// by us after the sites' structure.
#include "unit/collect/played_layout.hpp"

namespace mustcite::collect {
namespace {

/// A paper's page with citation_* metas and the abstract in `around` ("<div id=abstract>{}</div>").
std::string paper_page(std::size_t paper, const std::string& abstract) {
  return fmt::format(
      "<html><meta name=citation_title content=\"{}\"><meta name=citation_author content=\"Oak, Ada\"><meta "
      "name=citation_author content=\"Yıldız, Şule\"><h1 class=paper-title>x</h1>{}</html>",
      markup_title(paper), abstract);
}

std::string neurips_page(const std::string& address, std::size_t papers, const std::string& suffix,
                         const std::string& entry_end) {
  if (holds(address, "-Abstract")) {
    return paper_page(paper_in(address, "-Abstract"),
                      "<section><h2>Abstract</h2><p class=paper-abstract><p>" +
                          abstract_of(paper_in(address, "-Abstract")) + "</p></p></section>");
  }
  if (holds(address, "/file/")) return "";
  const std::string year = address.substr(address.rfind('/') + 1, 4);
  return fmt::format("<span class=paper-count>{} papers</span><ul class=paper-list>", papers) +
         repeated(papers,
                  [&](std::size_t i) {
                    return fmt::format(
                        "<li data-track=none><a title='paper title' "
                        "href='/paper_files/paper/{}/hash/{:032}-Abstract{}.html'>{}</a>{}</li>",
                        year, i, suffix, markup_title(i), entry_end);
                  }) +
         "</ul>";
}

const std::string kSpan = "<span class=paper-authors>Ada Oak, Şule Yıldız</span>";

TEST(PlayedLayouts, NeurIpsUpTo2021) {
  expect_counts_to_be_checked(
      {"neurips", 2019, {{Source::neurips, "2019"}}, [](const std::string& address, std::size_t papers) {
         return neurips_page(address, papers, "", kSpan);
       }});
}

TEST(PlayedLayouts, NeurIpsWithTracks) {
  for (const char* suffix : {"-Conference", "-Datasets_and_Benchmarks", "-Datasets_and_Benchmarks_Track"}) {
    expect_counts_to_be_checked({"neurips",
                                 2023,
                                 {{Source::neurips, "2023"}},
                                 [suffix](const std::string& address, std::size_t papers) {
                                   return neurips_page(address, papers, suffix, kSpan);
                                 }});
  }
}

TEST(PlayedLayouts, NeurIps2025InTwoVolumes) {
  expect_counts_to_be_checked(
      {"neurips", 2025, {{Source::neurips, "2025"}}, [](const std::string& address, std::size_t papers) {
         if (!address.ends_with("/2025")) return neurips_page(address, papers, "-Conference", kSpan);
         return std::string(
             "<span class=paper-count>0 papers</span><a "
             "href=/paper_files/paper/2025/vol38-main-conference>see also</a>");
       }});
}

TEST(PlayedLayouts, NeurIpsDatasetsOf2021) {
  expect_counts_to_be_checked({"neurips",
                               2021,
                               {{Source::neurips_datasets, "2021"}},
                               [](const std::string& address, std::size_t papers) {
                                 return neurips_page(address, papers, "-round2",
                                                     "<i>Ada Oak, Şule Yıldız</i>");
                               }});
}

TEST(PlayedLayouts, IclrProceedings) {
  expect_counts_to_be_checked({"iclr",
                               2024,
                               {{Source::iclr_proceedings, "2024"}},
                               [](const std::string& address, std::size_t papers) {
                                 return neurips_page(address, papers, "-Conference", kSpan);
                               }});
}

TEST(PlayedLayouts, NeurIpsMetadataWhereThePageIsGone) {
  const PlayedLayout layout{
      "neurips", 2019, {{Source::neurips, "2019"}}, [](const std::string& address, std::size_t papers) {
        if (holds(address, "-Metadata.json")) {
          return fmt::format(
              "{{\"abstract\":\"{}\",\"authors\":[{{\"given_name\":\"Ada\",\"family_name\":\"Oak\"}},{{"
              "\"given_"
              "name\":\"Şule\",\"family_name\":\"Yıldız\",\"institution\":null}}]}}",
              abstract_of(paper_in(address, "-Metadata")));
        }
        if (holds(address, "-Abstract")) {
          // One is gone, one has another layout, one has no abstract.
          const std::size_t paper = paper_in(address, "-Abstract");
          return paper == 0 ? "" : paper == 1 ? "<html><div id=app></div></html>" : paper_page(paper, "");
        }
        return neurips_page(address, papers, "", kSpan);
      }};
  expect_counts_to_be_checked(layout);
  const testing::TempFolder folder;
  const EditionReport report = collect_played(layout, kPlayedPapers, folder);
  EXPECT_EQ(report.details_read, 3U);
  EXPECT_EQ(report.problem, "2 papers' pages could not be read; a file beside them was");
  ASSERT_EQ(report.problems.size(), 2U) << "what was wrong with the pages is said";
  EXPECT_NE(report.problems[1].reason.find("layout changed"), std::string::npos) << report.problems[1].reason;
}

std::string pmlr_volume(const std::string& title, std::size_t papers) {
  return "<h2>" + title + "</h2><h3>Original Papers</h3>" + repeated(papers, [](std::size_t i) {
           return fmt::format(
               "<div class=paper><p class=title>{0}</p><p class=details><span "
               "class=authors>Ada&nbsp;Oak,&nbsp;Şule&nbsp;Yıldız</span></p><p class=links>[<a "
               "href='Oak{1}.html'>abs</a>][<a href='Oak{1}/Oak{1}.pdf'>Download PDF</a>]</p></div>",
               markup_title(i), i);
         });
}

TEST(PlayedLayouts, PmlrFromItsFiles) {
  expect_counts_to_be_checked(
      {"colt", 2019, {{Source::pmlr, "v99"}}, [](const std::string& address, std::size_t papers) {
         if (!holds(address, "citeproc")) return pmlr_volume("Volume 99: COLT", papers);
         return "---\n" + repeated(papers, [](std::size_t i) {
                  return fmt::format(
                      "- id: Oak{}\n  title: x\n  abstract: {}\n  author:\n  - given: Ada\n    family: Oak\n "
                      " - "
                      "given: Şule\n    family: Yıldız\n",
                      i, abstract_of(i));
                });
       }});
}

TEST(PlayedLayouts, PmlrPageByPageAndReissues) {
  expect_counts_to_be_checked(
      {"aistats", 2001, {{Source::pmlr, "r3"}}, [](const std::string& address, std::size_t papers) {
         if (holds(address, "/assets/")) return std::string();
         if (!address.ends_with(".html")) return pmlr_volume("Volume R3: AISTATS", papers);
         const std::size_t paper = paper_in(address, ".html");
         return paper_page(paper, "<div id=abstract class=abstract>" + abstract_of(paper) + "</div>");
       }});
}

std::string v2_notes(std::size_t papers) {
  std::string notes;
  for (std::size_t i = 0; i < papers; ++i) {
    notes += fmt::format(
        "{}{{\"id\":\"n{}\",\"forum\":\"n{}\",\"content\":{{\"title\":{{\"value\":\"{}\"}},\"authors\":{{"
        "\"value\":["
        "\"Ada Oak\",\"Şule "
        "Yıldız\"]}},\"abstract\":{{\"value\":\"{}\"}},\"venueid\":{{\"value\":\"ICLR.cc/2024/"
        "Conference\"}},\"pdf\":{{\"value\":\"/pdf/{}.pdf\"}}}}}}",
        i == 0 ? "" : ",", i, i, json_title(i), abstract_of(i), i);
  }
  return fmt::format("{{\"notes\":[{}],\"count\":{}}}", notes, papers);
}

TEST(PlayedLayouts, OpenReviewVersion2) {
  expect_counts_to_be_checked(
      {"iclr", 2024, {{Source::openreview, "ICLR.cc/2024"}}, [](const std::string&, std::size_t papers) {
         return v2_notes(papers);
       }});
}

/// `said`: what makes a note of the year accepted.
std::string v1_notes(std::size_t papers, const std::string& content, const std::string& details) {
  std::string notes;
  for (std::size_t i = 0; i < papers; ++i) {
    notes += fmt::format(
        "{}{{\"id\":\"n{}\",\"forum\":\"n{}\",\"invitation\":\"X/-/"
        "Blind_Submission\",\"content\":{{\"title\":\"{}"
        "\",\"authors\":[\"Ada Oak\",\"Şule Yıldız\"],\"abstract\":\"{}\"{}}}{}}}",
        i == 0 ? "" : ",", i, i, json_title(i), abstract_of(i), content, details);
  }
  return fmt::format("{{\"notes\":[{}],\"count\":{}}}", notes, papers);
}

TEST(PlayedLayouts, OpenReviewVersion1ByTheVenue) {
  for (const auto& [year, venue] : {std::pair{2017, "ICLR 2017 Poster"},
                                    {2021, "ICLR 2021 Oral"},
                                    {2022, "ICLR 2022 Spotlight"},
                                    {2023, "ICLR 2023 notable top 25%"}}) {
    expect_counts_to_be_checked({"iclr",
                                 year,
                                 {{Source::openreview, fmt::format("ICLR.cc/{}", year)}},
                                 [venue = std::string(venue)](const std::string&, std::size_t papers) {
                                   return v1_notes(papers, ",\"venue\":\"" + venue + "\"", "");
                                 }});
  }
}

TEST(PlayedLayouts, OpenReviewVersion1ByDecisions) {
  const auto reply = [](const char* name, const char* field, const char* said) {
    return fmt::format(
        ",\"details\":{{\"directReplies\":[{{\"invitation\":\"{}\",\"content\":{{\"{}\":\"{}\"}}}}]}}", name,
        field, said);
  };
  for (const auto& [year, details] :
       {std::pair{2019, reply("Paper1/-/Meta_Review", "recommendation", "Accept (Poster)")},
        {2020, reply("Paper1/-/Decision", "decision", "Accept (Talk)")}}) {
    expect_counts_to_be_checked({"iclr",
                                 year,
                                 {{Source::openreview, fmt::format("ICLR.cc/{}", year)}},
                                 [details = details](const std::string&, std::size_t papers) {
                                   return v1_notes(papers, "", details);
                                 }});
  }
  expect_counts_to_be_checked(
      {"iclr",
       2018,
       {{Source::openreview, "ICLR.cc/2018"}},
       [](const std::string& address, std::size_t papers) {
         if (!holds(address, "Acceptance_Decision")) return v1_notes(papers, "", "");
         std::string notes;
         for (std::size_t i = 0; i < papers; ++i) {
           notes += fmt::format(
               "{}{{\"id\":\"d{}\",\"forum\":\"n{}\",\"content\":{{\"decision\":\"Accept "
               "(Oral)\"}}}}",
               i == 0 ? "" : ",", i, i);
         }
         return "{\"notes\":[" + notes + "]}";
       }});
  expect_counts_to_be_checked(
      {"iclr", 2013, {{Source::openreview, "ICLR.cc/2013"}}, [](const std::string&, std::size_t papers) {
         return v1_notes(papers, ",\"decision\":\"conferencePoster-iclr2013-conference\"", "");
       }});
}

TEST(PlayedLayouts, VirtualSites) {
  expect_counts_to_be_checked(
      {"iclr", 2023, {{Source::virtual_site, "iclr.cc"}}, [](const std::string&, std::size_t papers) {
         std::string results;
         for (std::size_t i = 0; i < papers; ++i) {
           results += fmt::format(
               "{}{{\"id\":{},\"name\":\"{}\",\"abstract\":\"{}\",\"authors\":[{{"
               "\"fullname\":\"Ada Oak\"}},{{\"fullname\":\"Şule Yıldız\"}}],\"paper_"
               "url\":\"https://openreview.net/forum?id=n{}\",\"paper_pdf_url\":\"https://"
               "openreview.net/pdf?id=n{}\"}}",
               i == 0 ? "" : ",", i, json_title(i), abstract_of(i), i, i);
         }
         return fmt::format("{{\"count\":{},\"results\":[{}]}}", papers, results);
       }});
}

}  // namespace
}  // namespace mustcite::collect
