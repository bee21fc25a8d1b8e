#pragma once

#include <CLI/CLI.hpp>

#include "apps/cli/context.hpp"

namespace mustcite::cli {

/// Adds the verb `link`.
void add_link(CLI::App& app, Context& context, Action& action);

}  // namespace mustcite::cli
