#include "stages/collect/venues/listing_parts.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "stages/collect/venues/link_parts.hpp"

namespace mustcite::collect {

void take(Record record, Listing& listing) {
  if (record.id.empty() || record.title.empty()) {
    const std::string& item = !record.title.empty() ? record.title
                              : !record.id.empty()  ? record.id
                                                    : record.page_url;
    listing.problems.push_back({item, "an entry without a title or an id"});
  } else {
    listing.records.push_back(std::move(record));
  }
}

void append(Listing part, Listing& whole) {
  std::move(part.records.begin(), part.records.end(), std::back_inserter(whole.records));
  std::move(part.problems.begin(), part.problems.end(), std::back_inserter(whole.problems));
  if (part.stated) whole.stated = whole.stated.value_or(0) + *part.stated;
}

void drop_repeats(Listing& listing) {
  std::unordered_set<std::string> seen;
  std::vector<Record> once;
  for (Record& record : listing.records) {
    if (seen.insert(record.id).second) {
      once.push_back(std::move(record));
    } else {
      listing.problems.push_back(
          {record.id, record.track.empty() ? "listed twice" : "listed twice: again under " + record.track});
    }
  }
  listing.records = std::move(once);
}

void take_metas(const html::CitationMetas& metas, Record& record) {
  if (!metas.authors.empty()) record.authors = metas.authors;
  if (!metas.pdf_url.empty()) record.pdf_url = metas.pdf_url;
  if (!metas.doi.empty()) record.doi = metas.doi;
}

std::vector<std::string> people_with_places(std::string_view text) {
  std::vector<std::string> people;
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    std::string_view person = text.substr(0, end);
    for (const std::string_view mark : {",", "(", " - ", " – ", " — "})
      person = person.substr(0, person.find(mark));
    std::string name = trimmed(person);
    if (!name.empty()) people.push_back(std::move(name));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return people;
}

std::vector<std::string> people_of(std::string_view text) {
  if (text.find(';') != std::string_view::npos) return people_with_places(text);
  return {trimmed(text)};
}

}  // namespace mustcite::collect
