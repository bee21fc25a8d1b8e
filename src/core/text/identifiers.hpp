#pragma once

#include <string>
#include <string_view>

/// DOIs, arXiv ids and addresses, as bibliographies and catalogs write them.
namespace mustcite::text {

/// The first DOI ("10.…/…") in print, LaTeX or an address: lower case, without resolver and closing marks;
/// empty when there is none. A round bracket belongs to it when it is opened in it.
[[nodiscard]] std::string find_doi(std::string_view text);

/// The first arXiv id ("1706.03762", "cs/0112017"), lower case, without version; empty when there is none. A
/// bare number counts only behind the word "arXiv" or in "abs/1706.03762".
[[nodiscard]] std::string find_arxiv_id(std::string_view text);

/// The first web address, closing marks left out; empty when there is none.
[[nodiscard]] std::string find_url(std::string_view text);

/// A DOI that a field holds: lower case, without resolver, "doi:" and closing stops.
[[nodiscard]] std::string plain_doi(std::string_view doi);

/// An arXiv id that a field holds: lower case, without address, "arXiv:" and version.
[[nodiscard]] std::string plain_arxiv_id(std::string_view id);

}  // namespace mustcite::text
