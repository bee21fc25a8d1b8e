// www.ijcai.org: proceedings since 2017, the pages before, and lists of accepted papers.
#include <fmt/format.h>

#include <set>

#include "stages/collect/html/citation_metas.hpp"
#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

class Ijcai final : public Site {
 public:
  Ijcai(Source source, std::string key, int year) : source_(source), key_(std::move(key)), year_(year) {}

  std::vector<std::string> hosts() const override {
    if (source_ == Source::ijcai_accepted) return {fmt::format("{}.ijcai.org", year_)};
    return {"www.ijcai.org", "ijcai.org"};
  }
  std::vector<std::string> starts() const override {
    if (source_ == Source::ijcai_accepted)
      return {fmt::format("https://{}.ijcai.org/accepted-papers/?ijtrack=main-track", year_)};
    return {fmt::format("https://www.ijcai.org/proceedings/{}/", year_)};
  }
  Listing list(Pages& pages) override {
    const std::string url = starts().front();
    const std::string page = pages.list(url);
    switch (source_) {
      case Source::ijcai_accepted:
        return read_ijcai_accepted(page, url);
      case Source::ijcai_old:
        return read_ijcai_old_list(page, url);
      default:
        return read_ijcai_list(page, url);
    }
  }
  bool has_details(const Record& record) const override {
    return source_ != Source::ijcai_accepted && !record.page_url.empty();
  }
  void read_details(std::string_view page, Record& record) const override {
    if (source_ == Source::ijcai_old) {
      read_ijcai_old_paper(page, record);
    } else {
      read_ijcai_paper(page, record);
    }
  }

 private:
  Source source_;
  std::string key_;
  int year_;
};

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
    if (record.id.empty() || record.title.empty()) {
      listing.problems.push_back({record.title, "an entry without a title or a number"});
    } else {
      listing.records.push_back(std::move(record));
    }
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
  if (!metas.authors.empty()) record.authors = metas.authors;
  if (!metas.pdf_url.empty()) record.pdf_url = metas.pdf_url;
  if (!metas.doi.empty()) record.doi = metas.doi;
  record.abstract = abstract_of(root);
}

Listing read_ijcai_old_list(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  std::set<std::string> seen;
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
    if (record.id.empty() || !seen.insert(record.id).second) continue;
    if (record.title.empty()) record.title = "(see its page)";
    listing.records.push_back(std::move(record));
  }
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
    if (record.id.empty() || record.title.empty()) {
      listing.problems.push_back({record.title, "an entry without a title or a number"});
    } else {
      listing.records.push_back(std::move(record));
    }
  }
  if (listing.records.empty()) throw LayoutChanged("no li.ij-paper with a title");
  return listing;
}

std::unique_ptr<Site> ijcai_site(const Place& place, const Edition& edition) {
  return std::make_unique<Ijcai>(place.source, place.key, edition.year);
}

}  // namespace mustcite::collect
