// ojs.aaai.org: AAAI since 2010, as pages (archive, issues, articles) and over OAI-PMH.
#include <fmt/format.h>

#include <pugixml.hpp>
#include <set>

#include "core/text/normalise.hpp"
#include "stages/collect/html/citation_metas.hpp"
#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

constexpr const char* kArchive = "https://ojs.aaai.org/index.php/AAAI/issue/archive";
constexpr const char* kOai = "https://ojs.aaai.org/index.php/AAAI/oai?verb=ListRecords";
constexpr int kMostPages = 2000;

/// The volume in "Vol. 40 No. 1 (2026)"; 0 when there is none.
int volume_in(std::string_view text) {
  const std::size_t at = text.find("Vol.");
  if (at == std::string_view::npos) return 0;
  return static_cast<int>(number_in(text.substr(at, 12)).value_or(0));
}

Record read_entry(const Element& entry, std::string_view base, const std::string& section) {
  Record record;
  const Element link = entry.first("h3.title a, h4.title a, .title a");
  record.title = link.text();
  record.page_url = link_of(link, base);
  record.id = last_segment(record.page_url);
  record.authors = {entry.first("div.authors").text()};
  record.track = section;
  // /article/view/36958/40920 shows the PDF in a frame; /download/ is the file.
  record.pdf_url = link_of(entry.first("a.obj_galley_link.pdf"), base);
  const std::size_t view = record.pdf_url.find("/article/view/");
  if (view != std::string::npos) record.pdf_url.replace(view, 14, "/article/download/");
  return record;
}

/// Erratum, retraction notice and other articles that are no papers.
bool is_notice(const std::string& title) {
  const std::string lower = lowered(title);
  return lower.starts_with("retraction") || lower.starts_with("erratum") ||
         lower.starts_with("corrigendum") || lower == "frontmatter" || lower == "front matter";
}

class Ojs : public Site {
 public:
  explicit Ojs(int year) : volume_(year - 1986) {}

  std::vector<std::string> hosts() const override { return {"ojs.aaai.org"}; }
  std::vector<std::string> starts() const override { return {kArchive}; }

  Listing list(Pages& pages) override {
    Listing whole;
    std::set<std::string> issues;
    std::string url = kArchive;
    for (int page = 0; page < kMostPages && !url.empty(); ++page) {
      const OjsArchive archive = read_ojs_archive(pages.list(url), url, volume_);
      issues.insert(archive.issues.begin(), archive.issues.end());
      // The archive runs from new to old: once the volume is over, the rest holds older ones.
      if (!issues.empty() && archive.issues.empty()) break;
      url = archive.next;
    }
    if (issues.empty()) throw LayoutChanged(fmt::format("the archive has no issue of Vol. {}", volume_));
    for (const std::string& issue : issues) {
      Listing part = read_ojs_issue(pages.list(issue), issue);
      for (Record& record : part.records) whole.records.push_back(std::move(record));
      for (Problem& problem : part.problems) whole.problems.push_back(std::move(problem));
    }
    return whole;
  }

  bool has_details(const Record& record) const override { return !record.page_url.empty(); }
  void read_details(std::string_view page, Record& record) const override { read_ojs_article(page, record); }

 protected:
  int volume_;
};

/// The same over OAI-PMH: a hundred records a request, with abstracts, but for every year at once.
class Oai final : public Ojs {
 public:
  using Ojs::Ojs;

  std::vector<std::string> starts() const override { return {std::string(kOai) + "&metadataPrefix=oai_dc"}; }

  Listing list(Pages& pages) override {
    Listing listing;
    std::string url = starts().front();
    std::set<std::string> tokens;
    for (int page = 0; page < kMostPages; ++page) {
      // Tokens die after a day, so only a page that is read today leads on; kept pages are for replay.
      OaiPage part = read_oai_records(pages.list(url, net::Expect::xml));
      for (std::size_t i = 0; i < part.records.size(); ++i) {
        if (part.volumes[i] == volume_) listing.records.push_back(std::move(part.records[i]));
      }
      for (Problem& problem : part.problems) listing.problems.push_back(std::move(problem));
      if (part.token.empty()) break;
      if (!tokens.insert(part.token).second) throw LayoutChanged("OAI-PMH hands out the same token again");
      url = std::string(kOai) + "&resumptionToken=" + part.token;
    }
    return listing;
  }

  bool has_details(const Record& record) const override {
    return record.abstract.empty() && !record.page_url.empty();
  }
};

}  // namespace

OjsArchive read_ojs_archive(std::string_view page, std::string_view base, int volume) {
  const html::Document document(page);
  const Element root(document);
  OjsArchive archive;
  for (const Element& summary : root.all("div.obj_issue_summary")) {
    const std::string url = link_of(summary.first("a.title"), base);
    if (url.empty()) continue;
    // "Vol. 40 No. 1 (2026)" stands beside the title, or is the title.
    if (volume_in(summary.text()) == volume) {
      archive.issues.push_back(url);
    } else {
      ++archive.others;
    }
  }
  archive.next = link_of(root.first("div.cmp_pagination a.next, a.next"), base);
  if (archive.issues.empty() && archive.others == 0)
    throw LayoutChanged("no div.obj_issue_summary with a.title");
  return archive;
}

