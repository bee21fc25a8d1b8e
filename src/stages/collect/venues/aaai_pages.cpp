// aaai.org as it is today: a page a year that links its tracks, a page a track, a page a paper. The site asks
// for twelve hours between two requests, so these pages are read with --from-dir.
#include <fmt/format.h>

#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

Element content_of(const Element& root) {
  for (const char* place : {"#genesis-content", "main.content", "main"}) {
    if (const Element found = root.first(place)) return found;
  }
  return {};
}

class AaaiPages final : public Site {
 public:
  explicit AaaiPages(std::string key) : key_(std::move(key)) {}

  std::vector<std::string> hosts() const override { return {"aaai.org", "www.aaai.org"}; }
  std::vector<std::string> starts() const override { return {"https://aaai.org/proceeding/" + key_ + "/"}; }
  Listing list(Pages& pages) override {
    const std::string url = starts().front();
    Listing whole = read_aaai_tracks(pages.list(url), url);
    const std::vector<std::string> tracks = std::move(whole.more);
    whole.more.clear();
    for (const std::string& track : tracks) append(read_aaai_track(pages.list(track), track), whole);
    drop_repeats(whole);
    return whole;
  }
  bool has_details(const Record& record) const override { return !record.page_url.empty(); }
  void read_details(std::string_view page, Record& record) const override { read_aaai_paper(page, record); }

 private:
  std::string key_;
};

}  // namespace

Listing read_aaai_tracks(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element content = content_of(Element(document));
  Listing listing;
  for (const Element& link : content.all("li a")) {
    const std::string url = link_of(link, base);
    if (!url.empty() && url != base) listing.more.push_back(url);
  }
  if (listing.more.empty()) throw LayoutChanged("no list of tracks in the page's content");
  return listing;
}

Listing read_aaai_track(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element content = content_of(Element(document));
  Listing listing;
  for (const Element& track : content.all("div.track-wrap")) {
    const std::string name = track.first("h2").text();
    for (const Element& entry : track.all("li")) {
      const Element title = entry.first("h5");
      if (!title) continue;
      Record record;
      record.title = title.text();
      record.page_url = link_of(title.first("a"), base);
      record.pdf_url = link_of(entry.first("a.wp-block-button, .wp-block-button a"), base);
      record.id = last_segment(record.page_url.empty() ? record.pdf_url : record.page_url);
      record.authors = {entry.first("p, .papers-author-page").text()};
      record.track = name;
      take(std::move(record), listing);
    }
  }
  if (listing.records.empty()) throw LayoutChanged("no div.track-wrap with li > h5");
  return listing;
}

void read_aaai_paper(std::string_view page, Record& record) {
  const html::Document document(page);
  const Element content = content_of(Element(document));
  if (!content) throw LayoutChanged("no #genesis-content");
  // "Abstract:" stands as a heading or at the head of its paragraph.
  for (const Element& part : content.all("h2, h3, h4, h5, p, strong, div")) {
    const std::string text = part.text();
    const std::string lower = lowered(text);
    if (lower == "abstract" || lower == "abstract:") {
      const Element next = part.next_sibling();
      record.abstract = next ? next.text() : text_after(part, {});
    } else if (part.tag() == "p" && lower.starts_with("abstract:")) {
      record.abstract = trimmed(std::string_view(text).substr(9));
    }
    if (!record.abstract.empty()) break;
  }
  const std::string pdf = link_of(content.first("div.pdf-button a"), record.page_url);
  if (!pdf.empty()) record.pdf_url = pdf;
}

std::unique_ptr<Site> aaai_pages_site(const Place& place) {
  return std::make_unique<AaaiPages>(place.key);
}

}  // namespace mustcite::collect
