#pragma once

#include <string>
#include <vector>

#include "stages/collect/html/document.hpp"

namespace mustcite::collect::html {

/// The Highwire `citation_*` metas, which outlive most redesigns of the page around them.
struct CitationMetas {
  std::string title;
  std::vector<std::string> authors;
  std::string pdf_url;
  std::string doi;
  std::string description;   ///< DC.Description
  std::string article_type;  ///< DC.Type.articleType
};

[[nodiscard]] CitationMetas citation_metas(const Element& page);

}  // namespace mustcite::collect::html
