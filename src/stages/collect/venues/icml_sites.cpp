// ICML before PMLR: each year's own site, of which icml.cc keeps copies. 2008 to 2012 have abstracts on one
// page, 2004 and 2007 on a page a paper, 2005 none.
#include <utility>

#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/one_page_site.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool begins_with(const std::string& text, std::string_view words) {
  return lowered(text).starts_with(words);
}

/// The text behind a label: "Abstract: We …" → "We …".
std::string without_label(const std::string& text, std::string_view label) {
  return begins_with(text, label) ? trimmed(std::string_view(text).substr(label.size())) : text;
}

/// An entry of the pages of 2008 to 2011, gathered piece by piece: they stand beside each other, not in a
/// block of their own.
class AbstractsPage {
 public:
  AbstractsPage(const Element& root, std::string_view base) : root_(root), base_(base) {}

  Listing read() {
    for (const Element& element : root_.all("a, h3, p, i, em, span.name")) {
      if (element.tag() == "a") {
        anchor(element);
      } else if (element.tag() == "h3") {
        heading(element);
      } else if (element.tag() == "p") {
        paragraph(element);
      } else if (open_ && record_.authors.empty() && !is_in_heading(element)) {
        record_.authors = people_of(element.text());
      }
    }
    close();
    return std::move(listing_);
  }

 private:
  void anchor(const Element& link) {
    const std::string_view name = link.attribute("name");
    // Numbers stand before the heading, or (2009) in it.
    if (is_number(name)) number_ = name;
    if (name == "cross") track_ = "Invited Cross-Conference Track";
    const std::string text = lowered(link.text());
    const bool file = text == "full paper" || text == "download" || text == "[full paper]";
    if (open_ && file && record_.pdf_url.empty()) record_.pdf_url = link_of(link, base_);
  }

  void heading(const Element& title) {
    close();
    const Element inside = title.first("a");
    std::string number = std::exchange(number_, {});
    if (inside && is_number(inside.attribute("name"))) number = inside.attribute("name");
    record_ = {};
    record_.title = title.text();
    record_.page_url = std::string(base_) + (number.empty() ? "" : "#" + number);
    record_.id = std::move(number);
    record_.track = track_;
    open_ = true;
    numbered_ = false;
  }

  void paragraph(const Element& element) {
    const std::string text = element.text();
    numbered_ = numbered_ || begins_with(text, "paper id");
    if (!open_ || begins_with(text, "paper id") || text.empty() || text.front() == '[') return;
    if (element.first("i, em") && record_.authors.empty()) return;  // comes next, on its own
    if (!record_.abstract.empty()) record_.abstract.push_back(' ');
    record_.abstract += without_label(text, "abstract:");
  }

  /// Headings of menus have neither a number nor a file.
  void close() {
    if (!open_) return;
    open_ = false;
    if (record_.pdf_url.empty() && !numbered_ && record_.track.empty()) {
      listing_.problems.push_back({record_.title, "a heading without a paper"});
    } else {
      take(std::move(record_), listing_);
    }
  }

  static bool is_in_heading(const Element& element) {
    for (Element around = element.parent(); around; around = around.parent()) {
      if (around.tag() == "h3") return true;
    }
    return false;
  }

  const Element& root_;
  std::string_view base_;
  Listing listing_;
  Record record_;
  std::string number_;
  std::string track_;
  bool open_ = false;
  bool numbered_ = false;
};

/// "[Abstract]" and "[Paper]" links of the lists of 2004 and 2007.
void take_links(const Element& block, std::string_view base, Record& record) {
  for (const Element& link : block.all("a")) {
    const std::string text = lowered(link.text());
    if (text == "[abstract]" || text == "abstract") record.page_url = link_of(link, base);
    if (text == "[paper]" || text == "paper") record.pdf_url = link_of(link, base);
  }
}

std::string id_of(const Record& record) {
  return stem(record.page_url.empty() ? record.pdf_url : record.page_url);
}

/// Names with where people work behind a dash, one a paragraph or a line.
std::vector<std::string> people_in(const Element& block) {
  std::vector<std::string> people;
  for (const Element& paragraph : block.all("p")) {
    for (std::string& name : people_with_places(paragraph.text())) people.push_back(std::move(name));
  }
  return people;
}

