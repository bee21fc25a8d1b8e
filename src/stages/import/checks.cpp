#include "stages/import/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/identifiers.hpp"
#include "core/text/names.hpp"
#include "core/text/normalise.hpp"
#include "core/text/padding.hpp"
#include "stages/import/venues.hpp"

namespace mustcite::importing {
namespace {

/// Cuts at a character boundary.
std::string_view first_bytes(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

void cut(std::string& text, std::size_t limit, const char* what, std::vector<std::string>& notes) {
  if (text.size() <= limit) return;
  notes.push_back(fmt::format("{} of {} bytes cut to {}", what, text.size(), limit));
  text = std::string(first_bytes(text, limit));
}

/// Cuts before the last word that would not fit.
void cut_at_word(std::string& text, std::size_t limit, const char* what, std::vector<std::string>& notes) {
  if (text.size() <= limit) return;
  notes.push_back(fmt::format("{} of {} bytes cut to {}", what, text.size(), limit));
  std::string_view kept = first_bytes(text, limit);
  if (const std::size_t space = kept.rfind(' '); space != std::string_view::npos && space + 1000 > limit)
    kept = kept.substr(0, space);
  text = std::string(kept);
}

/// Runs, qrels and tables separate columns by white space, so ids have none.
std::optional<std::string> refuse_id(const std::string& id, const char* what) {
  if (id.empty()) return fmt::format("{} is empty", what);
  if (id.size() > Limits::id_bytes) return fmt::format("{} is longer than {} bytes", what, Limits::id_bytes);
  if (!text::is_valid_utf8(id)) return fmt::format("{} is not valid UTF-8", what);
  const bool bad = std::any_of(id.begin(), id.end(),
                               [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
  if (bad) return fmt::format("{} contains white space or control characters", what);
  return std::nullopt;
}

std::optional<std::string> refuse_year(int year, int latest_year) {
  if (year == 0 || (year >= Limits::earliest_year && year <= latest_year)) return std::nullopt;
  return fmt::format("year {} is not between {} and {}", year, Limits::earliest_year, latest_year);
}

void clean_authors(Paper& paper, std::vector<std::string>& notes) {
  // One string for several people occurs as the only entry of a list.
  std::vector<std::string> authors;
  if (paper.authors.size() == 1) {
    authors = text::split_authors(paper.authors.front());
  } else {
    for (const std::string& raw : paper.authors) {
      std::string name = text::author_name(raw);
      if (!name.empty()) authors.push_back(std::move(name));
    }
  }
  for (std::string& name : authors) cut(name, Limits::name_bytes, "author name", notes);
  if (authors.size() > Limits::authors) {
    notes.push_back(fmt::format("list of {} authors cut to {}", authors.size(), Limits::authors));
    authors.resize(Limits::authors);
  }
  paper.authors = std::move(authors);
}

void clean_addresses(Paper& paper, std::vector<std::string>& notes) {
  for (std::string* address : {&paper.url, &paper.doi, &paper.arxiv_id}) {
    *address = text::repair_utf8(*address);
    std::erase_if(*address, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
    if (address->size() > Limits::address_bytes) {
      notes.push_back(fmt::format("address of {} bytes dropped", address->size()));
      address->clear();
    }
  }
  paper.doi = text::plain_doi(paper.doi);
}

void clean_contexts(Citation& citation, std::vector<std::string>& notes) {
  if (citation.contexts.size() > Limits::contexts) {
    notes.push_back(fmt::format("list of {} contexts cut to {}", citation.contexts.size(), Limits::contexts));
    citation.contexts.resize(Limits::contexts);
  }
  for (CitationContext& context : citation.contexts) {
    context.section = text::clean(context.section);
    context.text = text::clean(context.text);
    cut(context.section, Limits::name_bytes, "section name", notes);
    cut_at_word(context.text, Limits::context_bytes, "context", notes);
  }
  std::erase_if(citation.contexts, [](const CitationContext& context) { return context.text.empty(); });
}

std::optional<std::string> refuse_count(std::optional<int> count, const char* what) {
  if (!count || (*count >= 0 && *count <= Limits::mentions)) return std::nullopt;
  return fmt::format("{} of {} cannot be true", what, *count);
}

}  // namespace

std::optional<std::string> clean_paper(Paper& paper, int latest_year, std::vector<std::string>& notes) {
  if (auto reason = refuse_id(paper.id.str(), "the id")) return reason;
  if (auto reason = refuse_year(paper.date.year, latest_year)) return reason;
  // Cleaning costs time in proportion to size, so what is surely too large is cut before.
  cut(paper.title, 40 * Limits::title_characters, "title", notes);
  paper.title = text::clean_title(paper.title);
  if (paper.title.empty()) return "the title is empty";
  if (text::title_key(paper.title).empty()) return "the title has no letters or digits";
  if (text::count_characters(paper.title) > Limits::title_characters) {
    return fmt::format("the title has more than {} characters", Limits::title_characters);
  }
  const std::size_t size = paper.abstract.size();
  if (size > 20 * Limits::abstract_bytes)
    paper.abstract = std::string(first_bytes(paper.abstract, 20 * Limits::abstract_bytes));
  paper.abstract = text::clean_abstract(paper.abstract);
  cut_at_word(paper.abstract, Limits::abstract_bytes, "abstract", notes);
  clean_authors(paper, notes);
  paper.venue = canonical_venue(text::clean(paper.venue));
  paper.track = text::clean(paper.track);
  cut(paper.venue, Limits::name_bytes, "venue", notes);
  cut(paper.track, Limits::name_bytes, "track", notes);
  clean_addresses(paper, notes);
  return std::nullopt;
}

std::optional<std::string> clean_citation(Citation& citation, int latest_year,
                                          std::vector<std::string>& notes) {
  if (auto reason = refuse_id(citation.citing.str(), "the citing id")) return reason;
  if (auto reason = refuse_id(citation.cited.str(), "the cited id")) return reason;
  if (citation.citing == citation.cited) return "the paper cites itself";
  if (auto reason = refuse_year(citation.citing_year, latest_year)) return reason;
  if (auto reason = refuse_count(citation.mentions, "a number of mentions")) return reason;
  if (auto reason = refuse_count(citation.exp_mentions, "a number of mentions in experiments")) return reason;
  citation.marker = text::clean(citation.marker);
  cut(citation.marker, Limits::name_bytes, "marker", notes);
  clean_contexts(citation, notes);
  return std::nullopt;
}

void check(Item& item, int latest_year) {
  std::optional<std::string> reason;
  std::string name;
  bool is_citation = false;
  if (auto* paper = std::get_if<Paper>(&item.content)) {
    reason = clean_paper(*paper, latest_year, item.notes);
    name = paper->id.str();
  } else if (auto* citation = std::get_if<Citation>(&item.content)) {
    reason = clean_citation(*citation, latest_year, item.notes);
    name = citation->citing.str() + " -> " + citation->cited.str();
    is_citation = true;
  } else if (auto* abstract = std::get_if<AbstractOnly>(&item.content)) {
    reason = refuse_id(abstract->id.str(), "the id");
    abstract->text = text::clean_abstract(first_bytes(abstract->text, 20 * Limits::abstract_bytes));
    cut_at_word(abstract->text, Limits::abstract_bytes, "abstract", item.notes);
    if (!reason && abstract->text.empty()) reason = "the abstract is empty";
    name = abstract->id.str();
  }
  if (reason) item.content = Refused{text::repair_utf8(first_bytes(name, 200)), *reason, is_citation};
}

}  // namespace mustcite::importing
