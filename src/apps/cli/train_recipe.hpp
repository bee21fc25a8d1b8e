#pragma once

#include <CLI/CLI.hpp>

#include "apps/cli/context.hpp"

namespace mustcite::cli {

/// Adds `train RECIPE` to the verb `train`, which must be there.
void add_train_recipe(CLI::App& app, Context& context, Action& action);

}  // namespace mustcite::cli
