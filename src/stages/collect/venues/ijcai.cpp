// www.ijcai.org: proceedings since 2017, and lists of accepted papers.
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

/// The abstract is the first full column after the rule; keywords stand in the next.
std::string abstract_of(const Element& root) {
  for (const Element& rule : root.all("hr")) {
    for (Element next = rule.next_sibling(); next; next = next.next_sibling()) {
      const Element column = next.matches("div.col-md-12") ? next : next.first("div.col-md-12");
      if (column && !column.first("div.keywords")) return column.text();
    }
  }
  return {};
}

}  // namespace

Listing read_ijcai_list(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  std::string track;
  for (const Element& element : root.all("div.section_title, div.paper_wrapper")) {
    if (element.has_class("section_title")) {
      track = element.text();
      continue;
    }
    Record record;
    record.title = element.first("div.title").text();
    record.authors = {element.first("div.authors").text()};
    record.track = track;
    for (const Element& link : element.all("div.details a")) {
      const std::string text = lowered(link.text());
      if (text == "pdf") record.pdf_url = link_of(link, base);
      if (text == "details") record.page_url = link_of(link, base);
    }
    const std::string_view number = element.attribute("id");
    record.id = number.starts_with("paper") ? std::string(number.substr(5)) : last_segment(record.page_url);
    take(std::move(record), listing);
  }
  if (listing.records.empty()) throw LayoutChanged("no div.paper_wrapper with a title");
  return listing;
}

void read_ijcai_paper(std::string_view page, Record& record) {
  const html::Document document(page);
  const Element root(document);
  const html::CitationMetas metas = html::citation_metas(root);
  if (metas.title.empty() && root.all("h1").size() < 2)
    throw LayoutChanged("neither citation_title nor a second h1");
  take_metas(metas, record);
  record.abstract = abstract_of(root);
}

Listing read_ijcai_accepted(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  for (const Element& entry : root.all("li.ij-paper")) {
    Record record;
    record.id = trimmed(entry.first(".ij-pid").text());
    if (const auto number = number_in(record.id)) record.id = std::to_string(*number);
    record.title = entry.first(".ij-ptitle").text();
    for (const Element& author : entry.all(".ij-author")) record.authors.push_back(author.text());
    record.abstract = entry.first(".ij-abstract").text();
    record.track = "Main Track";
    record.page_url = std::string(base);
    take(std::move(record), listing);
  }
  if (listing.records.empty()) throw LayoutChanged("no li.ij-paper with a title");
  return listing;
}

std::unique_ptr<Site> ijcai_site(const Place& place, const Edition& edition) {
  if (place.source == Source::ijcai_accepted) {
    const std::string host = fmt::format("{}.ijcai.org", edition.year);
    return one_page_site({.hosts = {host},
                          .urls = {fmt::format("https://{}/accepted-papers/?ijtrack={}", host, place.key)},
                          .read_list = &read_ijcai_accepted});
  }
  return one_page_site({.hosts = {"www.ijcai.org", "ijcai.org"},
                        .urls = {fmt::format("https://www.ijcai.org/proceedings/{}/", place.key)},
                        .read_list = &read_ijcai_list,
                        .read_details = &read_ijcai_paper});
}

}  // namespace mustcite::collect
