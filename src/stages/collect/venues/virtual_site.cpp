// {iclr,icml,neurips}.cc/static/virtual/data: what a conference's virtual site shows, as JSON.
#include <fmt/format.h>
#include <simdjson.h>

#include "stages/collect/venues/listing_parts.hpp"
#include "stages/collect/venues/one_page_site.hpp"
#include "stages/collect/venues/readers.hpp"
#include "stages/collect/venues/sites.hpp"

namespace mustcite::collect {
namespace {

using simdjson::dom::element;

std::string text_at(const element& object, std::string_view key) {
  std::string_view text;
  return object[key].get(text) == simdjson::SUCCESS ? std::string(text) : std::string();
}

Record read_entry(const element& entry) {
  Record record;
  record.title = text_at(entry, "name");
  record.abstract = text_at(entry, "abstract");
  record.page_url = text_at(entry, "paper_url");
  if (record.page_url.empty()) record.page_url = text_at(entry, "sourceurl");
  record.pdf_url = text_at(entry, "paper_pdf_url");
  record.track = text_at(entry, "decision");
  if (record.track.empty()) record.track = text_at(entry, "eventtype");
  const std::size_t forum = record.page_url.find("openreview.net/forum?id=");
  if (forum != std::string::npos) record.openreview_id = record.page_url.substr(forum + 24);
  std::int64_t number = 0;
  if (!record.openreview_id.empty()) {
    record.id = record.openreview_id;
  } else if (entry["id"].get(number) == simdjson::SUCCESS) {
    record.id = fmt::format("virtual-{}", number);
  }
  simdjson::dom::array authors;
  if (entry["authors"].get(authors) == simdjson::SUCCESS) {
    for (const element author : authors) {
      std::string name = text_at(author, "fullname");
      if (!name.empty()) record.authors.push_back(std::move(name));
    }
  }
  return record;
}

}  // namespace

Listing read_virtual_site(std::string_view text) {
  simdjson::dom::parser parser;
  element root;
  simdjson::dom::array results;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) throw LayoutChanged("no JSON");
  if (root["results"].get(results) != simdjson::SUCCESS && root.get(results) != simdjson::SUCCESS)
    throw LayoutChanged("no list of results");
  Listing listing;
  for (const element entry : results) take(read_entry(entry), listing);
  // A paper stands there as an oral and as a poster.
  drop_repeats(listing);
  std::uint64_t count = 0;
  if (root["count"].get(count) == simdjson::SUCCESS) listing.stated = count - listing.problems.size();
  if (listing.records.empty()) throw LayoutChanged("no entry with a name and an id");
  return listing;
}

std::unique_ptr<Site> virtual_site(const Place& place, const Edition& edition) {
  return one_page_site(
      {.hosts = {place.key},
       .urls = {fmt::format("https://{}/static/virtual/data/{}-{}-orals-posters.json", place.key,
                            edition.venue, edition.year)},
       .expect = net::Expect::json,
       .read_list = [](std::string_view text, std::string_view) { return read_virtual_site(text); }});
}

}  // namespace mustcite::collect
