#pragma once

#include <string>

#include "apps/cli/context.hpp"
#include "stages/link/link.hpp"

namespace mustcite::cli {

/// The papers of the workspace's catalog, ready to link to.
[[nodiscard]] link::LinkIndex catalog_links(const Context& context);

/// `link --references FILE`: one printed reference a line ("-": standard input), linked in bulk. Prints a
/// line for each, in their order: verdict, probability, id, rule. Counts go to stderr.
int link_printed_references(Context& context, const std::string& file, const link::Options& options);

/// `link --text "…"`: one printed reference, with its fields, its candidates and the deciding evidence.
int link_one_reference(Context& context, const std::string& raw, const link::Options& options);

}  // namespace mustcite::cli
