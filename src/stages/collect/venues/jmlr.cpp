// jmlr.org: volumes since 2000. A paper's year is its volume's, whatever is printed beside it.
#include <fmt/format.h>

#include "stages/collect/html/citation_metas.hpp"
#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/one_page_site.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

/// The entry's authors and links: in the <dd> after the <dt>, or, where the <dt> was not closed, in it.
Record read_entry(const Element& title, const Element& details, std::string_view base) {
  Record record;
  record.title = title.tag() == "tr" ? title.first("b, dt").text() : title.text();
  const Element names = details.first("i");
  record.authors = {names.text()};
  for (const Element& link : details.all("a")) {
    const std::string text = lowered(link.text());
    const std::string url = link_of(link, base);
    if (text == "abs" || text == "[abs]") record.page_url = url;
    if (text == "pdf" || text == "[pdf]") record.pdf_url = url;
  }
  record.id = stem(record.page_url.empty() ? record.pdf_url : record.page_url);
  const bool software =
      lowered(details.text()).find("machine learning open source software paper") != std::string::npos;
  record.track = software ? "MLOSS" : "";
  return record;
}

}  // namespace

Listing read_jmlr_volume(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  for (const Element& title : root.all("dl dt, tr")) {
    if (title.tag() == "tr" && (title.first("dt") || !title.first("a"))) continue;
    Element details = title.tag() == "tr" ? title : title.next_sibling();
    if (details && details.tag() == "dt") details = title;
    Record record = read_entry(title, details, base);
    if (title.tag() == "tr" && record.page_url.empty()) continue;
    take(std::move(record), listing);
  }
  if (listing.records.empty()) throw LayoutChanged("no dt with a title and links");
  return listing;
}

void read_jmlr_paper(std::string_view page, Record& record) {
  const html::Document document(page);
  const Element root(document);
  const html::CitationMetas metas = html::citation_metas(root);
  take_metas(metas, record);
  if (const Element abstract = root.first("p.abstract")) {
    record.abstract = abstract.text();
    return;
  }
  for (const Element& label : root.all("h3")) {
    if (lowered(label.text()) != "abstract") continue;
    // v1-v5: bare text up to the next element of its own.
    Element end = label.next_sibling();
    while (end && end.tag() != "font" && end.tag() != "p" && end.tag() != "h3") end = end.next_sibling();
    record.abstract = text_after(label, end);
    if (record.abstract.empty() && end && end.tag() == "p") record.abstract = end.text();
    return;
  }
  throw LayoutChanged("neither p.abstract nor a heading 'Abstract'");
}

std::unique_ptr<Site> jmlr_site(const Place& place) {
  return one_page_site({.hosts = {"jmlr.org", "www.jmlr.org", "jmlr.csail.mit.edu"},
                        .urls = {"https://jmlr.org/papers/v" + place.key + "/"},
                        .read_list = &read_jmlr_volume,
                        .read_details = &read_jmlr_paper});
}

}  // namespace mustcite::collect
