// www.aaai.org: contents pages of the proceedings (2000-2010) and lists of accepted papers (2011-2014). The
// site asks for twelve hours between two requests, so these pages are read with --from-dir.
#include <fmt/format.h>

#include <algorithm>

#include "core/text/names.hpp"
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

bool is_heading(const Element& element) {
  return element.tag() == "h2" || element.tag() == "h3" || element.tag() == "h4" || element.tag() == "h5";
}

/// What stands before the sections of papers: committees, awards, prefaces, sponsors. Within a section the
/// same words may begin the title of a paper ("Indexing …").
bool is_front_matter(const std::string& title, const std::string& section) {
  const std::string lower = lowered(title);
  if (lower == "index" || lower == "author index" || lower == "subject index") return true;
  if (!section.empty() && lowered(section) != "contents") return false;
  for (const std::string_view mark :
       {"organization", "committees", "award", "sponsor", "preface", "invited talk", "acknowledg",
        "author index", "contents", "invited speaker", "front matter", "index"}) {
    if (lower.find(mark) != std::string::npos && lower.size() < mark.size() + 45) return true;
  }
  return false;
}

/// Ids: "1774" of the OCS pages, "aaai08-038" of the older ones.
std::string id_of(std::string_view url) {
  return lowered(stem(url));
}

/// The text after a line break of a paragraph: names when it is not set in italics.
std::string after_break(const Element& paragraph) {
  const Element line = paragraph.first("br");
  return line ? text_after(line, {}) : std::string();
}

/// A part of "Ada Oak and Bo Elm, University of X; …" that names a place of work (the pages of 2000 print
/// them).
bool is_institution(std::string_view part) {
  const std::string lower = text::fold(part);
  for (const std::string_view mark : {"universi",
                                      "institut",
                                      "college",
                                      "laborator",
                                      "research",
                                      "school",
                                      "center",
                                      "centre",
                                      "technolog",
                                      "corporation",
                                      " inc",
                                      " labs",
                                      "academy",
                                      "nasa",
                                      "inria",
                                      "department",
                                      "polytechnic",
                                      "politecnico",
                                      "sri international",
                                      "microsoft",
                                      "ibm",
                                      "at&t",
                                      "science"}) {
    if (lower.find(mark) != std::string::npos) return true;
  }
  return false;
}

std::vector<std::string> names_of(const std::string& text) {
  if (!is_institution(text)) return {text};
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string_view group = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    // Of each group the names come first, by commas and "and", then where they work.
    for (std::size_t at = 0; at < group.size();) {
      const std::size_t comma = std::min(group.find(',', at), group.size());
      const std::string_view part = group.substr(at, comma - at);
      at = comma + 1;
      if (is_institution(part)) {
        // "…and Bo Elm. University of X": a full stop in the comma's place.
        const std::size_t stop = part.rfind(". ");
        const std::string_view before = part.substr(0, stop == std::string_view::npos ? 0 : stop);
        if (before.find(' ') != std::string_view::npos && !is_institution(before)) {
          for (std::string& name : text::split_authors(before)) names.push_back(std::move(name));
        }
        break;
      }
      for (std::string& name : text::split_authors(part)) names.push_back(std::move(name));
    }
  }
  return names;
}

/// The names are the last italics: earlier ones may belong to the title.
Element names_in(const Element& paragraph) {
  const std::vector<Element> italics = paragraph.all("i");
  return italics.empty() ? Element() : italics.back();
}

Element content_of(const Element& root) {
  for (const char* place : {"#box6", "#content"}) {
    if (const Element found = root.first(place)) return found;
  }
  return root;
}

}  // namespace

Listing read_aaai_library(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element content = content_of(Element(document));
  Listing listing;
  std::string section;
  for (const Element& element : content.all("h2, h3, h4, h5, p.left, p")) {
    if (is_heading(element)) {
      section = element.text();
      continue;
    }
    const Element link = element.first("a");
    const std::string url = link_of(link, base);
    const bool paper = url.find("/paper/view") != std::string::npos ||
                       url.find("/Library/") != std::string::npos ||
                       url.find("/Papers/") != std::string::npos;
    const bool entry = element.has_class("left") || element.first("i");
    if (!paper || !entry || url.find("contents.php") != std::string::npos) continue;
    Record record;
    record.title = link.text();
    record.page_url = url;
    record.id = id_of(url);
    record.track = section;
    const Element names = names_in(element);
    record.authors = names_of(
        names && names.index() > link.index() + 1 && !link.first("i") ? names.text() : after_break(element));
    if (url.ends_with(".pdf")) record.pdf_url = url;
    if (is_front_matter(record.title, section)) {
      listing.problems.push_back({record.id, "front matter, not a paper: " + record.title});
    } else {
      take(std::move(record), listing);
    }
  }
  if (listing.records.empty()) throw LayoutChanged("no paragraph links a paper of the library");
  return listing;
}

Listing read_aaai_accepted(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element content = content_of(Element(document));
  Listing listing;
  std::string section;
  std::size_t number = 0;
  for (const Element& element : content.all("h3, h4, p")) {
    if (element.tag() != "p") {
      section = element.text();
      continue;
    }
    // Title, line break, authors; before the first section the page talks about itself.
    const Element line = element.first("br");
    if (!line || section.empty()) continue;
    Record record;
    const std::string names_and_more = after_break(element);
    const std::string whole = element.text();
    record.title = trimmed(
        std::string_view(whole).substr(0, whole.size() - std::min(whole.size(), names_and_more.size())));
    const Element italics = names_in(element);
    if (record.title.empty() && italics) {
      // The paragraph begins with a break of its own: the title stands before the italic names.
      record.title = trimmed(std::string_view(whole).substr(0, whole.rfind(italics.text())));
    }
    // Submission numbers ("18(was II): Plan Diversity …" of 2011) begin anew in each track: they are no ids.
    const std::size_t colon = record.title.find(": ");
    if (!record.title.empty() && record.title[0] >= '0' && record.title[0] <= '9' &&
        colon != std::string::npos && colon < 20)
      record.title.erase(0, colon + 2);
    record.id = fmt::format("accepted-{}", ++number);
    record.authors = {italics ? italics.text() : names_and_more};
    record.track = section;
    record.page_url = std::string(base);
    take(std::move(record), listing);
  }
  if (listing.records.empty()) throw LayoutChanged("no paragraph of a title and authors below a section");
  return listing;
}

void read_aaai_library_paper(std::string_view page, Record& record) {
  const html::Document document(page);
  const Element root(document);
  // A small window: the title as a heading, authors in italics, the abstract as the longest paragraph.
  if (!root.first("h1, h2, h3")) throw LayoutChanged("no heading");
  std::string longest;
  for (const Element& paragraph : root.all("p")) {
    std::string text = paragraph.text();
    if (text.size() > longest.size()) longest = std::move(text);
  }
  if (longest.size() >= 100) record.abstract = std::move(longest);
  for (const Element& link : root.all("a[href*=.pdf]")) {
    if (record.pdf_url.empty()) record.pdf_url = link_of(link, record.page_url);
  }
}

std::unique_ptr<Site> aaai_library_site(const Place& place) {
  const bool accepted = place.key.find("accepts") != std::string::npos;
  return one_page_site({.hosts = {"www.aaai.org", "aaai.org"},
                        .urls = {"https://www.aaai.org/" + place.key},
                        .read_list = accepted ? &read_aaai_accepted : &read_aaai_library,
                        .read_details = &read_aaai_library_paper,
                        .has_details = [](const Record& record) {
                          return record.page_url.find("/Library/") != std::string::npos;
                        }});
}

}  // namespace mustcite::collect