Listing read_ojs_issue(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  std::size_t entries = 0;
  for (const Element& section : root.all("div.sections > div.section")) {
    const std::string name = section.first("h2, h3").text();
    for (const Element& entry : section.all("div.obj_article_summary")) {
      ++entries;
      Record record = read_entry(entry, base, name);
      if (record.id.empty() || record.title.empty()) {
        listing.problems.push_back({record.title, "an entry without a title or a link to its page"});
      } else if (is_notice(record.title)) {
        listing.problems.push_back({record.id, "a notice, not a paper: " + record.title});
      } else {
        listing.records.push_back(std::move(record));
      }
    }
  }
  const std::size_t anywhere = root.all("div.obj_article_summary").size();
  if (anywhere == 0) throw LayoutChanged("no div.obj_article_summary: an issue without articles");
  if (anywhere > entries)
    throw LayoutChanged(fmt::format("{} articles outside of div.sections > div.section", anywhere - entries));
  return listing;
}

void read_ojs_article(std::string_view page, Record& record) {
  const html::Document document(page);
  const Element root(document);
  const html::CitationMetas metas = html::citation_metas(root);
  if (metas.title.empty() && !root.first("h1.page_title"))
    throw LayoutChanged("neither citation_title nor h1.page_title");
  if (!metas.authors.empty()) record.authors = metas.authors;
  if (!metas.pdf_url.empty()) record.pdf_url = metas.pdf_url;
  if (!metas.doi.empty()) record.doi = metas.doi;
  if (record.track.empty()) record.track = metas.article_type;
  record.abstract = metas.description;
  if (!record.abstract.empty()) return;
  const Element abstract = root.first("section.abstract");
  const Element label = abstract.first("h2, h3");
  record.abstract = label ? text_after(label, {}) : abstract.text();
}

OaiPage read_oai_records(std::string_view text) {
  std::string repaired;
  if (!text::is_valid_utf8(text)) text = repaired = text::repair_utf8(text);
  pugi::xml_document document;
  const auto result =
      document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  const pugi::xml_node root = document.child("OAI-PMH");
  const pugi::xml_node list = root.child("ListRecords");
  OaiPage page;
  if (!result || !root) throw LayoutChanged("no OAI-PMH answer");
  if (!list) {
    const pugi::xml_node error = root.child("error");
    if (std::string_view(error.attribute("code").value()) == "noRecordsMatch") return page;
    throw LayoutChanged(
        fmt::format("OAI-PMH says: {} {}", error.attribute("code").value(), error.child_value()));
  }
  for (const pugi::xml_node& node : list.children("record")) {
    const pugi::xml_node header = node.child("header");
    const std::string identifier = trimmed(header.child_value("identifier"));
    if (std::string_view(header.attribute("status").value()) == "deleted") {
      page.problems.push_back({identifier, "deleted by the site"});
      continue;
    }
    const pugi::xml_node dc = node.child("metadata").child("oai_dc:dc");
    Record record;
    record.id = last_segment(identifier);
    record.track = trimmed(header.child_value("setSpec"));
    record.title = trimmed(dc.child_value("dc:title"));
    record.abstract = trimmed(dc.child_value("dc:description"));
    int volume = 0;
    for (const pugi::xml_node& creator : dc.children("dc:creator"))
      record.authors.push_back(trimmed(creator.child_value()));
    for (const pugi::xml_node& source : dc.children("dc:source")) {
      if (volume == 0) volume = volume_in(source.child_value());
    }
    for (const pugi::xml_node& value : dc.children("dc:identifier")) {
      const std::string is = trimmed(value.child_value());
      if (is.starts_with("http")) record.page_url = is;
      if (is.starts_with("10.")) record.doi = is;
    }
    const std::string view = trimmed(dc.child_value("dc:relation"));
    const std::size_t at = view.find("/article/view/");
    if (at != std::string::npos)
      record.pdf_url = view.substr(0, at) + "/article/download/" + view.substr(at + 14);
    if (record.id.empty() || record.title.empty()) {
      page.problems.push_back({identifier, "a record without a title"});
      continue;
    }
    page.records.push_back(std::move(record));
    page.volumes.push_back(volume);
  }
  page.token = trimmed(list.child_value("resumptionToken"));
  return page;
}

std::unique_ptr<Site> ojs_site(const Place& place, const Edition& edition) {
  if (place.source == Source::aaai_oai) return std::make_unique<Oai>(edition.year);
  return std::make_unique<Ojs>(edition.year);
}

}  // namespace mustcite::collect
