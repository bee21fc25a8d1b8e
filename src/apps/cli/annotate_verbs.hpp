#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "apps/cli/context.hpp"
#include "core/base/date.hpp"
#include "stages/annotate/local_judge.hpp"

namespace mustcite::cli {

void add_annotate(CLI::App& app, Context& context, Action& action);

/// The parts of `annotate`, each in a file of its own.
void add_annotate_train(CLI::App& verb, Context& context, Action& action);
void add_annotate_evaluate(CLI::App& verb, Context& context, Action& action);

/// The local judge in force: the folder of the flag, else the workspace's `judge`, else the one that ships.
[[nodiscard]] annotate::LocalJudge load_local_judge(const Context& context, const std::string& flag);

/// The day it is, in UTC: the date of a label.
[[nodiscard]] Date today();

}  // namespace mustcite::cli
