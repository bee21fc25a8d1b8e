#include "apps/audit/bibliography.hpp"
#include "core/schema/bibtex.hpp"
#include "core/text/bibtex.hpp"
#include "core/text/identifiers.hpp"

namespace mustcite::audit {
namespace {

constexpr std::size_t kMostEntries = 100'000;
constexpr std::size_t kMostProblems = 100;

/// What an entry says about where the work appeared.
std::string venue_note(const text::BibEntry& entry) {
  for (const char* field : {"booktitle", "journal", "journaltitle", "howpublished", "eventtitle", "series", "publisher", "school", "institution"}) {
    if (std::string value = entry.text(field); !value.empty()) return value;
  }
  return {};
}

}  // namespace

void read_bib(std::string_view content, const std::string& file, Draft& draft) {
  const text::BibFile parsed = text::parse_bibtex(content);
  if (parsed.repaired_bytes > 0) draft.note(file, 0, "the file is not UTF-8; it is read as Latin-1");
  std::size_t listed = 0;
  for (const auto& problem : parsed.problems) {
    if (++listed > kMostProblems) break;
    const std::string where = problem.key.empty() ? std::string() : problem.key + ": ";
    draft.note(file, static_cast<std::uint32_t>(problem.line), where + problem.reason);
  }
  for (const auto& entry : parsed.entries) {
    if (draft.bibliography.size() >= kMostEntries) {
      draft.note(file, static_cast<std::uint32_t>(entry.line), "the bibliography has more entries than are read");
      break;
    }
    BibEntry item;
    item.reference = reference_from_bibtex(entry);
    item.reference.key = entry.key;
    item.type = entry.type;
    item.note = venue_note(entry);
    if (item.reference.arxiv_id.empty()) {
      item.reference.arxiv_id = text::find_arxiv_id(item.note + " " + entry.text("volume") + " " + item.reference.url + " " + entry.text("note"));
    }
    item.where = {file, static_cast<std::uint32_t>(entry.line)};
    draft.bibliography.push_back(std::move(item));
  }
}

}  // namespace mustcite::audit
