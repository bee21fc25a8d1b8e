#pragma once

#include <CLI/CLI.hpp>

#include "apps/cli/context.hpp"

namespace mustcite::cli {

/// Adds one subcommand a published baseline (`train ar-gnn`, …) to the verb `train`, which must be there.
void add_train_baselines(CLI::App& app, Context& context, Action& action);

}  // namespace mustcite::cli
