#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Which venue of which year lies where, and how many papers it should have.
namespace mustcite::collect {

/// A layout of a site, and so a reader in venues/.
enum class Source {
  neurips,           ///< proceedings.neurips.cc; key: the year
  neurips_datasets,  ///< the separate host of 2021
  iclr_proceedings,  ///< proceedings.iclr.cc, the same layout
  pmlr,              ///< proceedings.mlr.press; key: "v235"
  openreview,        ///< API v1 and v2; key: see openreview_rules.cpp
  virtual_site,      ///< the JSON of a conference's virtual site; key: its host
  iclr_sites,        ///< the list of 2014 (Google Sites)
  iclr_wiki,         ///< the lists of 2015 and 2016 (DokuWiki)
  cvf,               ///< openaccess.thecvf.com; key: "CVPR2024", days after a blank where needed
  ecva,              ///< www.ecva.net
  acl_xml,           ///< the ACL Anthology's XML; key: "collection:volume,volume …"
  acl_pages,         ///< the same as pages of aclanthology.org
  aaai_ojs,          ///< ojs.aaai.org, issues and articles
  aaai_oai,          ///< the same over OAI-PMH
  aaai_library,      ///< www.aaai.org, contents pages and lists of accepted papers; key: the page
  aaai_pages,        ///< aaai.org since 2023, tracks and papers of all years; key: the year's page
  ijcai,             ///< www.ijcai.org since 2017; key: the year
  ijcai_old,         ///< www.ijcai.org up to 2016; key: the year
  ijcai_accepted,    ///< list of accepted papers of a year whose proceedings are not out; key: the track
  icml_sites,        ///< icml.cc's copies of the years' own sites, 2004 to 2012; key: the page
  paper_links,       ///< a page of links to PDFs; key: the page with its host
  jmlr,              ///< jmlr.org; key: the volume
  auai,              ///< auai.org 2015-2018; key: the page
};

/// The name of a source on the command line and in docs, e.g. "acl-xml".
[[nodiscard]] const char* source_name(Source source) noexcept;
/// Throws usage for any other name, listing the known ones.
[[nodiscard]] Source parse_source(std::string_view name);

/// One place where (a part of) an edition is listed.
struct Place {
  Source source = Source::neurips;
  std::string key;
};

/// One venue in one year.
struct Edition {
  std::string venue;
  int year = 0;
  std::vector<Place> parts;         ///< all of them together are the edition
  std::vector<Place> alternatives;  ///< tried instead, in order, when the parts need a login or are not there
  std::size_t expected_main = 0;    ///< papers of the main conference; 0: unknown
  std::size_t expected_all = 0;     ///< with every track of the listed places; 0: unknown
  std::string note;
};

/// The fifteen venues, sorted by name, with what people call them.
struct VenueName {
  std::string name;
  std::string long_name;
  std::string aggregator_name;  ///< as Semantic Scholar calls it
};
[[nodiscard]] const std::vector<VenueName>& venues();

/// Every edition, by venue and year.
[[nodiscard]] const std::vector<Edition>& editions();

/// Years of a venue that no reader serves, and why.
struct Gap {
  std::string venue;
  int first = 0;
  int last = 0;
  std::string reason;
};
[[nodiscard]] const std::vector<Gap>& gaps();

/// The editions of `venue` from `first` to `last`. Throws usage for an unknown venue or when there are none,
/// saying which years there are.
[[nodiscard]] std::vector<Edition> editions_of(const std::string& venue, int first, int last);

/// docs/venues.md.
[[nodiscard]] std::string table_as_markdown();

}  // namespace mustcite::collect
