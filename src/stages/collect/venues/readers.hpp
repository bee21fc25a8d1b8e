#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stages/collect/record.hpp"

// From the text of a page to records: no network, any bytes are survived, and a page that is not of the
// expected layout throws LayoutChanged. `base` is the address of the page. Each stands in the file of its
// site.
namespace mustcite::collect {

/// Year lists and paper pages of proceedings.neurips.cc, of the datasets host of 2021 and of
/// proceedings.iclr.cc.
[[nodiscard]] Listing read_neurips_list(std::string_view page, std::string_view base);
void read_neurips_paper(std::string_view page, Record& record);
/// The Metadata.json of papers up to 2021.
void read_neurips_metadata(std::string_view text, Record& record);

/// PMLR: a volume's page, a paper's page, and the whole-volume files (citeproc, one post, BibTeX).
[[nodiscard]] Listing read_pmlr_volume(std::string_view page, std::string_view base);
void read_pmlr_paper(std::string_view page, Record& record);
[[nodiscard]] std::vector<Record> read_pmlr_citeproc(std::string_view text);
[[nodiscard]] Record read_pmlr_post(std::string_view text);
[[nodiscard]] std::vector<Record> read_pmlr_bib(std::string_view text);

/// CVF: a listing (all days, one day, or the menu of days: then only `more` is filled) and a paper's page.
[[nodiscard]] Listing read_cvf_list(std::string_view page, std::string_view base);
void read_cvf_paper(std::string_view page, Record& record);

/// ECVA: the papers of one year on the page of all years; a paper's page.
[[nodiscard]] Listing read_ecva_list(std::string_view page, std::string_view base, int year);
void read_ecva_paper(std::string_view page, Record& record);

/// ACL Anthology: XML of a collection (all volumes, `track` is the volume), and a volume's or event's page.
[[nodiscard]] Listing read_acl_xml(std::string_view text);
[[nodiscard]] Listing read_acl_page(std::string_view page);

/// AAAI's OJS: archive (`more` are issues of the volume and further archive pages), issue, article.
struct OjsArchive {
  std::vector<std::string> issues;  ///< of the wanted volume
  std::string next;
  std::size_t others = 0;  ///< issues of other volumes
};
[[nodiscard]] OjsArchive read_ojs_archive(std::string_view page, std::string_view base, int volume);
[[nodiscard]] Listing read_ojs_issue(std::string_view page, std::string_view base);
void read_ojs_article(std::string_view page, Record& record);
/// The same over OAI-PMH: answers to ListRecords and GetRecord, to ListIdentifiers, and to ListSets.
struct OaiPage {
  std::vector<Record> records;  ///< `track` is the set
  std::vector<int> volumes;     ///< of each record; 0: none was given
  std::vector<Problem> problems;
  std::string token;  ///< resumptionToken; empty at the end
};
[[nodiscard]] OaiPage read_oai_records(std::string_view text);
struct OaiNames {
  std::vector<std::pair<std::string, std::string>> names;  ///< set and its name, or identifier and its set
  std::string token;
};
[[nodiscard]] OaiNames read_oai_identifiers(std::string_view text);
[[nodiscard]] OaiNames read_oai_sets(std::string_view text);

/// AAAI's library: contents pages of the proceedings, and the lists of accepted papers of 2011 to 2014.
[[nodiscard]] Listing read_aaai_library(std::string_view page, std::string_view base);
[[nodiscard]] Listing read_aaai_accepted(std::string_view page, std::string_view base);
void read_aaai_library_paper(std::string_view page, Record& record);
/// aaai.org's pages of today: the tracks of a year (`more`), the papers of a track, a paper.
[[nodiscard]] Listing read_aaai_tracks(std::string_view page, std::string_view base);
[[nodiscard]] Listing read_aaai_track(std::string_view page, std::string_view base);
void read_aaai_paper(std::string_view page, Record& record);

/// IJCAI: a year's page and a paper's page since 2017, the pages before, and a list of accepted papers.
[[nodiscard]] Listing read_ijcai_list(std::string_view page, std::string_view base);
void read_ijcai_paper(std::string_view page, Record& record);
[[nodiscard]] Listing read_ijcai_old_list(std::string_view page, std::string_view base);
void read_ijcai_old_paper(std::string_view page, Record& record);
/// The lists up to 2013: titles that link the PDF.
[[nodiscard]] Listing read_ijcai_links(std::string_view page, std::string_view base);
[[nodiscard]] Listing read_ijcai_accepted(std::string_view page, std::string_view base);

/// JMLR: a volume's page and an abstract's page.
[[nodiscard]] Listing read_jmlr_volume(std::string_view page, std::string_view base);
void read_jmlr_paper(std::string_view page, Record& record);

/// ICML before PMLR: the one page of 2008 to 2011 and that of 2012, the lists of 2004, 2005 and 2007, and
/// the abstracts that the lists of 2004 and 2007 link.
[[nodiscard]] Listing read_icml_abstracts(std::string_view page, std::string_view base);
[[nodiscard]] Listing read_icml_2012(std::string_view page, std::string_view base);
[[nodiscard]] Listing read_icml_list(std::string_view page, std::string_view base);
void read_icml_paper(std::string_view page, Record& record);

/// A page that links the PDF of each paper by its title: ICML 2006, COLT 2008 to 2010.
[[nodiscard]] Listing read_paper_links(std::string_view page, std::string_view base);

/// auai.org: the one page of 2015 and 2016, and that of 2017 and 2018.
[[nodiscard]] Listing read_auai_table(std::string_view page, std::string_view base);
[[nodiscard]] Listing read_auai_headings(std::string_view page, std::string_view base);

/// ICLR before and beside OpenReview.
[[nodiscard]] Listing read_iclr_sites(std::string_view page, std::string_view base);
[[nodiscard]] Listing read_iclr_wiki(std::string_view page, std::string_view base);
/// The JSON of a virtual site (orals and posters).
[[nodiscard]] Listing read_virtual_site(std::string_view text);

}  // namespace mustcite::collect
