// proceedings.mlr.press: ICML, AISTATS, COLT, UAI.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/text/bibtex.hpp"
#include "core/text/names.hpp"
#include "core/text/normalise.hpp"
#include "stages/collect/html/citation_metas.hpp"
#include "stages/collect/html/document.hpp"
#include "stages/collect/venues/link_parts.hpp"
#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"
#include "stages/collect/venues/yaml.hpp"

namespace mustcite::collect {
namespace {

using html::Element;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Prefaces and front matter stand among the papers.
bool is_front_matter(const Record& record) {
  const std::string title = lowered(record.title);
  const std::string section = lowered(record.track);
  return section == "preface" || section == "frontmatter" || section == "front matter" ||
         title == "preface" || title == "frontmatter" || title == "front matter" ||
         title.ends_with(": preface") || title.starts_with("preface:") || title.starts_with("preface to ");
}

Record read_entry(const Element& entry, std::string_view base, const std::string& section) {
  Record record;
  record.title = entry.first("p.title").text();
  record.authors = {entry.first("span.authors").text()};
  record.track = section;
  for (const Element& link : entry.all("p.links a")) {
    const std::string text = lowered(link.text());
    const std::string url = link_of(link, base);
    if (text == "abs") {
      record.page_url = url;
      record.id = stem(url);
    } else if (text == "download pdf" || text == "pdf") {
      record.pdf_url = url;
    } else if (text == "openreview") {
      const std::size_t id = url.find("forum?id=");
      if (id != std::string::npos) record.openreview_id = url.substr(id + 9);
    }
  }
  return record;
}

/// One paper of citeproc or of a post.
Record from_yaml(const Yaml& entry) {
  Record record;
  record.id = entry["id"].scalar;
  record.title = entry["title"].scalar;
  record.abstract = entry["abstract"].scalar;
  record.track = entry["section"].scalar;
  record.pdf_url = entry["pdf"].scalar;
  record.openreview_id = entry["openreview"].scalar;
  for (const Yaml& author : entry["author"].list) {
    std::string name = author["given"].scalar;
    for (const char* part : {"prefix", "family", "suffix"}) {
      const std::string& word = author[part].scalar;
      if (!word.empty()) name += (name.empty() ? "" : " ") + word;
    }
    if (!name.empty()) record.authors.push_back(std::move(name));
  }
  return record;
}

std::vector<std::string> sorted_words(const std::string& name) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text::fold(name) + " ") {
    if (c != ' ') {
      word.push_back(c);
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  std::sort(words.begin(), words.end());
  return words;
}

/// The files name given and family names apart, and at times the wrong way round. Where the page prints the
/// same words in another order, the page is right: it shows what the authors saw.
std::vector<std::string> in_printed_order(std::vector<std::string> names,
                                          const std::vector<std::string>& printed_list) {
  const std::vector<std::string> printed =
      printed_list.size() == 1 ? text::split_authors(printed_list.front()) : printed_list;
  if (printed.size() != names.size()) return names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text::fold(names[i]) != text::fold(printed[i]) && sorted_words(names[i]) == sorted_words(printed[i]))
      names[i] = printed[i];
  }
  return names;
}

/// What the page of the volume does not say, or says less well (its authors are one comma list).
void complete(Record& record, const Record& known) {
  if (record.abstract.empty()) record.abstract = known.abstract;
  if (!known.authors.empty()) record.authors = in_printed_order(known.authors, record.authors);
  if (record.pdf_url.empty()) record.pdf_url = known.pdf_url;
  if (record.openreview_id.empty()) record.openreview_id = known.openreview_id;
  if (record.track.empty()) record.track = known.track;
}

class Pmlr final : public Site {
 public:
  explicit Pmlr(std::string volume) : volume_(std::move(volume)) {}

  std::vector<std::string> hosts() const override {
    return {"proceedings.mlr.press", "raw.githubusercontent.com"};
  }
  std::vector<std::string> starts() const override {
    const std::string folder = "https://proceedings.mlr.press/" + volume_ + "/";
    return {folder, folder + "assets/bib/citeproc.yaml"};
  }