/// 2004 and 2005: rows of one table, title, links and authors each in a row of its own class.
void read_rows(const Element& root, std::string_view base, Listing& listing) {
  Record record;
  bool open = false;
  const auto close = [&] {
    if (!open) return;
    record.id = id_of(record);
    take(std::move(record), listing);
    record = {};
    open = false;
  };
  for (const Element& row : root.all("tr")) {
    const std::string kind(row.attribute("class"));
    const bool titled = kind == "proc_2004_title" || kind == "proc_2005_link";
    if (titled) {
      close();
      open = true;
      record.title = row.text();
      record.pdf_url = link_of(row.first("a[href*=.pdf], a[href*=.ps]"), base);
    } else if (open && (kind == "proc_2004_authors" || kind == "proc_2005_authors")) {
      record.authors = people_of(row.text());
    } else if (open) {
      take_links(row, base, record);
    }
  }
  close();
}

/// 2007: a section a paper.
void read_sections(const Element& root, std::string_view base, Listing& listing) {
  for (const Element& section : root.all("div.section")) {
    const Element title = section.first("h2");
    if (!title || section.first("div.section")) continue;
    Record record;
    record.title = title.text();
    take_links(section, base, record);
    if (record.page_url.empty() && record.pdf_url.empty()) continue;
    record.id = id_of(record);
    record.authors = people_in(section.first("blockquote"));
    take(std::move(record), listing);
  }
}

}  // namespace

Listing read_icml_abstracts(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing = AbstractsPage(root, base).read();
  if (listing.records.empty()) throw LayoutChanged("no h3 with a numbered paper below it");
  return listing;
}

Listing read_icml_2012(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  for (const Element& entry : root.all("div.paper")) {
    Record record;
    const std::string_view number = entry.attribute("id");
    record.id = number.starts_with("paper-") ? std::string(number.substr(6)) : std::string();
    record.title = entry.first("h2").text();
    record.authors = people_of(entry.first("p.authors").text());
    record.abstract = without_label(entry.first("p.abstract").text(), "abstract:");
    record.page_url = std::string(base) + "#" + std::string(number);
    const std::string kind = lowered(entry.first("p.type").text());
    if (kind.find("not for proceedings") != std::string::npos)
      record.withdrawn = "marked as not for the proceedings";
    for (const Element& link : entry.all("a")) {
      const std::string url = link_of(link, base);
      if (lowered(link.text()).starts_with("icml version")) record.pdf_url = url;
      const std::size_t arxiv = url.find("arxiv.org/abs/");
      if (arxiv != std::string::npos) record.arxiv_id = url.substr(arxiv + 14);
    }
    take(std::move(record), listing);
  }
  if (listing.records.empty()) throw LayoutChanged("no div.paper with an id and an h2");
  return listing;
}

Listing read_icml_list(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  read_rows(root, base, listing);
  if (listing.records.empty()) read_sections(root, base, listing);
  if (listing.records.empty()) throw LayoutChanged("neither rows of titles nor sections with a file");
  return listing;
}

void read_icml_paper(std::string_view page, Record& record) {
  const html::Document document(page);
  const Element root(document);
  const std::vector<Element> cells = root.all("td");
  if (!root.first("th") || cells.size() < 2)
    throw LayoutChanged("no table of a title, authors and an abstract");
  record.abstract = cells[1].text();
}

std::unique_ptr<Site> icml_site(const Place& place) {
  const std::string& key = place.key;
  OnePage page{.hosts = {"icml.cc", "www.icml.cc"}, .urls = {"https://icml.cc/" + key}};
  if (key.starts_with("2012")) {
    page.read_list = &read_icml_2012;
  } else if (key.find("abstracts") != std::string::npos || key.find("papers.php") != std::string::npos) {
    page.read_list = &read_icml_abstracts;
  } else {
    page.read_list = &read_icml_list;
    // The list of 2005 links no abstracts.
    if (!key.starts_with("Conferences/2005")) page.read_details = &read_icml_paper;
  }
  return one_page_site(std::move(page));
}

}  // namespace mustcite::collect
