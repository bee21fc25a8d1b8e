#pragma once

#include <CLI/CLI.hpp>

#include "apps/cli/context.hpp"

namespace mustcite::cli {

/// Adds `train references` to the verb `train`, which must be there.
void add_train_references(CLI::App& app, Context& context, Action& action);

}  // namespace mustcite::cli
