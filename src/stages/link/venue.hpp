#pragma once

#include <string>
#include <string_view>

namespace mustcite::link {

/// Short name of a venue as catalogs use it ("neurips", "acl", "jmlr") from what bibliographies print ("Advances in
/// Neural Information Processing Systems 30", "Proc. of NAACL-HLT"); "arxiv" for preprint servers. Empty for venues that
/// are not in the table: nothing is known about them then.
[[nodiscard]] std::string venue_name(std::string_view printed);

/// A preprint server: arXiv, CoRR, bioRxiv, OpenReview or nothing at all.
[[nodiscard]] bool is_preprint_venue(std::string_view printed);

}  // namespace mustcite::link
