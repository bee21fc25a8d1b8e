// auai.org: UAI 2015 to 2018, before its proceedings moved to PMLR. One page a year, a table row a paper.
#include <fmt/format.h>

#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/one_page_site.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

std::string id_of(const Element& row, std::size_t position) {
  for (const Element& label : row.all("td b, td h5")) {
    const std::string text = label.text();
    if (lowered(text).starts_with("id")) {
      if (const auto number = number_in(text)) return std::to_string(*number);
    }
  }
  const Element pdf = row.first("a[href*=.pdf]");
  return pdf ? stem(pdf.attribute("href")) : fmt::format("row-{}", position);
}

std::string pdf_of(const Element& row, std::string_view base) {
  return link_of(row.first("a[href*=.pdf]"), base);
}

}  // namespace

Listing read_auai_table(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  std::size_t position = 0;
  for (const Element& row : root.all("tr")) {
    const std::vector<Element> cells = row.children();
    if (cells.size() < 2 || !cells[1].first("div b")) continue;
    Record record;
    record.id = id_of(row, ++position);
    record.title = cells[1].first("div b").text();
    record.authors = people_with_places(cells[1].first("i").text());
    // The title may stand in the fold as well: the abstract is what is folded.
    record.abstract = cells[1].first("div.collapse div").text();
    record.pdf_url = pdf_of(row, base);
    record.page_url = std::string(base);
    take(std::move(record), listing);
  }
  if (listing.records.empty()) throw LayoutChanged("no table row with a title in td > div > b");
  return listing;
}

Listing read_auai_headings(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  std::size_t position = 0;
  for (const Element& row : root.all("tr")) {
    Element heading;
    for (const Element& candidate : row.all("h4")) {
      // Banners of awards stand in headings of their own.
      if (!candidate.first("p.text-info") && !candidate.has_class("text-info")) heading = candidate;
      if (heading) break;
    }
    if (!heading) continue;
    Record record;
    record.id = id_of(row, ++position);
    record.title = heading.text();
    const std::string names = text_after(heading, heading.next_sibling());
    record.authors = people_of(names);
    record.abstract = row.first("div.collapse").text();
    record.pdf_url = pdf_of(row, base);
    record.page_url = std::string(base);
    take(std::move(record), listing);
  }
  if (listing.records.empty()) throw LayoutChanged("no table row with an h4");
  return listing;
}

std::unique_ptr<Site> auai_site(const Place& place) {
  const bool headings = place.key.starts_with("uai2017") || place.key.starts_with("uai2018");
  return one_page_site({.hosts = {"www.auai.org", "auai.org"},
                        .urls = {"https://www.auai.org/" + place.key},
                        .read_list = headings ? &read_auai_headings : &read_auai_table});
}

}  // namespace mustcite::collect
