// Pages that list papers as links to their PDFs, the title being the text of the link: ICML 2006, COLT 2008
// to 2010. Names stand behind the link; there are no abstracts.
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

bool is_file(const std::string& url) {
  return url.ends_with(".pdf") || url.ends_with(".ps") || url.ends_with(".ps.gz");
}

/// A title has words; "pdf", "[ps]" and "slides" are other links of the same paper.
bool is_title(const std::string& text) {
  const std::string words = text::fold(text);
  for (const std::string_view other :
       {"full paper", "full text", "slides", "supplement", "ps gz", "proceedings"})
    if (words.starts_with(other)) return false;
  return words.size() > 12 || (words.size() > 7 && words.find(' ') != std::string::npos);
}

/// What stands behind the title up to the next paper, without what separates them.
std::string names_behind(const Element& link) {
  std::string text = text_after(link, {});
  const std::size_t begin = text.find_first_not_of(" .,:;-/|");
  text.erase(0, begin == std::string::npos ? text.size() : begin);
  return text;
}

}  // namespace

Listing read_paper_links(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  for (const Element& link : root.all("a[href]")) {
    Record record;
    record.pdf_url = link_of(link, base);
    record.title = link.text();
    if (!is_file(lowered(record.pdf_url)) || !is_title(record.title)) continue;
    record.id = stem(record.pdf_url);
    record.page_url = std::string(base);
    const Element block = link.parent();
    const Element italics = block.first("i, em");
    // Where one block holds many papers, only what is marked as names can be told apart.
    std::size_t papers = 0;
    for (const Element& other : block.all("a[href]")) papers += is_title(other.text()) ? 1 : 0;
    if (italics && italics.index() > link.index() && papers == 1) {
      record.authors = {italics.text()};
    } else if (papers == 1) {
      record.authors = {names_behind(link)};
    }
    take(std::move(record), listing);
  }
  drop_repeats(listing);
  if (listing.records.empty()) throw LayoutChanged("no link of a title to a PDF");
  return listing;
}

std::unique_ptr<Site> paper_links_site(const Place& place) {
  const std::size_t slash = place.key.find('/');
  return one_page_site({.hosts = {place.key.substr(0, slash)},
                        .urls = {"https://" + place.key},
                        .read_list = &read_paper_links});
}

}  // namespace mustcite::collect
