#include "stages/collect/clean.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/text/html.hpp"
#include "core/text/identifiers.hpp"
#include "core/text/names.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::collect {
namespace {

constexpr std::size_t kMostTitleBytes = 8000;
constexpr std::size_t kMostAbstractBytes = 100'000;
constexpr std::size_t kMostAuthors = 5000;

/// Ids stand in columns and file names.
std::string id_part(const std::string& official) {
  std::string id;
  for (const char c : official.substr(0, 200)) {
    const bool bad = static_cast<unsigned char>(c) <= 0x20 || c == 0x7F || c == '/' || c == '\\';
    id.push_back(bad ? '_' : c);
  }
  return text::repair_utf8(id);
}

std::string folded(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) {
      result.push_back(c);
    } else if (!result.empty() && result.back() != ' ') {
      result.push_back(' ');
    }
  }
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

/// "QIANQIAN SHEN" → "Qianqian Shen"; initials and mixed names stay.
std::string without_capitals(const std::string& name) {
  std::size_t letters = 0;
  std::size_t word = 0;
  bool several = false;
  for (const char c : name) {
    if (c == ' ' || c == '-') {
      if (word == 1) return name;
      several = true;
      word = 0;
    } else if (c >= 'A' && c <= 'Z') {
      ++letters;
      ++word;
    } else {
      return name;
    }
  }
  if (letters < 6 || !several || word < 2) return name;
  std::string result;
  bool start = true;
  for (const char c : name) {
    const bool letter = c >= 'A' && c <= 'Z';
    result.push_back(letter && !start ? static_cast<char>(c - 'A' + 'a') : c);
    start = !letter;
  }
  return result;
}

std::vector<std::string> clean_authors(const Record& record, std::vector<std::string>& notes) {
  std::vector<std::string> authors;
  if (record.authors.size() == 1) {
    authors = text::split_authors(record.authors.front());
  } else {
    for (const std::string& raw : record.authors) {
      std::string name = text::author_name(raw);
      if (!name.empty()) authors.push_back(std::move(name));
    }
  }
  for (std::string& name : authors) {
    if (name.starts_with("and ")) name.erase(0, 4);  // "A, B,and C" was split at its commas
    name = without_capitals(name);
  }
  if (authors.size() > kMostAuthors) {
    notes.push_back(fmt::format("list of {} authors cut to {}", authors.size(), kMostAuthors));
    authors.resize(kMostAuthors);
  }
  return authors;
}

/// CVF and ECVA set whole abstracts in quotes, AAAI's OJS in single ones.
std::string without_quotes(std::string abstract) {
  for (const auto& [open, close] :
       {std::pair<std::string_view, std::string_view>{"\"", "\""}, {"“", "”"}, {"'", "'"}, {"``", "''"}}) {
    if (abstract.size() < open.size() + close.size() + 20 || !abstract.starts_with(open) ||
        !abstract.ends_with(close))
      continue;
    const std::string inside = abstract.substr(open.size(), abstract.size() - open.size() - close.size());
    // Quotes that belong to words inside ("X" … "Y") stay.
    if (inside.find(open) == std::string::npos && inside.find(close) == std::string::npos)
      return folded(inside);
  }
  return abstract;
}

std::string clean_abstract(const Record& record, std::vector<std::string>& notes) {
  std::string_view raw = record.abstract;
  if (raw.size() > 4 * kMostAbstractBytes) raw = raw.substr(0, 4 * kMostAbstractBytes);
  std::string abstract = without_quotes(text::clean_abstract(raw));
  if (abstract.size() > kMostAbstractBytes) {
    notes.push_back(fmt::format("abstract of {} bytes cut to {}", abstract.size(), kMostAbstractBytes));
    abstract = text::clean(abstract.substr(0, abstract.rfind(' ', kMostAbstractBytes)));
  }
  // A title in the place of the abstract says nothing.
  if (text::title_key(abstract) == text::title_key(record.title)) abstract.clear();
  return abstract;
}

}  // namespace

Cleaned clean_record(const Edition& edition, const Record& record) {
  Cleaned cleaned;
  Paper& paper = cleaned.paper;
  paper.id = PaperId(fmt::format("{}-{}-{}", edition.venue, edition.year, id_part(record.id)));
  if (record.title.size() > kMostTitleBytes) {
    cleaned.reject = fmt::format("a title of {} bytes", record.title.size());
    return cleaned;
  }
  cleaned.printed_title = folded(text::html_to_text(text::repair_utf8(record.title)));
  paper.title = text::clean_title(record.title);
  if (text::title_key(paper.title).empty()) {
    cleaned.reject = "the title has no letters or digits";
    return cleaned;
  }
  paper.abstract = clean_abstract(record, cleaned.notes);
  paper.authors = clean_authors(record, cleaned.notes);
  paper.venue = edition.venue;
  paper.date.year = edition.year;
  paper.date.month = record.month;
  paper.track = text::clean(record.track);
  paper.url = record.page_url;
  paper.doi = text::plain_doi(record.doi);
  paper.arxiv_id = record.arxiv_id;
  return cleaned;
}

std::size_t drop_shared_abstracts(std::vector<Cleaned>& papers) {
  std::unordered_map<std::string, std::size_t> counts;
  for (const Cleaned& one : papers) {
    if (!one.paper.abstract.empty()) ++counts[one.paper.abstract];
  }
  std::size_t dropped = 0;
  for (Cleaned& one : papers) {
    const auto found = counts.find(one.paper.abstract);
    if (found == counts.end() || found->second < 3 || found->second * 100 <= papers.size()) continue;
    one.notes.push_back(
        fmt::format("{} papers of the edition share this text as an abstract; it was dropped: {}",
                    found->second, text::repair_utf8(one.paper.abstract.substr(0, 60))));
    one.paper.abstract.clear();
    ++dropped;
  }
  return dropped;
}

}  // namespace mustcite::collect
