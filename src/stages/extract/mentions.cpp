#include "stages/extract/mentions.hpp"

#include <algorithm>

namespace mustcite::extract {

double coverage(const Document& document, const std::vector<Mention>& mentions) {
  if (document.references.empty()) return 0;
  std::vector<bool> cited(document.references.size(), false);
  for (const auto& mention : mentions) {
    for (const std::uint32_t reference : mention.references) cited[reference] = true;
  }
  return static_cast<double>(std::count(cited.begin(), cited.end(), true)) /
         static_cast<double>(cited.size());
}

TextMentions find_mentions(const Document& document, const std::vector<Span>& raised) {
  TextMentions found;
  if (document.references.empty()) return found;
  switch (document.style) {
    case ReferenceStyle::numeric:
      find_numeric(document, raised, found);
      break;
    case ReferenceStyle::alpha:
      find_tags(document, found);
      break;
    case ReferenceStyle::author_year:
    case ReferenceStyle::unknown:
      break;
  }
  // Lists may carry labels that the text does not use.
  if (coverage(document, found.mentions) < 0.2) {
    TextMentions by_name;
    find_author_year(document, by_name);
    if (coverage(document, by_name.mentions) > coverage(document, found.mentions)) found = std::move(by_name);
  }
  std::sort(found.mentions.begin(), found.mentions.end(),
            [](const Mention& a, const Mention& b) { return a.span.begin < b.span.begin; });
  return found;
}

}  // namespace mustcite::extract
