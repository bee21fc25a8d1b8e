// jmlr.org: volumes since 2000. A paper's year is its volume's, whatever is printed beside it.
#include <fmt/format.h>

#include "stages/collect/html/citation_metas.hpp"
#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
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

class Jmlr final : public Site {
 public:
  explicit Jmlr(std::string volume) : volume_(std::move(volume)) {}

  std::vector<std::string> hosts() const override {
    return {"jmlr.org", "www.jmlr.org", "jmlr.csail.mit.edu"};
  }
  std::vector<std::string> starts() const override { return {"https://jmlr.org/papers/v" + volume_ + "/"}; }
  Listing list(Pages& pages) override {
    const std::string url = starts().front();
    return read_jmlr_volume(pages.list(url), url);
  }
  bool has_details(const Record& record) const override { return !record.page_url.empty(); }
  void read_details(std::string_view page, Record& record) const override { read_jmlr_paper(page, record); }

 private:
  std::string volume_;
};

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
    if (record.id.empty() || record.title.empty()) {
      listing.problems.push_back({record.title, "an entry without a title or a link to its page"});
    } else {
      listing.records.push_back(std::move(record));
    }
  }
  if (listing.records.empty()) throw LayoutChanged("no dt with a title and links");
  return listing;
}

void read_jmlr_paper(std::string_view page, Record& record) {
  const html::Document document(page);
  const Element root(document);
  const html::CitationMetas metas = html::citation_metas(root);
  if (!metas.authors.empty()) record.authors = metas.authors;
  if (!metas.pdf_url.empty()) record.pdf_url = metas.pdf_url;
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
  return std::make_unique<Jmlr>(place.key);
}

}  // namespace mustcite::collect
