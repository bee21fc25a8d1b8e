// The ACL Anthology: its XML (the source of its pages, one file a collection), and its pages.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <pugixml.hpp>
#include <set>
#include <utility>

#include "core/text/acl_anthology.hpp"
#include "core/text/normalise.hpp"
#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

constexpr const char* kXml = "https://raw.githubusercontent.com/acl-org/acl-anthology/master/data/xml/";

std::string text_of(const pugi::xml_node& node) {
  return trimmed(text::acl_text(node));
}

Record read_paper(const std::string& collection, const std::string& volume, const pugi::xml_node& node) {
  Record record;
  const std::string url = text_of(node.child("url"));
  record.id = !url.empty() && url.find('/') == std::string::npos
                  ? url
                  : text::acl_id(collection, volume, node.attribute("id").value());
  record.title = text_of(node.child("title"));
  record.abstract = text_of(node.child("abstract"));
  record.doi = text_of(node.child("doi"));
  record.volume = volume;
  record.page_url = "https://aclanthology.org/" + record.id + "/";
  // A paper without a file of its own has no <url>.
  if (!url.empty()) record.pdf_url = "https://aclanthology.org/" + record.id + ".pdf";
  for (const pugi::xml_node& author : node.children("author")) {
    const std::string first = text_of(author.child("first"));
    const std::string last = text_of(author.child("last"));
    record.authors.push_back(first.empty() ? last : first + " " + last);
  }
  for (const char* mark : {"retracted", "removed"}) {
    if (node.child(mark)) record.withdrawn = fmt::format("the Anthology marks it as {}", mark);
  }
  return record;
}

/// One "collection:volume,volume …" of the table; "*" is every volume.
struct Wanted {
  std::string collection;
  std::set<std::string> volumes;

  [[nodiscard]] bool all() const { return volumes.contains("*"); }
};

std::vector<Wanted> wanted_of(const std::string& key) {
  std::vector<Wanted> wanted;
  std::string word;
  for (const char c : key + " ") {
    if (c != ' ') {
      word.push_back(c);
      continue;
    }
    const std::size_t colon = word.find(':');
    if (colon != std::string::npos) {
      Wanted one{word.substr(0, colon), {}};
      std::string volume;
      for (const char v : word.substr(colon + 1) + ",") {
        if (v != ',') {
          volume.push_back(v);
        } else if (!volume.empty()) {
          one.volumes.insert(std::exchange(volume, {}));
        }
      }
      wanted.push_back(std::move(one));
    }
    word.clear();
  }
  return wanted;
}

class Anthology final : public Site {
 public:
  Anthology(Source source, const std::string& key)
      : pages_(source == Source::acl_pages), wanted_(wanted_of(key)) {}

  std::vector<std::string> hosts() const override {
    return pages_ ? std::vector<std::string>{"aclanthology.org", "www.aclweb.org"}
                  : std::vector<std::string>{"raw.githubusercontent.com", "aclanthology.org"};
  }
  std::vector<std::string> starts() const override {
    std::vector<std::string> urls;
    for (const Wanted& one : wanted_) {
      if (!pages_) urls.push_back(kXml + one.collection + ".xml");
      for (const std::string& volume : one.volumes) {
        if (pages_) urls.push_back("https://aclanthology.org/volumes/" + one.collection + "-" + volume + "/");
      }
    }
    return urls;
  }

  Listing list(Pages& pages) override {
    Listing whole;
    const std::vector<std::string> urls = starts();
    for (std::size_t i = 0; i < urls.size(); ++i) {
      Listing part =
          pages_ ? read_acl_page(pages.list(urls[i])) : read_acl_xml(pages.list(urls[i], net::Expect::xml));
      if (part.stated) whole.stated = whole.stated.value_or(0) + *part.stated;
      std::set<std::string> found;
      for (Record& record : part.records) {
        if (!pages_ && !wanted_[i].all() && !wanted_[i].volumes.contains(record.volume)) continue;
        found.insert(record.volume);
        whole.records.push_back(std::move(record));
      }
      for (Problem& problem : part.problems) whole.problems.push_back(std::move(problem));
      if (!pages_ && !wanted_[i].all() && found != wanted_[i].volumes)
        throw LayoutChanged(fmt::format("{} lacks one of the volumes that it should have", urls[i]));
    }
    return whole;
  }

