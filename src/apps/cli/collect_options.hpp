#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "core/net/fetcher.hpp"
#include "stages/collect/table.hpp"

namespace mustcite::cli {

/// The editions that words and --years name: "icml", "acl", "2019-2021", "all". Years of a venue that nothing
/// serves are named on stderr; throws usage when none is left, saying what there is instead.
[[nodiscard]] std::vector<collect::Edition> editions_named(const std::vector<std::string>& words,
                                                           const std::string& years);

/// Where pages come from, beside the network.
struct PageFlags {
  std::string from_dir;
  bool offline = false;
  bool refresh = false;
};

/// How pages are fetched by the settings of the workspace.
[[nodiscard]] net::FetchOptions fetch_options(const Context& context, const PageFlags& flags,
                                              const store::Workspace& workspace);

}  // namespace mustcite::cli