  Listing list(Pages& pages) override {
    const std::vector<std::string> urls = starts();
    const std::string page = pages.list(urls[0]);
    Listing listing = read_pmlr_volume(page, urls[0]);
    // Reissues of older proceedings (r0 to r5) call themselves "R3".
    const std::string wanted = (volume_.starts_with('r') ? "R" : "Volume ") + volume_.substr(1) + ":";
    if (!contains(page, wanted)) throw LayoutChanged("the page does not say '" + wanted + "'");
    std::unordered_map<std::string, Record> known;
    for (Record& record : whole_volume(pages, urls)) known.emplace(record.id, record);
    for (Record& record : listing.records) {
      const auto found = known.find(record.id);
      if (found != known.end()) complete(record, found->second);
      record.id = volume_ + "_" + record.id;
    }
    return listing;
  }

  bool has_details(const Record& record) const override {
    return record.abstract.empty() && !record.page_url.empty();
  }
  void read_details(std::string_view page, Record& record) const override { read_pmlr_paper(page, record); }

 private:
  /// The files that hold a whole volume; a volume without them is read page by page.
  static std::vector<Record> whole_volume(Pages& pages, const std::vector<std::string>& urls) {
    try {
      return read_pmlr_citeproc(pages.list(urls[1], net::Expect::text));
    } catch (const PageUnavailable& problem) {
      if (problem.end() == net::PageEnd::unavailable) throw;
    }
    try {
      return read_pmlr_bib(pages.list(urls[0] + "assets/bib/bibliography.bib", net::Expect::text));
    } catch (const PageUnavailable& problem) {
      if (problem.end() == net::PageEnd::unavailable) throw;
      return {};
    }
  }

  std::string volume_;
};

}  // namespace

Listing read_pmlr_volume(std::string_view page, std::string_view base) {
  const html::Document document(page);
  const Element root(document);
  Listing listing;
  std::string section;
  std::size_t entries = 0;
  for (const Element& element : root.all("h3, div.paper")) {
    if (element.tag() == "h3") {
      section = element.text();
      continue;
    }
    ++entries;
    Record record = read_entry(element, base, section);
    if (is_front_matter(record)) {
      listing.problems.push_back({record.id, "front matter, not a paper"});
      --entries;
    } else {
      take(std::move(record), listing);
    }
  }
  if (listing.records.empty()) throw LayoutChanged("no div.paper with a title and a link to its page");
  listing.stated = entries;
  return listing;
}

void read_pmlr_paper(std::string_view page, Record& record) {
  const html::Document document(page);
  const Element root(document);
  const html::CitationMetas metas = html::citation_metas(root);
  if (metas.title.empty() && !root.first("div.abstract"))
    throw LayoutChanged("neither citation_title nor div.abstract");
  if (!metas.title.empty() && record.title.empty()) record.title = metas.title;
  take_metas(metas, record);
  record.abstract = root.first("div.abstract").text();
}

std::vector<Record> read_pmlr_citeproc(std::string_view text) {
  std::vector<Record> records;
  for (const Yaml& entry : read_yaml(text).list) {
    Record record = from_yaml(entry);
    if (!record.id.empty()) records.push_back(std::move(record));
  }
  return records;
}

Record read_pmlr_post(std::string_view text) {
  return from_yaml(read_yaml(text));
}

std::vector<Record> read_pmlr_bib(std::string_view text) {
  std::vector<Record> records;
  for (const text::BibEntry& entry : text::parse_bibtex(text).entries) {
    if (entry.type == "proceedings") continue;
    Record record;
    // "pmlr-v235-abe24a" on the site, "abe24a" in the sources.
    record.id = entry.key;
    if (record.id.starts_with("pmlr-v")) {
      const std::size_t dash = record.id.find('-', 6);
      if (dash != std::string::npos) record.id.erase(0, dash + 1);
    }
    record.title = entry.text("title");
    record.abstract = entry.text("abstract");
    record.authors = entry.people("author");
    record.track = entry.text("section");
    record.pdf_url = entry.verbatim("pdf");
    record.page_url = entry.verbatim("url");
    records.push_back(std::move(record));
  }
  return records;
}

std::unique_ptr<Site> pmlr_site(const Place& place) {
  return std::make_unique<Pmlr>(place.key);
}

}  // namespace mustcite::collect
