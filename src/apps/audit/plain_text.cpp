#include <algorithm>

#include "apps/audit/numbered_references.hpp"
#include "apps/audit/read_draft.hpp"
#include "apps/audit/sentences.hpp"
#include "core/text/normalise.hpp"

namespace mustcite::audit {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Draft read_text(std::string_view content, const std::string& file) {
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  Draft draft;
  draft.format = DraftFormat::text;
  draft.main_file = file;
  draft.files.push_back(file);
  std::vector<NumberedLine> references;
  bool in_references = false;
  std::uint32_t number = 0;
  std::size_t at = 0;
  while (at < content.size()) {
    const std::size_t end = std::min(content.find('\n', at), content.size());
    const std::string_view line = trimmed(content.substr(at, end - at));
    at = end + 1;
    ++number;
    if (draft.title.empty()) {
      draft.title = std::string(line);
      continue;
    }
    const std::string folded = line.size() < 40 ? text::fold(line) : std::string();
    if (folded == "references" || folded == "bibliography" || folded == "references:") {
      in_references = true;
    } else if (in_references) {
      references.push_back({std::string(line), number});
    } else if (folded == "abstract" || folded == "abstract:") {
      Section section;
      section.title.assign("Abstract");
      section.path = section.title;
      section.kind = SectionKind::abstract;
      section.where = {file, number};
      if (!draft.text.empty() && draft.text.back() != '\n') draft.text += "\n\n";
      section.begin = draft.text.size();
      draft.sections.push_back(std::move(section));
    } else if (line.empty()) {
      if (!draft.text.empty() && draft.text.back() != '\n') draft.text += "\n\n";
    } else {
      if (!draft.text.empty() && draft.text.back() != '\n') draft.text += ' ';
      draft.text += line;
    }
  }
  // The abstract ends with its paragraph.
  const std::size_t begin = draft.sections.empty() ? 0 : draft.sections.front().begin;
  const std::size_t paragraph = std::min(draft.text.find("\n\n", begin), draft.text.size());
  draft.abstract = one_line(std::string_view(draft.text).substr(begin, paragraph - begin), 20'000);
  finish_sections(draft);
  if (!references.empty()) read_numbered_references(references, file, draft);
  if (draft.printed_bibliography) mark_numbers(draft);
  place_mentions(draft);
  for (const auto& [empty, what] : {std::pair{draft.title.empty(), "the draft has no title"}, {draft.abstract.empty(), "the draft has no abstract"},
                                    {draft.bibliography.empty(), "the draft has no bibliography"}}) {
    if (empty) draft.note(file, 0, what);
  }
  return draft;
}

}  // namespace mustcite::audit
