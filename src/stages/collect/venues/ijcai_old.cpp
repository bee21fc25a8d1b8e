// www.ijcai.org before 2017: lists that link an abstract page and a PDF for each paper (2015, 2016), and
// older ones whose titles link the PDF.
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

/// "CONSTRAINT SATISFACTION": sections of the oldest pages are bold capitals, or have a class of their own.
bool is_section(const Element& paragraph, const std::string& text) {
  if (paragraph.has_class("docsection")) return true;
  if (text.empty() || text.size() > 120 || paragraph.first("a[href*=.pdf]")) return false;
  const Element bold = paragraph.first("b, strong");
  return bold && bold.text() == text;
}

/// What names a paper in a list of titles: the first link to a PDF that is more than "PDF".
Element title_in(const Element& paragraph) {
  for (const Element& link : paragraph.all("a[href*=.pdf]")) {
    const std::string text = lowered(link.text());
    if (!text.empty() && text != "pdf" && text != "abstract") return link;
  }
  return {};
}

/// Names in italics; else what follows the title, or its line.
std::string names_in(const Element& paragraph, const Element& title) {
  if (const Element italics = paragraph.first("i, em"); italics && italics.index() > title.index())
    return italics.text();
  const Element line = paragraph.first("br");
  if (line && line.index() > title.index()) return text_after(line, {});
  if (paragraph.has_class("doctitle")) {
    const Element next = paragraph.next_sibling();
    return next && !next.first("a[href*=.pdf]") && !next.has_class("docsection") ? next.text()
                                                                                 : std::string();
  }
  return {};
}

}  // namespace

Listing read_ijcai_old_list(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  std::string track;
  for (const Element& element : root.all("h2, h3, h4, p, li, tr")) {
    if (element.tag().starts_with('h')) {
      track = element.text();
      continue;
    }
    const Element link = element.first("a[href*=/Abstract/]");
    // The innermost block around the link is the entry.
    if (!link || element.first("p, li, tr").first("a[href*=/Abstract/]")) continue;
    Record record;
    record.page_url = link_of(link, base);
    record.id = last_segment(record.page_url);
    // "Title / 2 <br> <i>authors</i> <a>Abstract</a>": the page number stands behind the title.
    const Element line = element.first("br, i, a");
    record.authors = {element.first("i").text()};
    std::string title = element.own_text();
    title = title.substr(0, title.find(" / "));
    record.title = lowered(link.text()) == "abstract" || !line ? trimmed(title) : link.text();
    record.track = track;
    const Element pdf = element.first("a[href*=.pdf]");
    record.pdf_url = link_of(pdf, base);
    if (record.title.empty()) record.title = "(see its page)";
    take(std::move(record), listing);
  }
  drop_repeats(listing);
  if (listing.records.empty()) throw LayoutChanged("no link to an /Abstract/ page");
  return listing;
}

void read_ijcai_old_paper(std::string_view page, Record& record) {
  const html::Document document(page);
  const Element root(document);
  std::vector<Element> paragraphs = root.all("div.content p");
  if (paragraphs.size() < 2) throw LayoutChanged("no div.content with a title and an abstract");
  const Element names = paragraphs[0].first("i");
  std::string title = paragraphs[0].own_text();
  const std::size_t page_mark = title.rfind(" / ");
  if (page_mark != std::string::npos) title.resize(page_mark);
  if (!trimmed(title).empty()) record.title = trimmed(title);
  if (names) record.authors = {names.text()};
  record.abstract = paragraphs[1].text();
  const Element pdf = root.first("div.content a[href*=.pdf]");
  if (pdf) record.pdf_url = link_of(pdf, record.page_url);
}

Listing read_ijcai_links(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  const Element content = root.first("#content");
  // Committees and prefaces stand before the contents, where there is such a heading.
  bool waits = false;
  for (const Element& heading : root.all("h2"))
    waits = waits || lowered(heading.text()).ends_with("contents");
  Listing listing;
  std::string track;
  for (const Element& element : (content ? content : root).all("h2, h3, h4, p")) {
    const std::string text = element.text();
    if (element.tag() == "h2") {
      waits = waits && !lowered(text).ends_with("contents");
      continue;
    }
    if (waits) continue;
    if (element.tag() != "p" || is_section(element, text)) {
      track = text;
      continue;
    }
    const Element title = title_in(element);
    if (!title) continue;
    Record record;
    record.title = title.text();
    record.pdf_url = link_of(title, base);
    record.id = stem(record.pdf_url);
    record.authors = {names_in(element, title)};
    record.track = track;
    const Element abstract = element.first("a[href*=/Abstract/]");
    record.page_url = link_of(abstract, base);
    take(std::move(record), listing);
  }
  drop_repeats(listing);
  if (listing.records.empty()) throw LayoutChanged("no paragraph whose title links a PDF");
  return listing;
}

std::unique_ptr<Site> ijcai_old_site(const Place& place, const Edition& edition) {
  OnePage page{.hosts = {"www.ijcai.org", "ijcai.org"}};
  const bool split = edition.year < 2003;  // two volumes, a page each
  for (const char* volume : {"-1", "-2"}) {
    if (split) page.urls.push_back(fmt::format("https://www.ijcai.org/Proceedings/{}{}/", place.key, volume));
  }
  if (!split) page.urls.push_back(fmt::format("https://www.ijcai.org/proceedings/{}/", place.key));
  page.read_list = edition.year >= 2015 ? &read_ijcai_old_list : &read_ijcai_links;
  page.read_details = &read_ijcai_old_paper;
  page.has_details = [](const Record& record) {
    return record.page_url.find("/Abstract/") != std::string::npos;
  };
  return one_page_site(std::move(page));
}

}  // namespace mustcite::collect
