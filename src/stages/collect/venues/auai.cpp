// auai.org: UAI 2015 to 2018, before its proceedings moved to PMLR. One page a year, a table row a paper.
#include <fmt/format.h>

#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

/// "Ada Lovelace, Analytical Engines; Charles Babbage, Cambridge": what follows the first comma of each is
/// where the author works.
std::vector<std::string> names_without_places(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    const std::string_view person = text.substr(0, end);
    std::string name = trimmed(person.substr(0, person.find(',')));
    if (!name.empty()) names.push_back(std::move(name));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return names;
}

std::string id_of(const Element& row, std::size_t position) {
  for (const Element& bold : row.all("td b")) {
    const std::string text = bold.text();
    if (lowered(text).starts_with("id")) {
      if (const auto number = number_in(text)) return std::to_string(*number);
    }
  }
  const Element pdf = row.first("a[href*=.pdf]");
  return pdf ? stem(pdf.attribute("href")) : fmt::format("row-{}", position);
}

void finish(Record record, Listing& listing) {
  if (record.title.empty()) {
    listing.problems.push_back({record.id, "a row without a title"});
  } else {
    listing.records.push_back(std::move(record));
  }
}

class Auai final : public Site {
 public:
  explicit Auai(std::string path) : path_(std::move(path)) {}

  std::vector<std::string> hosts() const override { return {"www.auai.org", "auai.org"}; }
  std::vector<std::string> starts() const override { return {"https://www.auai.org/" + path_}; }
  Listing list(Pages& pages) override {
    const std::string url = starts().front();
    const std::string page = pages.list(url);
    const bool headings = path_.starts_with("uai2017") || path_.starts_with("uai2018");
    return headings ? read_auai_headings(page, url) : read_auai_table(page, url);
  }

 private:
  std::string path_;
};

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
    record.authors = names_without_places(cells[1].first("i").text());
    record.abstract = cells[1].first("div.collapse").text();
    record.pdf_url = link_of(row.first("a[href*=.pdf]"), base);
    record.page_url = std::string(base);
    finish(std::move(record), listing);
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
    record.authors = names.find(';') != std::string::npos ? names_without_places(names) : std::vector{names};
    record.abstract = row.first("div.collapse").text();
    const std::vector<Element> cells = row.children();
    record.pdf_url = link_of(cells.empty() ? Element() : cells[0].first("a"), base);
    record.page_url = std::string(base);
    finish(std::move(record), listing);
  }
  if (listing.records.empty()) throw LayoutChanged("no table row with an h4");
  return listing;
}

std::unique_ptr<Site> auai_site(const Place& place) {
  return std::make_unique<Auai>(place.key);
}

}  // namespace mustcite::collect
