#pragma once

#include <pugixml.hpp>
#include <string>

/// What the ACL Anthology's XML says and how it names things, for whoever reads it.
namespace mustcite::text {

/// Text of a node with its markup: <tex-math> becomes `$…$`, the rest leaves its content (<fixed-case> splits
/// words). Not trimmed.
[[nodiscard]] std::string acl_text(const pugi::xml_node& node);

/// The Anthology's id, as it composes it: P17-1001, D19-5001, 2024.acl-long.1.
[[nodiscard]] std::string acl_id(const std::string& collection, const std::string& volume,
                                 const std::string& number);

/// What a volume's title (in lower case) says about its papers, else the volume's own name; volumes without a
/// name of letters are "main".
[[nodiscard]] std::string acl_track(const std::string& volume, const std::string& book_title);

/// 1 to 12 for a name that begins like an English month; 0 for any other.
[[nodiscard]] int acl_month(const std::string& name);

}  // namespace mustcite::text
