// www.ecva.net: ECCV since 2018, all years on one page.
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

/// The fold that belongs to a year's button.
Element fold_of(const Element& root, int year) {
  const std::string wanted = fmt::format("eccv {} papers", year);
  for (const Element& button : root.all("button.accordion")) {
    if (lowered(button.text()) != wanted) continue;
    for (Element next = button.next_sibling(); next && next.tag() != "button"; next = next.next_sibling()) {
      if (next.has_class("accordion-content")) return next;
    }
  }
  return {};
}

/// The number that Springer gave the paper, else the name of its page.
std::string id_of(const Record& record) {
  const std::string pdf = stem(record.pdf_url);
  const bool number = !pdf.empty() && pdf.find_first_not_of("0123456789") == std::string::npos;
  std::string name = number ? pdf : stem(record.page_url);
  if (name.ends_with("_paper")) name.resize(name.size() - 6);
  return name;
}

/// "A*, B¹" loses its marks; "Last, First and Last, First" (2018) is split where BibTeX splits it.
std::vector<std::string> authors_of(std::string text) {
  for (const std::string_view mark : {"*", "¹", "²", "³", "⁰", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"}) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
      text.erase(at, mark.size());
  }
  if (text.find(" and ") == std::string::npos) return {std::move(text)};
  std::vector<std::string> authors;
  std::size_t begin = 0;
  for (std::size_t at = text.find(" and "); at != std::string::npos; at = text.find(" and ", begin)) {
    authors.push_back(trimmed(std::string_view(text).substr(begin, at - begin)));
    begin = at + 5;
  }
  authors.push_back(trimmed(std::string_view(text).substr(begin)));
  return authors;
}

Record read_entry(const Element& title, std::string_view base) {
  Record record;
  const Element link = title.first("a");
  record.title = link.text();
  record.page_url = link_of(link, base);
  bool first = true;
  for (Element next = title.next_sibling(); next && next.tag() == "dd"; next = next.next_sibling()) {
    if (first) record.authors = authors_of(next.text());
    first = false;
    for (const Element& anchor : next.all("a")) {
      const std::string text = lowered(anchor.text());
      const std::string url = link_of(anchor, base);
      if (text == "pdf" && record.pdf_url.empty()) record.pdf_url = url;
      const std::size_t doi = url.find("/10.");
      if (text == "doi" && doi != std::string::npos) record.doi = url.substr(doi + 1);
    }
  }
  record.id = id_of(record);
  return record;
}

}  // namespace

Listing read_ecva_list(std::string_view page, std::string_view base, int year) {
  const html::Document document(page);
  const Element root(document);
  const Element fold = fold_of(root, year);
  if (!fold) throw LayoutChanged(fmt::format("no button 'ECCV {} Papers' with its list", year));
  Listing listing;
  for (const Element& title : fold.all("dt.ptitle")) {
    take(read_entry(title, base), listing);
  }
  if (listing.records.empty()) throw LayoutChanged(fmt::format("no dt.ptitle below 'ECCV {} Papers'", year));
  return listing;
}

void read_ecva_paper(std::string_view page, Record& record) {
  const html::Document document(page);
  const Element root(document);
  if (!root.first("#papertitle") && !root.first("#abstract"))
    throw LayoutChanged("neither #papertitle nor #abstract");
  record.abstract = root.first("#abstract").text();
  if (record.authors.empty()) record.authors = authors_of(root.first("#authors i").text());
}

std::unique_ptr<Site> ecva_site(const Edition& edition) {
  const auto read_list = [year = edition.year](std::string_view page, std::string_view base) {
    return read_ecva_list(page, base, year);
  };
  return one_page_site({.hosts = {"www.ecva.net"},
                        .urls = {"https://www.ecva.net/papers.php"},
                        .read_list = read_list,
                        .read_details = &read_ecva_paper});
}

}  // namespace mustcite::collect
