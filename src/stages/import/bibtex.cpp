#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "core/schema/bibtex.hpp"
#include "core/text/bibtex.hpp"
#include "stages/import/formats.hpp"

namespace mustcite::importing {
namespace {

/// `date`, or `year` and `month` (a name, its first letters, or a number).
Date date_of(const text::BibEntry& entry) {
  if (const std::optional<Date> date = parse_date(entry.text("date"))) return *date;
  Date date{entry.year(), 0, 0};
  const std::string month = entry.text("month");
  constexpr std::string_view kMonths = "janfebmaraprmayjunjulaugsepoctnovdec";
  if (date.year != 0 && month.size() >= 3) {
    std::string start = month.substr(0, 3);
    for (char& c : start) c = static_cast<char>(c | 0x20);
    if (const std::size_t at = kMonths.find(start); at != std::string_view::npos && at % 3 == 0)
      date.month = static_cast<int>(at / 3) + 1;
  } else if (date.year != 0 && !month.empty()) {
    if (const std::optional<Date> parsed = parse_date(fmt::format("{}-{:0>2}", date.year, month)))
      date = *parsed;
  }
  return date;
}

Item item_of(const text::BibEntry& entry) {
  const Reference reference = reference_from_bibtex(entry);
  Paper paper;
  paper.id = PaperId(entry.key);
  paper.title = reference.title;
  paper.abstract = entry.text("abstract");
  paper.authors = entry.people("author");
  paper.venue = reference.venue;
  paper.date = date_of(entry);
  paper.url = reference.url;
  paper.doi = reference.doi;
  paper.arxiv_id = reference.arxiv_id;
  return Item{std::move(paper), entry.line, {}, false, true};
}

}  // namespace

void parse_bibtex_items(std::string_view text, Output& output) {
  const text::BibFile file = text::parse_bibtex(text);
  bool repaired = file.repaired_bytes > 0;
  std::size_t next_problem = 0;
  const auto lost_before = [&](std::uint64_t line) {
    for (; next_problem < file.problems.size() && file.problems[next_problem].line <= line; ++next_problem) {
      const text::BibProblem& problem = file.problems[next_problem];
      if (problem.entry_lost)
        output.put(Item{Refused{problem.key, problem.reason, false}, problem.line, {}, false, false});
    }
  };
  for (const text::BibEntry& entry : file.entries) {
    lost_before(entry.line);
    Item item = item_of(entry);
    item.repaired_utf8 = repaired;  // counted once for the whole file
    repaired = false;
    output.put(std::move(item));
  }
  lost_before(UINT64_MAX);
}

void read_bibtex(const std::filesystem::path& file, Output& output) {
  const std::string text = read_whole(file);
  parse_bibtex_items(text, output);
  output.consumed(text.size());
}

}  // namespace mustcite::importing
