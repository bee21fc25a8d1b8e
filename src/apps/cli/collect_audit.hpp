#pragma once

#include "apps/cli/context.hpp"

namespace mustcite::cli {

/// `collect audit-aggregator`: another's lists of venues and years against the official ones.
void add_collect_audit(CLI::App& verb, Context& context, Action& action);

}  // namespace mustcite::cli
