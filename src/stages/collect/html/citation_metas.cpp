#include "stages/collect/html/citation_metas.hpp"

namespace mustcite::collect::html {

CitationMetas citation_metas(const Element& page) {
  CitationMetas metas;
  for (const Element& meta : page.all("meta")) {
    const std::string_view name = meta.attribute("name");
    std::string content(meta.attribute("content"));
    if (name == "citation_title" && metas.title.empty())
      metas.title = std::move(content);
    else if (name == "citation_author")
      metas.authors.push_back(std::move(content));
    else if (name == "citation_pdf_url" && metas.pdf_url.empty())
      metas.pdf_url = std::move(content);
    else if (name == "citation_doi" && metas.doi.empty())
      metas.doi = std::move(content);
    else if (name == "DC.Description" && metas.description.empty())
      metas.description = std::move(content);
    else if (name == "DC.Type.articleType" && metas.article_type.empty())
      metas.article_type = std::move(content);
  }
  return metas;
}

}  // namespace mustcite::collect::html
