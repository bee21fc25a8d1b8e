// ICLR before OpenReview knew its decisions: a Google Sites page (2014) and a wiki (2015, 2016). No
// abstracts.
#include "core/text/normalise.hpp"
#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/one_page_site.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

/// "1312.6173" of an arXiv address; empty for other ones.
std::string arxiv_of(const std::string& url) {
  const std::size_t at = url.find("arxiv.org/abs/");
  if (at == std::string::npos) return {};
  std::string id = url.substr(at + 14);
  const std::size_t version = id.find('v');
  return version == std::string::npos ? id : id.substr(0, version);
}

std::string openreview_of(const std::string& url) {
  const std::size_t at = url.find("openreview.net/forum?id=");
  return at == std::string::npos ? std::string() : url.substr(at + 24);
}

/// Ids are those of the place that holds the paper; a title's key where the list links nothing.
void finish(Record record, Listing& listing) {
  record.arxiv_id = arxiv_of(record.page_url);
  record.openreview_id = openreview_of(record.page_url);
  record.id = !record.arxiv_id.empty()        ? "arxiv-" + record.arxiv_id
              : !record.openreview_id.empty() ? record.openreview_id
                                              : text::title_key(record.title).substr(0, 60);
  if (!record.arxiv_id.empty()) record.pdf_url = "https://arxiv.org/pdf/" + record.arxiv_id;
  take(std::move(record), listing);
}

}  // namespace

Listing read_iclr_sites(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  for (const Element& link : root.all("p span a")) {
    const Element span = link.parent();
    if (span.attribute("style").find("bold") == std::string_view::npos) continue;
    Record record;
    record.title = link.text();
    record.page_url = link_of(link, base);
    Element paragraph = span;
    while (paragraph && paragraph.tag() != "p") paragraph = paragraph.parent();
    record.authors = {paragraph.next_sibling().first("span[style*=italic]").text()};
    finish(std::move(record), listing);
  }
  if (listing.records.empty()) throw LayoutChanged("no bold link in a paragraph");
  return listing;
}

Listing read_iclr_wiki(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  std::string section;
  for (const Element& element : root.all("h3, div.li")) {
    if (element.tag() == "h3") {
      section = element.text();
      continue;
    }
    const Element link = element.first("a");
    if (!link) continue;
    Record record;
    record.title = link.text();
    record.page_url = link_of(link, base);
    record.authors = {text_after(link, {})};
    record.track = section;
    finish(std::move(record), listing);
  }
  if (listing.records.empty()) throw LayoutChanged("no li > div.li with a link");
  // Orals are listed again among the posters; one paper counts once.
  drop_repeats(listing);
  return listing;
}

std::unique_ptr<Site> iclr_site(const Place& place) {
  return one_page_site(
      {.hosts = {"iclr.cc", "www.iclr.cc"},
       .urls = {"https://iclr.cc/archive/" + place.key},
       .read_list = place.source == Source::iclr_sites ? &read_iclr_sites : &read_iclr_wiki});
}

}  // namespace mustcite::collect
