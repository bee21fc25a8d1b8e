// proceedings.neurips.cc, its separate host for datasets in 2021, and proceedings.iclr.cc: one grammar.
#include <fmt/format.h>
#include <simdjson.h>

#include "stages/collect/html/citation_metas.hpp"
#include "stages/collect/html/document.hpp"
#include "stages/collect/site.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

/// "<hash>-Abstract-Conference.html" → hash and what follows "Abstract".
struct PaperName {
  std::string hash;
  std::string suffix;
};

PaperName name_of(std::string_view url) {
  const std::string name = stem(url);
  const std::size_t at = name.find("-Abstract");
  if (at == std::string::npos || at == 0) return {};
  const std::size_t rest = at + std::string_view("-Abstract").size();
  return {name.substr(0, at), rest < name.size() ? name.substr(rest + 1) : std::string()};
}

/// The hashes of the datasets host of 2021 stand twice, once a round, so the round belongs to the id.
std::string id_of(const PaperName& name) {
  return name.suffix.starts_with("round") ? name.hash + "-" + name.suffix : name.hash;
}

std::string pdf_of(std::string url) {
  const std::size_t folder = url.rfind("/hash/");
  const std::size_t word = url.rfind("-Abstract");
  if (folder == std::string::npos || word == std::string::npos || !url.ends_with(".html")) return {};
  url.replace(url.size() - 5, 5, ".pdf");
  url.replace(word, 9, "-Paper");
  url.replace(folder, 6, "/file/");
  return url;
}

Record read_entry(const Element& entry, const Element& link, std::string_view base) {
  Record record;
  record.page_url = link_of(link, base);
  const PaperName name = name_of(record.page_url);
  record.id = id_of(name);
  record.title = link.text();
  Element authors = entry.first("span.paper-authors");
  if (!authors) authors = entry.first("i");
  if (authors) record.authors = {authors.text()};
  record.track = entry.attribute("data-track");
  if (record.track.empty() || record.track == "none") record.track = name.suffix;
  record.pdf_url = pdf_of(record.page_url);
  return record;
}

/// The abstract may stand after its own, empty, paragraph: the sources nest <p> in <p>.
std::string abstract_of(const Element& page) {
  for (const Element& label : page.all("h2, h4")) {
    if (lowered(label.text()) != "abstract") continue;
    Element end = label.next_sibling();
    while (end && end.tag() != "h2" && end.tag() != "h4") end = end.next_sibling();
    return text_after(label, end);
  }
  return page.first("p.paper-abstract").text();
}

/// "<hash>-Abstract.html" → "<hash>-Metadata.json". Only papers without a track in their name (up to 2021)
/// have one.
std::string metadata_of(const Record& record) {
  const std::string pdf = pdf_of(record.page_url);
  constexpr std::string_view kEnd = "-Paper.pdf";
  if (!pdf.ends_with(kEnd)) return {};
  return pdf.substr(0, pdf.size() - kEnd.size()) + "-Metadata.json";
}

class NeurIps final : public Site {
 public:
  NeurIps(std::string host, std::string path) : host_(std::move(host)), path_(std::move(path)) {}

  std::vector<std::string> hosts() const override { return {host_, "papers.nips.cc"}; }
  std::vector<std::string> starts() const override { return {"https://" + host_ + path_}; }

  Listing list(Pages& pages) override {
    const std::string url = starts().front();
    Listing whole = read_neurips_list(pages.list(url), url);
    // 2025: the first page holds one track and links the volume that holds the rest.
    const std::vector<std::string> more = std::move(whole.more);
    whole.more.clear();
    for (const std::string& next : more) {
      append(read_neurips_list(pages.list(next), next), whole);
    }
    return whole;
  }

  bool has_details(const Record& record) const override { return !record.page_url.empty(); }
  void read_details(std::string_view page, Record& record) const override {
    read_neurips_paper(page, record);
  }
  std::string second_address(const Record& record) const override { return metadata_of(record); }
  void read_second(std::string_view text, Record& record) const override {
    read_neurips_metadata(text, record);
  }

 private:
  std::string host_;
  std::string path_;
};

}  // namespace

Listing read_neurips_list(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  for (const Element& link : root.all("li a")) {
    const bool marked = link.attribute("title") == "paper title";
    if (!marked && name_of(link.attribute("href")).hash.empty()) continue;
    Element entry = link.parent();
    while (entry && entry.tag() != "li") entry = entry.parent();
    Record record = read_entry(entry, link, base);
    take(std::move(record), listing);
  }
  listing.stated = number_in(root.first("span.paper-count").text());
  for (const Element& link : root.all("a[href*=-main-conference]")) {
    const std::string url = link_of(link, base);
    if (!url.empty() && url != base) listing.more.push_back(url);
  }
  if (listing.records.empty() && listing.problems.empty() && listing.more.empty())
    throw LayoutChanged("no list item links a paper by title and hash");
  return listing;
}

void read_neurips_paper(std::string_view page, Record& record) {
  const html::Document document(page);
  const Element root(document);
  const html::CitationMetas metas = html::citation_metas(root);
  const Element heading = root.first("h1.paper-title");
  if (metas.title.empty() && !heading) throw LayoutChanged("neither citation_title nor h1.paper-title");
  if (!metas.title.empty()) record.title = metas.title;
  take_metas(metas, record);
  record.abstract = abstract_of(root);
}

void read_neurips_metadata(std::string_view text, Record& record) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS || !root.is_object())
    throw LayoutChanged("no JSON object");
  const auto text_at = [](const simdjson::dom::element& object, std::string_view key) {
    std::string_view value;
    return object[key].get(value) == simdjson::SUCCESS ? trimmed(value) : std::string();
  };
  const std::string abstract = text_at(root, "abstract");
  std::vector<std::string> authors;
  simdjson::dom::array list;
  if (root["authors"].get(list) == simdjson::SUCCESS) {
    for (const simdjson::dom::element author : list) {
      std::string name = trimmed(text_at(author, "given_name") + " " + text_at(author, "family_name"));
      if (!name.empty()) authors.push_back(std::move(name));
    }
  }
  if (abstract.empty() && authors.empty()) throw LayoutChanged("neither an abstract nor authors");
  if (record.abstract.empty()) record.abstract = abstract;
  if (!authors.empty()) record.authors = std::move(authors);
}

std::unique_ptr<Site> neurips_site(const Place& place) {
  if (place.source == Source::neurips_datasets)
    return std::make_unique<NeurIps>("datasets-benchmarks-proceedings.neurips.cc", "/paper/" + place.key);
  const bool iclr = place.source == Source::iclr_proceedings;
  return std::make_unique<NeurIps>(iclr ? "proceedings.iclr.cc" : "proceedings.neurips.cc",
                                   "/paper_files/paper/" + place.key);
}

}  // namespace mustcite::collect
