#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/error.hpp"
#include "stages/import/formats.hpp"
#include "stages/import/json_fields.hpp"

namespace mustcite::importing {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

/// Longer abstracts than this many words are no abstracts, and a position is not trusted beyond it.
constexpr std::int64_t kMostWords = 50'000;

/// "W123" of "https://openalex.org/W123".
std::string work_id(std::string_view address) {
  const std::size_t slash = address.rfind('/');
  return std::string(slash == std::string_view::npos ? address : address.substr(slash + 1));
}

/// OpenAlex ships abstracts as the positions of each word.
std::string abstract_of(const object& work) {
  const std::optional<object> index = object_field(work, "abstract_inverted_index");
  if (!index) return {};
  std::vector<std::pair<std::int64_t, std::string_view>> words;
  for (const auto& [word, positions] : *index) {
    array list;
    if (positions.get_array().get(list) != simdjson::SUCCESS) continue;
    for (const element item : list) {
      std::int64_t position = 0;
      if (item.get_int64().get(position) == simdjson::SUCCESS && position >= 0 && position < kMostWords)
        words.emplace_back(position, word);
      if (words.size() > static_cast<std::size_t>(kMostWords)) return {};
    }
  }
  std::sort(words.begin(), words.end());
  std::string abstract;
  for (const auto& [position, word] : words) {
    if (!abstract.empty()) abstract.push_back(' ');
    abstract.append(word);
  }
  return abstract;
}

std::vector<std::string> authors_of(const object& work) {
  std::vector<std::string> authors;
  const std::optional<array> list = array_field(work, "authorships");
  if (!list) return authors;
  for (const element item : *list) {
    object authorship;
    if (item.get_object().get(authorship) != simdjson::SUCCESS) continue;
    const std::optional<object> author = object_field(authorship, "author");
    std::string_view name = author ? string_field(*author, "display_name") : std::string_view();
    if (name.empty()) name = string_field(authorship, "raw_author_name");
    if (!name.empty()) authors.emplace_back(name);
  }
  return authors;
}

std::string arxiv_id(std::string_view address) {
  const std::size_t at = address.find("arxiv.org/abs/");
  return at == std::string_view::npos ? std::string() : std::string(address.substr(at + 14));
}

void add_locations(const object& work, Paper& paper) {
  if (const std::optional<object> primary = object_field(work, "primary_location")) {
    paper.url = std::string(string_field(*primary, "landing_page_url"));
    if (const std::optional<object> source = object_field(*primary, "source"))
      paper.venue = std::string(string_field(*source, "display_name"));
  }
  if (paper.venue.empty()) {
    if (const std::optional<object> venue = object_field(work, "host_venue"))
      paper.venue = std::string(string_field(*venue, "display_name"));
  }
  paper.arxiv_id = arxiv_id(paper.url);
  const std::optional<array> locations = array_field(work, "locations");
  if (!locations) return;
  for (const element item : *locations) {
    object location;
    if (item.get_object().get(location) != simdjson::SUCCESS) continue;
    if (paper.arxiv_id.empty()) paper.arxiv_id = arxiv_id(string_field(location, "landing_page_url"));
  }
}

int publication_year(const object& work) {
  const std::int64_t year = number_field(work, "publication_year").value_or(0);
  return year >= 0 && year < 100'000 ? static_cast<int>(year) : 99'999;
}

}  // namespace

void parse_openalex_line(std::string_view line, std::uint64_t number, Output& output) {
  const object work = parse_json_object(line);
  Paper paper;
  paper.id = PaperId(work_id(string_field(work, "id")));
  if (paper.id.empty()) fail(ErrorCode::invalid_input, "field 'id' is missing");
  std::string_view title = string_field(work, "title");
  if (title.empty()) title = string_field(work, "display_name");
  paper.title = std::string(title);
  paper.abstract = abstract_of(work);
  paper.authors = authors_of(work);
  paper.date.year = publication_year(work);
  if (const std::optional<Date> date = parse_date(string_field(work, "publication_date"));
      date && date->year == paper.date.year) {
    paper.date = *date;
  }
  paper.doi = std::string(string_field(work, "doi"));
  add_locations(work, paper);
  const PaperId citing = paper.id;
  const int year = paper.date.year;
  output.put(Item{std::move(paper), number, {}, false, false});
  const std::optional<array> referenced = array_field(work, "referenced_works");
  if (!referenced) return;
  for (const element item : *referenced) {
    std::string_view address;
    Citation citation;
    if (item.get_string().get(address) == simdjson::SUCCESS) citation.cited = PaperId(work_id(address));
    citation.citing = citing;
    citation.citing_year = year;
    output.put(Item{std::move(citation), number, {}, false, false});
  }
}

}  // namespace mustcite::importing