 private:
  bool pages_;
  std::vector<Wanted> wanted_;
};

}  // namespace

Listing read_acl_xml(std::string_view text) {
  std::string repaired;
  if (!text::is_valid_utf8(text)) text = repaired = text::repair_utf8(text);
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_ws_pcdata, pugi::encoding_utf8);
  Listing listing;
  for (const pugi::xml_node& collection : document.children("collection")) {
    const std::string name = collection.attribute("id").value();
    for (const pugi::xml_node& volume : collection.children("volume")) {
      const std::string id = volume.attribute("id").value();
      const std::string track =
          text::acl_track(id, lowered(text_of(volume.child("meta").child("booktitle"))));
      const int month = text::acl_month(text_of(volume.child("meta").child("month")));
      for (const pugi::xml_node& child : volume.children("paper")) {
        Record record = read_paper(name, id, child);
        record.month = month;
        record.track = track;
        take(std::move(record), listing);
      }
    }
  }
  if (!document.child("collection")) throw LayoutChanged("no <collection> of the ACL Anthology");
  if (!result)
    throw LayoutChanged(fmt::format("broken XML at byte {}: {}", result.offset, result.description()));
  return listing;
}

Listing read_acl_page(std::string_view page) {
  constexpr std::string_view kBase = "https://aclanthology.org/";
  const html::Document document(page);
  const Element root(document);
  std::string title = lowered(root.first("h2#title").text());
  Listing listing;
  for (const Element& entry : root.all("h4.d-sm-flex, p.d-sm-flex")) {
    if (entry.tag() == "h4") {  // an event's page: its volumes one after another
      title = lowered(entry.first("a.align-middle").text());
      continue;
    }
    const Element link = entry.first("strong a.align-middle");
    if (!link) continue;
    Record record;
    record.page_url = link_of(link, kBase);
    record.id = last_segment(record.page_url);
    if (record.id.ends_with(".0")) {
      listing.problems.push_back({record.id, "front matter, not a paper"});
      continue;
    }
    record.title = link.text();
    for (const Element& author : entry.all("a[href*=/people/]")) record.authors.push_back(author.text());
    for (const Element& anchor : entry.all("a[href*=.pdf]")) {
      if (record.pdf_url.empty()) record.pdf_url = link_of(anchor, kBase);
    }
    const Element next = entry.next_sibling();
    if (next && next.has_class("abstract-collapse") && next.attribute("id").starts_with("abstract-"))
      record.abstract = next.first("div.card-body").text();
    const std::size_t dash = record.id.find('-');
    const std::size_t dot = record.id.rfind('.');
    record.volume = dot != std::string::npos && dash != std::string::npos && dot > dash
                        ? record.id.substr(dash + 1, dot - dash - 1)
                        : record.id.substr(dash + 1, 1);
    record.track = record.id.find(".findings-") != std::string::npos ? "findings"
                                                                     : text::acl_track(record.volume, title);
    if (entry.first(".badge-danger, del, .retracted"))
      record.withdrawn = "the Anthology marks it as retracted";
    take(std::move(record), listing);
  }
  if (listing.records.empty()) throw LayoutChanged("no p.d-sm-flex with a linked title");
  for (const Element& badge : root.all("span.badge, .badge")) {
    const std::string text = badge.text();
    if (text.ends_with("papers") && !listing.stated) listing.stated = number_in(text);
  }
  return listing;
}

std::unique_ptr<Site> acl_site(const Place& place) {
  return std::make_unique<Anthology>(place.source, place.key);
}

}  // namespace mustcite::collect
