// ojs.aaai.org: AAAI since 2010, as pages: archive, issues, articles.
#include <fmt/format.h>

#include <set>

#include "stages/collect/html/citation_metas.hpp"
#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/ojs_article.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

constexpr const char* kArchive = "https://ojs.aaai.org/index.php/AAAI/issue/archive";
constexpr int kMostPages = 2000;

Record read_entry(const Element& entry, std::string_view base, const std::string& section) {
  Record record;
  const Element link = entry.first("h3.title a, h4.title a, .title a");
  record.title = link.text();
  record.page_url = link_of(link, base);
  record.id = last_segment(record.page_url);
  record.authors = {entry.first("div.authors").text()};
  record.track = section;
  record.pdf_url = ojs_download_of(link_of(entry.first("a.obj_galley_link.pdf"), base));
  return record;
}

class Ojs final : public Site {
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
    for (const std::string& issue : issues) append(read_ojs_issue(pages.list(issue), issue), whole);
    return whole;
  }

  bool has_details(const Record& record) const override { return !record.page_url.empty(); }
  void read_details(std::string_view page, Record& record) const override { read_ojs_article(page, record); }

 private:
  int volume_;
};

}  // namespace

int ojs_volume_in(std::string_view text) {
  const std::size_t at = text.find("Vol.");
  if (at == std::string_view::npos) return 0;
  return static_cast<int>(number_in(text.substr(at, 12)).value_or(0));
}

std::string ojs_download_of(std::string address) {
  constexpr std::string_view kView = "/article/view/";
  const std::size_t view = address.find(kView);
  if (view != std::string::npos) address.replace(view, kView.size(), "/article/download/");
  return address;
}

bool is_ojs_notice(const std::string& title) {
  const std::string lower = lowered(title);
  return lower.starts_with("retraction") || lower.starts_with("erratum") ||
         lower.starts_with("corrigendum") || lower == "frontmatter" || lower == "front matter";
}

OjsArchive read_ojs_archive(std::string_view page, std::string_view base, int volume) {
  const html::Document document(page);
  const Element root(document);
  OjsArchive archive;
  for (const Element& summary : root.all("div.obj_issue_summary")) {
    const std::string url = link_of(summary.first("a.title"), base);
    if (url.empty()) continue;
    // "Vol. 40 No. 1 (2026)" stands beside the title, or is the title.
    if (ojs_volume_in(summary.text()) == volume) {
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
      if (is_ojs_notice(record.title)) {
        listing.problems.push_back({record.id, "a notice, not a paper: " + record.title});
      } else {
        take(std::move(record), listing);
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
  take_metas(metas, record);
  if (record.track.empty()) record.track = metas.article_type;
  record.abstract = metas.description;
  if (!record.abstract.empty()) return;
  const Element abstract = root.first("section.abstract");
  const Element label = abstract.first("h2, h3");
  record.abstract = label ? text_after(label, {}) : abstract.text();
}

std::unique_ptr<Site> ojs_site(const Edition& edition) {
  return std::make_unique<Ojs>(edition.year);
}

}  // namespace mustcite::collect
